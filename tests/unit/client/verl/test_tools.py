"""The verl tools: what a trainer's configuration says, what a model reads, what a trainer masks."""

import asyncio
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from pydantic import ValidationError

from code_judge.contract import Result, Verdict
from tests.support.fake_judge import FakeJudge, Fault, ended, printed

SCHEMA = {
    "type": "function",
    "function": {
        "name": "python_code_with_standard_io",
        "description": "Run a program.",
        "parameters": {"type": "object", "properties": {"code": {"type": "string"}}, "required": ["code"]},
    },
}


@dataclass
class Call:
    """A tool call as agent loops keep it."""

    name: str
    arguments: str


@pytest.fixture
async def config(judge: FakeJudge, tmp_path: Path) -> dict[str, Any]:
    """A tool's configuration as people have it, but for the port and the folder."""
    return {
        "type": "native",
        "host_addr": "127.0.0.1",
        "host_port": str(judge.port),
        "request_processor_batch_size": 32,
        "request_processor_concurrency": 8,
        "request_processor_batch_timeout_seconds": 30,
        "failed_submissions_path": str(tmp_path),
    }


@pytest.fixture
async def python_tool(verl: ModuleType, config: dict[str, Any]) -> Any:
    return verl.PythonTool(config, verl.OpenAIFunctionToolSchema.model_validate(SCHEMA))


@pytest.fixture
async def jupyter_tool(verl: ModuleType, config: dict[str, Any]) -> Any:
    return verl.SimJupyterTool(config)


async def execute(tool: Any, parameters: dict[str, Any], **create: Any) -> tuple[str, float, dict[str, Any]]:
    """One call as an agent loop makes it."""
    instance_id, _ = await tool.create(**create)
    try:
        response, reward, metrics = await tool.execute(instance_id, parameters)
        return response.text, reward, metrics
    finally:
        await tool.release(instance_id)


def saved(folder: Path) -> list[dict[str, Any]]:
    """The failed submissions in this folder."""
    return [json.loads(line) for file in folder.iterdir() for line in file.read_text().splitlines()]


# PythonTool


async def test_a_call_is_run_with_its_input(python_tool: Any, judge: FakeJudge) -> None:
    text, reward, metrics = await execute(python_tool, {"code": "print(input())", "input": "hi"})
    assert text == "Tool call success\nstdout: hi\nexecution time: 0.01s"
    assert (reward, metrics) == (0.0, {})
    [sent] = judge.requests[0].submissions
    assert sent == {"type": "python", "solution": "print(input())", "input": "hi"}


async def test_missing_parameters_are_empty(python_tool: Any, judge: FakeJudge) -> None:
    await execute(python_tool, {})
    assert judge.requests[0].submissions[0]["solution"] == ""


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (
            {"verdict": Verdict.RAN, "stderr": "warned", "cost": 1.239},
            "Tool call success\nstderr: warned\nexecution time: 1.24s",
        ),
        ({"verdict": Verdict.RAN}, "Tool call success\nexecution time: 0.01s"),
        (
            {"verdict": Verdict.RUNTIME_ERROR, "stdout": "1", "stderr": "ZeroDivisionError"},
            "Tool call failure\nreason: runtime_error\nstdout: 1\nstderr: ZeroDivisionError\n"
            "execution time: 0.01s",
        ),
        (
            {"verdict": Verdict.TIME_LIMIT, "cost": 4.0},
            "Tool call failure\nreason: worker_timeout\nexecution time: 4.00s",
        ),
        (
            {"verdict": Verdict.MEMORY_LIMIT},
            "Tool call failure\nreason: memory_limit\nexecution time: 0.01s",
        ),
    ],
)
async def test_the_text_tells_what_became_of_it(
    python_tool: Any, judge: FakeJudge, result: dict[str, Any], text: str
) -> None:
    async def as_told(submission: dict[str, Any]) -> Result:
        return ended(submission, **result)

    judge.behave = as_told
    told, reward, metrics = await execute(python_tool, {"code": "…", "input": ""})
    assert told == text
    assert (reward, metrics) == (0.0, {})


