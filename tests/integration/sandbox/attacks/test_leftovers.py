"""After all attacks the node has what it had before them, and nothing else.

That it leaves no process, file or control group when it ends is seen to in ``node.running_node``.
"""

from tests.integration.sandbox.attacks.node import MAX_OUTPUT_MB, Node


def test_no_process_of_a_run_is_alive(node: Node) -> None:
    assert node.runs_alive() == []


def test_no_template_had_to_be_rebuilt(node: Node) -> None:
    assert node.templates() == node.first_templates


def test_no_working_area_is_mounted(node: Node) -> None:
    assert node.slots_with_mounts() == []


def test_the_manager_holds_no_stream_or_file_of_a_run(node: Node) -> None:
    before = node.descriptors()
    for number in range(20):
        node.run("python", f"print({number})", input="x" * number)

    assert node.descriptors() == before


def test_the_manager_held_no_output_or_program_many_times_over(node: Node) -> None:
    assert node.peak_memory_mb() < 120 + 8 * MAX_OUTPUT_MB
