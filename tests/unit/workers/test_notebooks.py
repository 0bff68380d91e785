"""Which cells of a notebook are run, and what is made of how a run ended."""

import signal
from dataclasses import replace

import pytest

from code_judge_workers import notebook
from code_judge_workers.notebook import Notebooks
from code_judge_workers.sandbox.limits import Limits
from code_judge_workers.sandbox.outcome import Outcome, SandboxError, Stop
from code_judge_workers.sandbox.program import Program, RunFile
from code_judge_workers.sandbox.sandbox import Execution

LIMITS = Limits(
    cpu_s=2.0, memory_bytes=1 << 28, output_bytes=1 << 20, file_bytes=1, processes=1, open_files=1, nice=0
)
PROGRAM = Program(template="bare", argv=None, files={"main.py": RunFile(b"")}, stdin=b"input")
ENDED = Outcome(
    exit_code=0, signal=None, stop=None, cpu_s=0.1, wall_s=0.1, peak_bytes=1, stdout=b"", stderr=b""
)
OUT_OF_TIME = replace(ENDED, exit_code=None, signal=signal.SIGPROF, wall_s=2.0)
KILLED = replace(ENDED, exit_code=None, signal=signal.SIGKILL, stop=Stop.TIME, wall_s=4.0)


class ScriptedSandbox:
    """Plays cells by what their text says: each cell that has an entry in ``ends`` ends the run so."""

    def __init__(self, ends: dict[str, Outcome]) -> None:
        self.ends = ends
        self.runs: list[list[str]] = []
        self.limits_s: list[float] = []

    def run(self, program: Program, limits: Limits, _: Execution | None = None) -> Outcome:
        script = program.files["main.py"].content.decode()
        # Cells stand in the script in the order in which it runs them.
        cells = sorted((name for name in NAMES if name in script), key=script.index)
        self.runs.append(cells)
        self.limits_s.append(limits.cpu_s)
        for count, cell in enumerate(cells, 1):
            if cell in self.ends:
                return replace(self.ends[cell], stdout=b"." * count)
        return replace(ENDED, stdout=b"." * len(cells) + b"shown")


NAMES = ["cell-a", "cell-b", "cell-c", "cell-d"]


def notebooks(sandbox: ScriptedSandbox) -> Notebooks:
    return Notebooks(sandbox.run, max_history_s=60)


def test_the_last_cells_output_comes_without_the_marks() -> None:
    outcome = notebooks(ScriptedSandbox({})).run(NAMES, PROGRAM, LIMITS)
    assert outcome.stdout == b"shown"


def test_a_cell_that_ended_a_run_is_left_out_of_the_next_and_of_every_later_call() -> None:
    sandbox = ScriptedSandbox({"cell-b": OUT_OF_TIME})
    node = notebooks(sandbox)
    assert node.run(NAMES, PROGRAM, LIMITS).stdout == b"shown"
    assert sandbox.runs == [NAMES, ["cell-a", "cell-c", "cell-d"]]
    node.run(NAMES, PROGRAM, LIMITS)
    assert sandbox.runs[2:] == [["cell-a", "cell-c", "cell-d"]]


def test_a_last_cell_that_ended_its_run_is_never_replayed() -> None:
    sandbox = ScriptedSandbox({"cell-b": KILLED})
    node = notebooks(sandbox)
    assert node.run(["cell-a", "cell-b"], PROGRAM, LIMITS).stop is Stop.TIME
    assert node.run(["cell-a", "cell-b", "cell-c"], PROGRAM, LIMITS).stdout == b"shown"
    assert sandbox.runs == [["cell-a", "cell-b"], ["cell-a", "cell-c"]]


def test_a_last_cell_that_was_left_out_before_is_still_run_when_it_is_the_last() -> None:
    sandbox = ScriptedSandbox({"cell-b": KILLED})
    node = notebooks(sandbox)
    for _ in range(2):
        assert node.run(["cell-a", "cell-b"], PROGRAM, LIMITS).stop is Stop.TIME
    assert len(sandbox.runs) == 2


