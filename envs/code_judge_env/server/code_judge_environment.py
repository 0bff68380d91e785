"""A session: OpenEnv's environment, as a thin layer over an episode and the judge."""

import asyncio
import uuid
from typing import Any

from openenv.core.env_server.interfaces import Environment, Transform
from openenv.core.env_server.mcp_types import (
    CallToolAction,
    CallToolObservation,
    ListToolsAction,
    ListToolsObservation,
    ToolError,
    ToolErrorType,
)
from openenv.core.env_server.types import Action, EnvironmentMetadata, Observation

from code_judge import __version__
from code_judge.contract import Result, Submission
from code_judge_env.models import CodeAction, CodeObservation, CodeState

from .connection import Connection
from .episode import Episode, Rules
from .errors import EnvError, SessionClosed, StepRefused
from .judging import Judging
from .tasks import Task, TaskSet
from .tools import TOOLS, Toolbox, checked, shown

NAME = "code_judge_env"
DESCRIPTION = "Write Python and C++ against hidden tests, in the sandbox of a code judge."


class CodeJudgeEnvironment(Environment[Action, Observation, CodeState]):
    """One session. Nothing of it outlives :meth:`close`; nothing of it is another session's."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(
        self, judging: Judging, tasks: TaskSet, rules: Rules, transform: Transform[Observation] | None = None
    ) -> None:
        """Called in a thread, so nothing here may need the event loop. Raises EnvSettingsError."""
        super().__init__(transform=transform)
        self._judging = judging
        self._tasks = tasks
        self._rules = rules
        self._episode: Episode | None = None
        self._closed = False
        self._turn = asyncio.Lock()
        """One step at a time: an MCP session may be used over HTTP and a socket at once."""
        self._running: asyncio.Task[Result] | None = None
        self._connection: Connection | None = None
        self.mcp_client = Toolbox(checked(TOOLS), self._act)

    # The trainer's side

    async def reset_async(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        split: str | None = None,
        index: int | None = None,
        task_id: str | None = None,
        **_unknown: Any,
    ) -> CodeObservation:
        """Begin an episode: with the task of this id, with the one at this index of the split, or with one
        drawn by the seed. Names that are not known are ignored: trainers pass whole rows of their datasets.

        Raises TaskNotFound, SessionClosed.
        """
        async with self._turn:
            self._look_alive()
            task = self._task(seed, split, index, task_id)
            self._episode = Episode(task, self._rules, episode_id or str(uuid.uuid4()))
            return self._episode.first()

    async def step_async(
        self,
        action: Action,
        timeout_s: float | None = None,  # noqa: ARG002 - OpenEnv's name
        **_unknown: Any,
    ) -> Observation:
        """Run, hand in, or use a tool. ``timeout_s`` is ignored: OpenEnv passes none over ``/ws``.

        Raises StepRefused, JudgeFailed, SessionClosed; the session is then as it was.
        """
        match action:
            case ListToolsAction():
                return ListToolsObservation(tools=self.mcp_client.offered(), reward=0.0, done=self.state.done)
            case CallToolAction():
                return await self._call_tool(action)
            case CodeAction():
                return await self._act(action)
        raise StepRefused(f"a step is a CodeAction or a tool call, not {type(action).__name__}")

    @property
    def state(self) -> CodeState:
        """The episode's state; an empty one before the first reset."""
        return self._episode.state if self._episode else CodeState()

    def close(self) -> None:
        """End the session, with a run that is under way. From any thread."""
        self._closed = True
        if task := self._running:
            task.get_loop().call_soon_threadsafe(task.cancel)
        if self._connection:
            self._connection.hang_up()

    def reset(self, *_: Any, **__: Any) -> CodeObservation:
        """Not offered: OpenEnv's server uses the asynchronous one."""
        raise StepRefused("use reset_async()")

    def step(self, *_: Any, **__: Any) -> Observation:
        """Likewise."""
        raise StepRefused("use step_async()")

    def get_metadata(self) -> EnvironmentMetadata:
        return EnvironmentMetadata(name=NAME, description=DESCRIPTION, version=__version__)

    # Tasks, without their tests

    def list_splits(self) -> list[str]:
        return self._tasks.splits

    def list_tasks(self, split: str) -> list[dict[str, Any]]:
        return [task.public for task in self._tasks.split(split)]

    def num_tasks(self, split: str) -> int:
        return len(self._tasks.split(split))

    def get_task(self, split: str, index: int) -> dict[str, Any]:
        return self._tasks.at(split, index).public

    def get_task_range(
        self, split: str, start: int | None = None, stop: int | None = None
    ) -> list[dict[str, Any]]:
        return [task.public for task in self._tasks.split(split)[start:stop]]

    # How

    def _task(self, seed: int | None, split: str | None, index: int | None, task_id: str | None) -> Task:
        if task_id is not None:
            return self._tasks.named(task_id)
        if index is not None:
            return self._tasks.at(split or self._tasks.splits[0], index)
        return self._tasks.drawn(split, seed)

    async def _act(self, action: CodeAction) -> CodeObservation:
        async with self._turn:
            self._look_alive()
            if self._episode is None:
                raise StepRefused("no episode has begun: reset() first")
            result = await self._run(self._episode.asks(action))
            seen = self._rewarded(self._episode.sees(action, result))
            self._episode.take(action, result, seen)
            return seen

    def _look_alive(self) -> None:
        if self._closed:
            raise SessionClosed("this session is closed, for its silence or by its client: connect anew")
        self._connection = Connection.current() or self._connection

    async def _run(self, submission: Submission) -> Result:
        """Raises JudgeFailed, SessionClosed where the client left or the session was closed meanwhile."""
        self._running = running = asyncio.create_task(self._judging.run(submission))
        connection = Connection.current()
        try:
            if connection is None:
                return await running
            with connection.on_leave(running.cancel):
                return await running
        except asyncio.CancelledError:
            if asyncio.current_task().cancelling():  # type: ignore[union-attr]
                raise
            raise SessionClosed("the session ended while the step ran") from None
        finally:
            self._running = None

    def _rewarded(self, seen: CodeObservation) -> CodeObservation:
        changed = self._apply_transform(seen)
        reward = changed.reward
        if not isinstance(changed, CodeObservation) or reward is None or not 0 <= reward <= 1:
            raise EnvError(f"TRANSFORM made the reward {reward!r}; a CodeObservation needs one in [0, 1]")
        changed.reward = float(reward)
        return changed

    async def _call_tool(self, action: CallToolAction) -> CallToolObservation:
        name = action.tool_name
        try:
            code = self.mcp_client.action(name, action.arguments)
        except StepRefused as error:  # the agent's mistake, which it should see
            wrong = ToolError(error_type=ToolErrorType.INVALID_ARGS, message=str(error))
            return CallToolObservation(tool_name=name, error=wrong, reward=0.0, done=self.state.done)
        seen = await self._act(code)
        return CallToolObservation(
            tool_name=name, result=shown(seen), reward=seen.reward, done=seen.done, metadata=seen.metadata
        )
