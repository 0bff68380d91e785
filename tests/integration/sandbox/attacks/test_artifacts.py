"""What a run leaves for the node to take, such as a compiled program, is a plain file of its own or nothing.

A compiler that is turned against the node could leave anything under the program's name.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from code_judge.settings import Settings
from code_judge_workers.sandbox.limits import MEGABYTE, Limits
from code_judge_workers.sandbox.plan import BARE_TEMPLATE, Plan
from code_judge_workers.sandbox.program import Program
from code_judge_workers.sandbox.sandbox import Sandbox

LIMITS = Limits(
    cpu_s=5,
    memory_bytes=256 * MEGABYTE,
    output_bytes=MEGABYTE,
    file_bytes=16 * MEGABYTE,
    processes=32,
    open_files=256,
    nice=0,
)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """In the strongest tier that this machine allows."""
    settings = Settings(python_executor_path=sys.executable, warm_templates="")
    running = Sandbox(Plan(settings), max_slots=1)
    running.start()
    yield running
    running.stop()


def artifact_of(sandbox: Sandbox, command: str) -> bytes | None:
    """What comes back as ``main`` after a shell command."""
    outcome = sandbox.run(
        Program(template=BARE_TEMPLATE, argv=["/bin/sh", "-c", command], files={}, artifact="main"), LIMITS
    )
    assert outcome.exit_code == 0, outcome.stderr
    if outcome.artifact is None:
        return None
    with os.fdopen(outcome.artifact, "rb") as file:
        return file.read()


def test_a_plain_file_comes_back(sandbox: Sandbox) -> None:
    assert artifact_of(sandbox, "echo program > main") == b"program\n"


@pytest.mark.parametrize(
    "command",
    [
        "ln -s /etc/passwd main",
        "ln -s /proc/1/environ main",
        "ln -s /proc/self/mem main",
        "ln -s /dev/zero main",
        "mkdir main",
        "rmdir /tmp/run && ln -s /etc /tmp/run; true",
        "cd .. && mv run old && ln -s /etc run && true",
        "ln -s main main",
        "true",
    ],
)
def test_links_folders_and_devices_do_not(sandbox: Sandbox, command: str) -> None:
    assert artifact_of(sandbox, command) is None


def test_a_pipe_does_not_and_nobody_waits_for_it(sandbox: Sandbox) -> None:
    assert artifact_of(sandbox, "mkfifo main || true") is None


def test_a_hard_link_to_a_file_of_the_system_cannot_be_made(sandbox: Sandbox) -> None:
    assert (
        artifact_of(sandbox, "ln /etc/passwd main 2>/dev/null || ln /bin/sh main 2>/dev/null || true") is None
    )


def test_a_replaced_working_directory_is_not_followed(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "main").write_text("not theirs")

    assert artifact_of(sandbox, f"cd / && mv /tmp/run /tmp/gone; ln -s {tmp_path} /tmp/run; true") is None