async def test_arguments_that_are_no_object_are_told_to_the_model(
    python_tool: Any, jupyter_tool: Any, judge: FakeJudge
) -> None:
    arguments: Any = "print(1)"
    for tool in (python_tool, jupyter_tool):
        text, _, _ = await execute(tool, arguments, history_tool_calls=[])
        assert text.startswith("Tool call failure\nreason: invalid_input\nstderr: code: ")
    assert judge.requests == []


@pytest.mark.parametrize("code", [None, 7, ["print(1)"]])
async def test_what_cannot_be_a_program_is_told_to_the_model(
    python_tool: Any, judge: FakeJudge, code: Any
) -> None:
    text, _, metrics = await execute(python_tool, {"code": code, "input": ""})
    assert text.startswith("Tool call failure\nreason: invalid_input\nstderr: code: ")
    assert metrics == {}
    assert judge.requests == []


async def test_2000_calls_at_once_get_their_own_answers(python_tool: Any, judge: FakeJudge) -> None:
    calls = (execute(python_tool, {"code": "…", "input": str(n)}) for n in range(2000))
    texts = [text for text, _, _ in await asyncio.gather(*calls)]
    assert texts == [f"Tool call success\nstdout: {n}\nexecution time: 0.01s" for n in range(2000)]
    assert max(len(seen.submissions) for seen in judge.requests) == 32
    assert len({seen.peer for seen in judge.requests}) <= 8


async def test_limits_in_the_configuration_go_to_the_judge(
    verl: ModuleType, config: dict[str, Any], judge: FakeJudge
) -> None:
    tool = verl.PythonTool({**config, "time_limit": 2, "memory_limit": 100})
    await execute(tool, {"code": "…"})
    sent = judge.requests[0].submissions[0]
    assert (sent["time_limit"], sent["memory_limit"]) == (2, 100)


# Failures of ours


async def test_what_the_judge_could_not_judge_is_marked_and_saved(
    python_tool: Any, judge: FakeJudge, tmp_path: Path
) -> None:
    async def broken(submission: dict[str, Any]) -> Result:
        return ended(submission, Verdict.INTERNAL_ERROR, stderr="took three nodes down")

    judge.behave = broken
    text, reward, metrics = await execute(python_tool, {"code": "print(1)", "input": ""})
    assert text.startswith("Tool call failure\nreason: internal_error\n")
    assert (reward, metrics) == (0.0, {"judge_failure": "internal_error"})
    [entry] = saved(tmp_path)
    assert entry["judge"] == judge.url
    assert entry["tool"] == "python_code_with_standard_io"
    assert entry["why"] == "internal_error: took three nodes down"
    assert entry["submission"] == {"type": "python", "solution": "print(1)", "input": ""}
    assert entry["time"]


async def test_a_call_that_gets_no_answer_fails_without_an_exception(
    verl: ModuleType, config: dict[str, Any], judge: FakeJudge, tmp_path: Path
) -> None:
    judge.faults.append(Fault(status=500))
    text, _, metrics = await execute(verl.PythonTool(config), {"code": "…"})
    assert text.startswith("Tool call failure\nreason: internal_error\nstderr: the judge answered 500")
    assert metrics == {"judge_failure": "internal_error"}
    assert len(saved(tmp_path)) == 1


async def test_nothing_is_saved_where_no_folder_is_wanted(
    verl: ModuleType, config: dict[str, Any], judge: FakeJudge, tmp_path: Path
) -> None:
    judge.faults.append(Fault(status=500))
    await execute(verl.PythonTool({**config, "failed_submissions_path": None}), {"code": "…"})
    assert saved(tmp_path) == []


