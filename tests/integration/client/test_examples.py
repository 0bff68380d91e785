"""The examples do what they say, against a whole judge."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from code_judge_cli.local_judge import LocalJudge
from code_judge_client.verl import (
    CodeJudgeRewardManager,
    OpenAIFunctionToolSchema,
    PythonTool,
    SimJupyterTool,
)

EXAMPLES = Path(__file__).parents[3] / "examples"
pytestmark = pytest.mark.needs_redis


def output_of(example: str, url: str) -> str:
    command = [sys.executable, str(EXAMPLES / example), url]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_the_tool_loop_finds_its_answers(real_judge: LocalJudge) -> None:
    lines = output_of("tool_loop.py", real_judge.url).splitlines()
    assert lines[0] == "first square above 10: 16"
    assert lines[-1] == "first square above 55: 64"


def test_the_evaluation_tells_right_samples_from_wrong_ones(real_judge: LocalJudge) -> None:
    lines = output_of("evaluation.py", real_judge.url).splitlines()
    assert "sample 0: accepted, 3 of 3 tests passed" in lines
    assert "sample 1: accepted, 3 of 3 tests passed" in lines
    assert "sample 2: wrong_answer, 1 of 3 tests passed" in lines
    assert lines[-1] == "3 wrong_answer, 2 accepted"


def test_the_notebooks_cells_see_what_earlier_ones_defined(real_judge: LocalJudge) -> None:
    output = output_of("notebook_agent.py", real_judge.url)
    first, second, third, fourth = output.split("In [")[1:]
    assert "stdout" not in first
    assert "Tool call success\nstdout: 13.75" in second
    assert "Tool call failure\nreason: runtime_error" in third
    assert 'File "<cell 3>", line 1' in third
    assert "ZeroDivisionError" in third
    assert "Tool call success\nstdout: 4.58" in fourth


def tool_configs() -> list[dict[str, Any]]:
    text = (EXAMPLES / "verl" / "tool_config.yaml").read_text()
    tools: list[dict[str, Any]] = yaml.safe_load(text)["tools"]
    return tools


def test_the_verl_configuration_makes_both_tools() -> None:
    classes = {f"code_judge_client.verl.{it.__name__}": it for it in (PythonTool, SimJupyterTool)}
    for entry in tool_configs():
        schema = entry.get("tool_schema")
        tool = classes[entry["class_name"]](
            entry["config"], schema and OpenAIFunctionToolSchema.model_validate(schema)
        )
        assert tool.judge_config.request_processor_concurrency == 8


async def test_the_verl_configuration_works_as_it_is(real_judge: LocalJudge) -> None:
    entry = tool_configs()[0]
    port = real_judge.url.rpartition(":")[2]
    tool = PythonTool({**entry["config"], "host_addr": "127.0.0.1", "host_port": port})
    instance_id, _ = await tool.create()
    answer, _, _ = await tool.execute(instance_id, {"code": "print(input() * 2)", "input": "ab"})
    assert answer.text
    assert answer.text.startswith("Tool call success\nstdout: abab\n")


async def test_the_scoring_function_works_as_it_is(real_judge: LocalJudge) -> None:
    manager = CodeJudgeRewardManager(
        tokenizer=None,
        scoring_file=str(EXAMPLES / "verl" / "scoring.py"),
        host_addr="127.0.0.1",
        host_port=real_judge.url.rpartition(":")[2],
    )
    for response, score in (("so \\boxed{42}", 1.0), ("\\boxed{42} or \\boxed{41}", 0.0)):
        answer = await manager.run_single([_Response(response)])
        assert answer["reward_extra_info"] == {"acc": score, "judged": 1.0}


class _Response:
    def __init__(self, text: str) -> None:
        self.non_tensor_batch = {"response_text": text, "reward_model": {"ground_truth": "42"}}