@pytest.mark.parametrize(
    "other",
    [
        (["cell-c", "cell-b", "cell-d"], LIMITS),
        (["cell-a", "cell-b", "cell-d"], replace(LIMITS, cpu_s=3.0)),
        (["cell-a", "cell-b", "cell-d"], replace(LIMITS, memory_bytes=1 << 29)),
    ],
)
def test_what_is_left_out_depends_on_the_cells_before_it_and_on_the_limits(
    other: tuple[list[str], Limits],
) -> None:
    sandbox = ScriptedSandbox({"cell-b": OUT_OF_TIME})
    node = notebooks(sandbox)
    node.run(["cell-a", "cell-b", "cell-d"], PROGRAM, LIMITS)
    sandbox.runs.clear()
    cells, limits = other
    node.run(cells, PROGRAM, limits)
    assert sandbox.runs[0] == cells


def test_a_cancelled_run_says_nothing_of_its_cells() -> None:
    cancelled = replace(KILLED, stop=Stop.CANCELLED)
    sandbox = ScriptedSandbox({"cell-a": cancelled})
    node = notebooks(sandbox)
    assert node.run(NAMES, PROGRAM, LIMITS).stop is Stop.CANCELLED
    sandbox.ends.clear()
    node.run(NAMES, PROGRAM, LIMITS)
    assert sandbox.runs == [NAMES, NAMES]


def test_every_cell_has_the_time_limit_and_all_earlier_ones_together_the_allowance() -> None:
    sandbox = ScriptedSandbox({})
    node = Notebooks(sandbox.run, max_history_s=5.0)
    for count in (1, 2, 4):
        node.run(NAMES[:count], PROGRAM, LIMITS)
    assert sandbox.limits_s == [2.0, 4.0, 7.0]


def test_the_last_cells_timer_is_a_time_limit_and_its_own_signal_is_not() -> None:
    node = notebooks(ScriptedSandbox({"cell-b": OUT_OF_TIME}))
    assert node.run(["cell-a", "cell-b"], PROGRAM, LIMITS).stop is Stop.TIME
    at_once = replace(OUT_OF_TIME, wall_s=0.1)
    assert (
        notebooks(ScriptedSandbox({"cell-b": at_once})).run(["cell-a", "cell-b"], PROGRAM, LIMITS).stop
        is None
    )


def test_a_call_does_not_lose_more_time_than_its_patience() -> None:
    slow = replace(KILLED, wall_s=1000.0)  # longer than its limit, since it waited for a core
    sandbox = ScriptedSandbox(dict.fromkeys(["cell-a", "cell-b", "cell-c"], slow))
    outcome = Notebooks(sandbox.run, max_history_s=1.0).run(NAMES, PROGRAM, LIMITS)
    assert outcome.stop is Stop.TIME
    assert len(sandbox.runs) == 3
    assert b"took too long" in outcome.stderr


def test_a_harness_that_does_not_begin_is_our_failure() -> None:
    outcome = replace(ENDED, exit_code=1, stderr=b"no such module")
    with pytest.raises(SandboxError, match="no such module"):
        Notebooks(lambda *_: outcome, max_history_s=1.0).run(NAMES, PROGRAM, LIMITS)


def test_what_is_remembered_is_bounded_and_the_oldest_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebook, "REMEMBERED_CELLS", 2)
    sandbox = ScriptedSandbox(dict.fromkeys(["cell-a", "cell-b", "cell-c"], KILLED))
    node = notebooks(sandbox)
    for name in ("cell-a", "cell-b", "cell-c"):
        node.run([name], PROGRAM, LIMITS)
    sandbox.runs.clear()
    sandbox.ends.clear()
    for name in ("cell-a", "cell-b", "cell-c"):
        node.run([name, "cell-d"], PROGRAM, LIMITS)
    assert sandbox.runs == [["cell-a", "cell-d"], ["cell-d"], ["cell-d"]]
