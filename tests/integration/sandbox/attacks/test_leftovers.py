"""After all attacks the node has what it had before them, and nothing else."""

from tests.integration.sandbox.attacks.node import Node


def test_no_process_of_a_run_is_alive(node: Node) -> None:
    assert node.runs_alive() == []


def test_no_working_area_is_mounted(node: Node) -> None:
    assert node.slots_with_mounts() == []


def test_the_manager_holds_no_stream_or_file_of_a_run(node: Node) -> None:
    before = node.descriptors()
    for number in range(20):
        node.run("python", f"print({number})", input="x" * number)

    assert node.descriptors() == before
