"""Runs a notebook's cell after the cells before it."""

import hashlib
import json
from typing import Any

from code_judge.contract import Result, Verdict

from ._code_judge_tool import CodeJudgeTool, parameter
from ._types import OpenAIFunctionToolSchema, ToolResponse, rollout_trace_op

SCHEMA = {
    "type": "function",
    "function": {
        "name": "jupyter_code",
        "description": "Runs a Jupyter cell after the cells of earlier calls and returns its output.",
        "parameters": {
            "type": "object",
            "properties": {"code": {"type": "string", "description": "The cell."}},
            "required": ["code"],
        },
    },
}

REMEMBERED_CELLS = 100_000
"""Cells that ended their interpreters, the latest of all trajectories; 32 bytes each."""


class SimJupyterTool(CodeJudgeTool):
    """The tool ``jupyter_code``: parameter ``code``, the cell's text.

    ``create`` needs ``history_tool_calls``: the trajectory's earlier calls of any tool, objects with
    ``name`` and JSON ``arguments``. Each cell runs in a fresh interpreter in which the earlier ones were
    run again. One that took its interpreter down or ran out of time is left out of that: it would do so
    again in every later call.
    """

    default_schema = SCHEMA

    def __init__(self, config: dict[str, Any], tool_schema: OpenAIFunctionToolSchema | None = None) -> None:
        super().__init__(config, tool_schema)
        self._deadly: dict[bytes, None] = {}
        """Digests of cells with all that ran before them; a dict, since it keeps their order."""

    async def create(self, instance_id: str | None = None, **kwargs: Any) -> tuple[str, ToolResponse]:
        """Begin with the cells of earlier calls. Raises ValueError where they are not given."""
        calls = kwargs.get("history_tool_calls", kwargs.get("create_kwargs", {}).get("history_tool_calls"))
        if calls is None:
            raise ValueError(
                "SimJupyterTool.create() needs history_tool_calls, the trajectory's earlier tool calls; "
                "the agent loop must pass them (an empty list for the first call)"
            )
        instance_id, response = await super().create(instance_id)
        cells = [code for call in calls if call.name == self.name and (code := _code_of(call)) is not None]
        self._instance_dict[instance_id]["history"] = self._without_deadly(cells)
        return instance_id, response

    @rollout_trace_op
    async def execute(
        self, instance_id: str, parameters: dict[str, Any], **_kwargs: Any
    ) -> tuple[ToolResponse, float, dict[str, Any]]:
        """Run the cell. The text's format is in ``_text.py``."""
        history = self._instance_dict[instance_id]["history"]
        code = parameter(parameters, "code")
        result = await self._run({"type": "jupyter", "solution": code, "history": list(history)})
        if _took_interpreter_down(result):
            self._remember(_digest(history, code))
        elif result.run_success or result.verdict is Verdict.RUNTIME_ERROR:
            history.append(code)
        return self._answer(instance_id, result)

    def _without_deadly(self, cells: list[str]) -> list[str]:
        kept: list[str] = []
        for code in cells:
            if _digest(kept, code) not in self._deadly:
                kept.append(code)
        return kept

    def _remember(self, digest: bytes) -> None:
        self._deadly[digest] = None
        if len(self._deadly) > REMEMBERED_CELLS:
            del self._deadly[next(iter(self._deadly))]


def _code_of(call: Any) -> str | None:
    """A call's cell; None where its arguments are not what the tool takes."""
    try:
        arguments = call.arguments if isinstance(call.arguments, dict) else json.loads(call.arguments)
    except (TypeError, ValueError):
        return None
    code = arguments.get("code") if isinstance(arguments, dict) and len(arguments) == 1 else None
    return code if isinstance(code, str) else None


def _took_interpreter_down(result: Result) -> bool:
    limits = (Verdict.TIME_LIMIT, Verdict.MEMORY_LIMIT, Verdict.OUTPUT_LIMIT)
    return result.verdict in limits or result.signal is not None


def _digest(history: list[str], code: str) -> bytes:
    return hashlib.sha256(json.dumps([*history, code]).encode()).digest()
