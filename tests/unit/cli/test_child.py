"""The processes of a local judge end with it, whatever happens."""

import os
import queue
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from code_judge_cli import child as child_module
from code_judge_cli.child import Child

SLEEPER = (sys.executable, "-c", "print('up', flush=True); import time; time.sleep(600)")
STUBBORN = (
    sys.executable,
    "-c",
    "import signal, sys, time\n"
    "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    "open(sys.argv[1], 'w').close()\n"
    "time.sleep(600)",
)


def test_a_child_that_will_not_leave_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child_module, "LEAVING_S", 0.1)
    os.mkfifo(tmp_path / "up")
    child = Child("stubborn", [*STUBBORN, str(tmp_path / "up")])
    (tmp_path / "up").open().close()  # a FIFO opens once both sides are there

    child.stop()

    assert child.ending == "signal SIGKILL"


def test_who_waits_for_a_child_learns_of_its_end() -> None:
    ended: queue.SimpleQueue[Child] = queue.SimpleQueue()

    child = Child("short", (sys.executable, "-c", "raise SystemExit(7)"), on_end=ended.put)

    assert ended.get(timeout=20) is child
    assert child.ended
    assert child.ending == "exit code 7"


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux's kernel")
def test_a_child_does_not_outlive_a_parent_that_was_killed() -> None:
    script = (
        "import sys, time\n"
        "from code_judge_cli.child import Child\n"
        f"child = Child('sleeper', {SLEEPER!r})\n"
        "time.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout
        assert parent.stdout.readline() == "up\n"

        os.kill(parent.pid, signal.SIGKILL)

        assert parent.stdout.read() == ""  # it ends when the last holder of the pipe does: the child
