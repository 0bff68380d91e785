"""The benchmark of tool calls counts right answers, on both sides alike."""

from collections.abc import Sequence

import pytest

from benchmarks._common import Spread
from benchmarks._server import Server
from benchmarks.tool_calls import Side, Stretch, by_request, by_tool, stretch_of
from code_judge.contract import Result
from code_judge_client.verl import PythonTool
from tests.support.fake_judge import FakeJudge, printed


@pytest.mark.parametrize(("size", "at_once", "wrong"), [(1, 12, 1), (1, 1, 1), (4, 2, 1)])
async def test_an_answer_that_is_not_the_callers_own_is_wrong(size: int, at_once: int, wrong: int) -> None:
    async def mixes_one_up(submission: dict[str, str]) -> Result:
        given = submission["input"]
        return printed(submission, "8\n" if given == "7" else f"{given}\n")

    async with FakeJudge(mixes_one_up) as judge, Server(judge.url) as server:
        tool = PythonTool({"host_port": judge.port, "failed_submissions_path": None})
        for call in (by_request(server), by_tool(tool)):
            stretch = await stretch_of(call, range(12), size, at_once)
            assert (stretch.right, stretch.calls) == (12 - wrong, 12)


def stretch(latencies_s: Sequence[float], seconds: float) -> Stretch:
    return Stretch(right=len(latencies_s), latencies_s=latencies_s, seconds=seconds, cpu_s=0.004)


def test_what_a_call_adds_is_told_in_milliseconds() -> None:
    bare = Side("bare requests", [stretch([0.1, 0.2, 0.3, 0.4], 0.4)])
    tool = Side("PythonTool", [stretch([0.1, 0.25, 0.3, 0.5], 0.6)])
    row = tool.row("4 at once", bare)
    told = {name: cell.median for name, cell in row.items() if isinstance(cell, Spread)}
    assert told["added p50 ms"] == pytest.approx(50)
    assert told["added ms per call"] == pytest.approx(50)
    assert told["client's CPU ms per call"] == pytest.approx(1)
    assert bare.row("4 at once")["added p50 ms"] is None