async def test_a_folder_that_cannot_be_written_fails_no_call(
    verl: ModuleType, config: dict[str, Any], judge: FakeJudge, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way")
    judge.faults.append(Fault(status=500))
    tool = verl.PythonTool({**config, "failed_submissions_path": str(tmp_path / "file")})
    text, _, _ = await execute(tool, {"code": "…"})
    assert "internal_error" in text


async def test_a_call_that_takes_too_long_is_given_up(
    verl: ModuleType, config: dict[str, Any], judge: FakeJudge
) -> None:
    async def never(_submission: dict[str, Any]) -> Result:
        await asyncio.Event().wait()
        raise AssertionError

    judge.behave = never
    _, _, metrics = await execute(verl.PythonTool({**config, "request_timeout_seconds": 0.2}), {"code": "…"})
    assert metrics == {"judge_failure": "internal_error"}
    await judge.until(lambda: not judge.running)


# Instances and configuration


async def test_an_instance_keeps_its_answer_and_its_reward_until_released(python_tool: Any) -> None:
    instance_id, response = await python_tool.create("mine")
    assert instance_id == "mine"
    assert response.is_empty()
    assert await python_tool.calc_reward("mine") == 0.0
    answer, _, _ = await python_tool.execute("mine", {"code": "…", "input": "hi"})
    assert python_tool._instance_dict["mine"]["response"] == answer.text
    python_tool._instance_dict["mine"]["reward"] = 0.5
    assert await python_tool.calc_reward("mine") == 0.5
    await python_tool.release("mine")
    await python_tool.release("mine")
    assert python_tool._instance_dict == {}


async def test_instances_without_a_name_get_one_each(python_tool: Any) -> None:
    assert (await python_tool.create())[0] != (await python_tool.create())[0]


async def test_tools_configured_alike_share_a_processor(verl: ModuleType, config: dict[str, Any]) -> None:
    shared = verl._shared.shared_processor
    first, second = verl.PythonTool(config), verl.SimJupyterTool(config)
    other = verl.PythonTool({**config, "request_processor_concurrency": 2})
    assert await shared(first.judge_config) is await shared(second.judge_config)
    assert await shared(first.judge_config) is not await shared(other.judge_config)


def test_a_tool_outlives_its_event_loop(
    verl: ModuleType, config: dict[str, Any], far_judge: FakeJudge
) -> None:
    """Scripts call ``asyncio.run`` more than once."""
    tool = verl.PythonTool({**config, "host_port": far_judge.port})
    for name in ("a", "b"):
        text, _, _ = asyncio.run(execute(tool, {"code": "…", "input": name}))
        assert f"stdout: {name}\n" in text


def test_a_thread_whose_event_loop_ends_takes_nobody_elses_calls_along(
    verl: ModuleType, config: dict[str, Any], far_judge: FakeJudge
) -> None:
    """1. Two threads have calls under way, each in its own loop. 2. The first gets its answer and ends.

    Result: the other one gets its own, too.
    """
    release = {"first": threading.Event(), "second": threading.Event()}

    async def held(submission: dict[str, Any]) -> Result:
        await asyncio.to_thread(release[submission["input"]].wait, 60)
        return printed(submission, submission["input"])

    far_judge.behave = held
    tool = verl.PythonTool({**config, "host_port": far_judge.port})
    with ThreadPoolExecutor(2) as pool:
        calls = []
        for running, name in enumerate(release, 1):
            calls.append(pool.submit(asyncio.run, execute(tool, {"code": "…", "input": name})))
            asyncio.run(far_judge.until_running(running))
        for call, name in zip(calls, release, strict=True):
            release[name].set()
            assert f"stdout: {name}" in call.result(20)[0]


def test_a_loop_that_stands_still_holds_up_no_other(
    verl: ModuleType, config: dict[str, Any], far_judge: FakeJudge
) -> None:
    """Scripts use a loop by run_until_complete, from time to time, and close it at the end or never."""
    tool = verl.PythonTool({**config, "host_port": far_judge.port})
    still = asyncio.new_event_loop()
    call = {"code": "…", "input": "x"}
    assert "stdout: x" in still.run_until_complete(execute(tool, call))[0]
    assert "stdout: x" in asyncio.run(asyncio.wait_for(execute(tool, call), 20))[0]
    assert "stdout: x" in still.run_until_complete(execute(tool, call))[0]
    [processor] = [it for it in verl._shared._processors.values() if it._loop is still]
    still.run_until_complete(processor.stop())
    still.close()


def test_the_schema_is_the_configurations_or_our_own(verl: ModuleType, config: dict[str, Any]) -> None:
    given = verl.PythonTool(config, verl.OpenAIFunctionToolSchema.model_validate(SCHEMA))
    assert given.tool_schema.function.description == "Run a program."
    assert verl.PythonTool(config).name == "python_code_with_standard_io"
    assert verl.SimJupyterTool(config).get_openai_tool_schema().function.name == "jupyter_code"


def test_without_keys_the_defaults_are_the_known_ones(verl: ModuleType) -> None:
    config = verl.PythonTool({}).judge_config
    assert config.url == "http://localhost:8088"
    assert config.request_processor_batch_size == 1
    assert config.request_processor_concurrency == 1


def test_a_bad_value_is_refused_by_its_key(verl: ModuleType) -> None:
    with pytest.raises(ValidationError, match="request_processor_batch_size"):
        verl.PythonTool({"request_processor_batch_size": 0})


# SimJupyterTool


async def test_earlier_cells_go_along(jupyter_tool: Any, judge: FakeJudge) -> None:
    calls = [
        Call("jupyter_code", json.dumps({"code": "a = 1"})),
        Call("another_tool", json.dumps({"code": "b = 1"})),
        Call("jupyter_code", "not JSON"),
        Call("jupyter_code", json.dumps({"code": "c = 1", "more": 1})),
        Call("jupyter_code", json.dumps(["d = 1"])),
        Call("jupyter_code", json.dumps({"code": "e = 1"})),
    ]
    await execute(jupyter_tool, {"code": "a + e"}, history_tool_calls=calls)
    [sent] = judge.requests[0].submissions
    assert sent == {"type": "jupyter", "solution": "a + e", "history": ["a = 1", "e = 1"]}


async def test_an_agent_loop_that_passes_no_history_is_told(jupyter_tool: Any) -> None:
    with pytest.raises(ValueError, match="history_tool_calls"):
        await jupyter_tool.create()


async def test_an_instance_remembers_the_cells_it_ran(jupyter_tool: Any, judge: FakeJudge) -> None:
    instance_id, _ = await jupyter_tool.create(history_tool_calls=[])
    for code in ("a = 1", "a += 1", "a"):
        await jupyter_tool.execute(instance_id, {"code": code})
    assert judge.requests[-1].submissions[0]["history"] == ["a = 1", "a += 1"]


async def test_a_cell_that_took_the_interpreter_down_is_not_run_again(
    jupyter_tool: Any, judge: FakeJudge
) -> None:
    """Neither in its own instance nor in later ones, which an agent loop makes from its own history."""

    async def loops_time_out(submission: dict[str, Any]) -> Result:
        if "while" in submission["solution"]:
            return ended(submission, Verdict.TIME_LIMIT)
        return printed(submission, "")

    judge.behave = loops_time_out
    cells = ["a = 1", "while True: pass", "a += 1"]
    calls: list[Call] = []
    instance_id, _ = await jupyter_tool.create(history_tool_calls=[])
    for code in cells:
        await execute(jupyter_tool, {"code": code}, history_tool_calls=list(calls))
        await jupyter_tool.execute(instance_id, {"code": code})
        calls.append(Call("jupyter_code", json.dumps({"code": code})))
    judge.requests.clear()
    await execute(jupyter_tool, {"code": "a"}, history_tool_calls=calls)
    await jupyter_tool.execute(instance_id, {"code": "a"})
    assert [seen.submissions[0]["history"] for seen in judge.requests] == [["a = 1", "a += 1"]] * 2


async def test_a_cell_that_raised_keeps_its_place(jupyter_tool: Any, judge: FakeJudge) -> None:
    """What it had assigned before it raised is there for later cells."""

    async def raises(submission: dict[str, Any]) -> Result:
        return ended(submission, Verdict.RUNTIME_ERROR, exit_code=1)

    judge.behave = raises
    instance_id, _ = await jupyter_tool.create(history_tool_calls=[])
    for code in ("a = 1; 1 / 0", "a"):
        await jupyter_tool.execute(instance_id, {"code": code})
    assert judge.requests[-1].submissions[0]["history"] == ["a = 1; 1 / 0"]
