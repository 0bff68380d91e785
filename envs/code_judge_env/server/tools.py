"""The agent's side: tools, by the Model Context Protocol. An agent has no other way in, and never resets."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any, Self

from openenv.core.env_server.mcp_types import RESERVED_TOOL_NAMES, Tool
from openenv.core.env_server.types import Observation
from pydantic import BaseModel, ConfigDict, ValidationError

from code_judge_env.models import CodeAction, CodeObservation

from .errors import EnvSettingsError, StepRefused


class RunArguments(BaseModel):
    """Arguments of the tools that run code."""

    model_config = ConfigDict(extra="forbid")

    code: str
    stdin: str = ""


class SubmitArguments(BaseModel):
    """Arguments of the tool that hands in the answer."""

    model_config = ConfigDict(extra="forbid")

    code: str
    language: str = "python"


@dataclass(frozen=True, slots=True)
class CodeTool:
    """One tool: a step with some fields given."""

    name: str
    description: str
    arguments: type[BaseModel]
    given: dict[str, Any]

    def action(self, arguments: dict[str, Any]) -> CodeAction:
        """The step that a call stands for. Raises StepRefused naming the argument at fault."""
        try:
            fields = self.arguments.model_validate(arguments).model_dump()
        except ValidationError as error:
            problem = error.errors(include_input=False)[0]
            raise StepRefused(f"{self.name}: {problem['loc'][0]}: {problem['msg']}") from None
        action = CodeAction.model_validate({**fields, **self.given})
        assert isinstance(action, CodeAction)
        return action

    @property
    def schema(self) -> dict[str, Any]:
        """JSON schema of its arguments."""
        return self.arguments.model_json_schema()


TOOLS = (
    CodeTool(
        "run_python",
        "Run a Python cell. Variables of earlier cells are there; a last expression is shown. A cell that "
        "runs out of time or memory is undone.",
        RunArguments,
        {"language": "python"},
    ),
    CodeTool(
        "run_cpp",
        "Compile and run a whole C++ program, apart from all others.",
        RunArguments,
        {"language": "cpp"},
    ),
    CodeTool(
        "submit",
        "Hand in a whole program, or the function that was asked for, as the answer. It is judged by hidden "
        "tests, and the episode is over.",
        SubmitArguments,
        {"submit": True},
    ),
)


def checked(tools: Iterable[CodeTool]) -> dict[str, CodeTool]:
    """The tools by name. Raises EnvSettingsError for a name that OpenEnv keeps for its trainers' side."""
    by_name = {tool.name: tool for tool in tools}
    if reserved := sorted(RESERVED_TOOL_NAMES & by_name.keys()):
        raise EnvSettingsError(f"no tool may be called {', '.join(reserved)}: those names are OpenEnv's own")
    return by_name


Act = Callable[[CodeAction], Awaitable[CodeObservation]]


class Toolbox:
    """A session's tools, in the form of the MCP client that OpenEnv asks for tools.

    Not a FastMCP server: making one takes 30 ms for each session, and a call of one a thread.
    """

    def __init__(self, tools: dict[str, CodeTool], act: Act) -> None:
        self._tools = tools
        self._act = act

    def offered(self) -> list[Tool]:
        """For a step that lists tools."""
        return [
            Tool(name=tool.name, description=tool.description, input_schema=tool.schema)
            for tool in self._tools.values()
        ]

    def action(self, name: str, arguments: dict[str, Any]) -> CodeAction:
        """The step that a call stands for. Raises StepRefused."""
        if name not in self._tools:
            raise StepRefused(f"no tool {name!r}; there are: {', '.join(self._tools)}")
        return self._tools[name].action(arguments)

    # What OpenEnv calls for messages of type mcp

    def is_connected(self) -> bool:
        return True

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None: ...

    async def list_tools(self) -> list[dict[str, Any]]:
        """As MCP spells them."""
        return [
            {"name": tool.name, "description": tool.description, "inputSchema": tool.input_schema}
            for tool in self.offered()
        ]

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Raises StepRefused, JudgeFailed, SessionClosed: OpenEnv answers with a JSON-RPC error."""
        return shown(await self._act(self.action(name, arguments)))


def shown(seen: Observation) -> dict[str, Any]:
    """What the agent is told of a step by a tool: its reward is the trainer's to know."""
    return seen.model_dump(include={"stdout", "stderr", "exit_code", "done"})
