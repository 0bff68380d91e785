"""verl's own types where verl is installed, equal ones where it is not."""

from typing import TYPE_CHECKING

from ._stand_ins import BaseTool, OpenAIFunctionToolSchema, ToolResponse, rollout_trace_op

if not TYPE_CHECKING:
    try:
        from verl.tools.base_tool import BaseTool
        from verl.tools.schemas import OpenAIFunctionToolSchema, ToolResponse
        from verl.utils.rollout_trace import rollout_trace_op
    except ImportError:
        pass

__all__ = ["BaseTool", "OpenAIFunctionToolSchema", "ToolResponse", "rollout_trace_op"]
