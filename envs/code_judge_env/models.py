"""What goes over the wire: the agent's action, what it observes, and the session's state."""

from typing import Any

from openenv.core.env_server.mcp_types import CallToolAction, ListToolsAction
from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field

MCP_ACTIONS: dict[str, type[Action]] = {"call_tool": CallToolAction, "list_tools": ListToolsAction}


class CodeAction(Action):
    """A piece of code to run, or to hand in. Only ``code`` is required, as in OpenEnv's ``coding_env``."""

    code: str
    language: str = "python"
    """``python`` cells share their variables for the whole episode; other languages run stand-alone."""
    stdin: str = ""
    """What the code reads. Ignored for a submission, which reads what the hidden tests give it."""
    submit: bool = False
    """Hand the code in as the answer: a whole program, judged by the hidden tests. Ends the episode."""

    @classmethod
    def model_validate(cls, obj: Any, **options: Any) -> Action:  # type: ignore[override]
        """An action out of a message. A tool call is one, too: OpenEnv lets no environment say so otherwise.

        Raises ValidationError.
        """
        if isinstance(obj, dict):
            if mcp := MCP_ACTIONS.get(str(obj.get("type"))):
                return mcp.model_validate(obj, **options)
            obj = {name: _unicode(value) for name, value in obj.items()}
        return super().model_validate(obj, **options)


def _unicode(value: Any) -> Any:
    """Text with U+FFFD for each lone surrogate: models write them, and no source file can hold them."""
    if not isinstance(value, str):
        return value
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class CodeObservation(Observation):
    """Exactly the fields of ``coding_env``: its client takes no other. The rest is in ``metadata``."""

    stdout: str = ""
    stderr: str = ""
    """With a last line of the judge's where the code was stopped, since there is no other field for it."""
    exit_code: int = 0
    """128 and the signal's number where one ended the code, as shells count."""


class CodeState(State):
    """The session. Holds nothing that the agent must not see."""

    task_id: str | None = None
    split: str | None = None
    max_steps: int | None = None
    done: bool = False
    reward: float = 0.0
    """Of the latest step, in [0, 1]."""
    submitted: bool = False
    tests_passed: int | None = None
    """After a submission."""
    tests_total: int | None = None
    last_exit_code: int = 0
    last_verdict: str | None = None
    cells: int = Field(default=0, ge=0)
    """Python cells whose variables are there."""
