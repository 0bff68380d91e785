"""Runs a Python program with its standard input."""

from typing import Any

from ._code_judge_tool import CodeJudgeTool, parameter
from ._types import ToolResponse, rollout_trace_op

SCHEMA = {
    "type": "function",
    "function": {
        "name": "python_code_with_standard_io",
        "description": "Runs a Python program and returns what it prints.",
        "parameters": {
            "type": "object",
            "properties": {
                "code": {"type": "string", "description": "The whole program."},
                "input": {"type": "string", "description": "What it reads from standard input."},
            },
            "required": ["code", "input"],
        },
    },
}


class PythonTool(CodeJudgeTool):
    """The tool ``python_code_with_standard_io``: parameters ``code`` and ``input``, both text."""

    default_schema = SCHEMA

    @rollout_trace_op
    async def execute(
        self, instance_id: str, parameters: dict[str, Any], **_kwargs: Any
    ) -> tuple[ToolResponse, float, dict[str, Any]]:
        """Run the program. The text's format is in ``_text.py``."""
        fields = {
            "type": "python",
            "solution": parameter(parameters, "code"),
            "input": parameter(parameters, "input"),
        }
        return self._answer(instance_id, await self._run(fields))
