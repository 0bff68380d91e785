"""The types of verl that the tools speak, for where verl is not installed.

Equal in fields and methods to those of verl 0.9 (``verl/tools/base_tool.py`` and ``schemas.py``); a test
compares them with the real files.
"""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar
from uuid import uuid4

from pydantic import BaseModel, Field

Execute = TypeVar("Execute", bound=Callable[..., Awaitable[Any]])


class OpenAIFunctionPropertySchema(BaseModel):
    """One parameter of a tool."""

    type: str | list[str]
    description: str | None = None
    enum: list[Any] | None = None


class OpenAIFunctionParametersSchema(BaseModel):
    """A tool's parameters."""

    type: str
    properties: dict[str, OpenAIFunctionPropertySchema]
    required: list[str] = Field(default_factory=list)


class OpenAIFunctionSchema(BaseModel):
    """A tool as the model sees it."""

    name: str
    description: str
    parameters: OpenAIFunctionParametersSchema = Field(
        default_factory=lambda: OpenAIFunctionParametersSchema(type="object", properties={})
    )
    strict: bool = False


class OpenAIFunctionToolSchema(BaseModel):
    """The same, wrapped as OpenAI's interface wants it."""

    type: str
    function: OpenAIFunctionSchema


class ToolResponse(BaseModel):
    """What a tool answers."""

    text: str | None = None
    image: list[Any] | None = None
    video: list[Any] | None = None

    def is_empty(self) -> bool:
        return not (self.text or self.image or self.video)

    def is_text_only(self) -> bool:
        return bool(self.text) and not (self.image or self.video)


class BaseTool:
    """What verl's agent loops call."""

    def __init__(self, config: dict[str, Any], tool_schema: OpenAIFunctionToolSchema | None) -> None:
        self.config = config
        self.tool_schema = tool_schema or self.get_openai_tool_schema()
        self.name = self.tool_schema.function.name

    def get_openai_tool_schema(self) -> OpenAIFunctionToolSchema:
        return self.tool_schema

    async def create(self, instance_id: str | None = None, **_kwargs: Any) -> tuple[str, ToolResponse]:
        return instance_id or str(uuid4()), ToolResponse()

    async def execute(
        self, instance_id: str, parameters: dict[str, Any], **_kwargs: Any
    ) -> tuple[ToolResponse, float, dict[str, Any]]:
        raise NotImplementedError

    async def calc_reward(self, instance_id: str, **_kwargs: Any) -> float:
        raise NotImplementedError

    async def release(self, instance_id: str, **_kwargs: Any) -> None:
        raise NotImplementedError


def rollout_trace_op(function: Execute) -> Execute:
    """verl's traces calls where tracing is on; without verl there is nothing to trace them to."""
    return function
