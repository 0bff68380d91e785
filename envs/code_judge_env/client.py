"""The client. Needs ``openenv`` and nothing of the server."""

import asyncio
import random
import re
from typing import Any

from openenv.core.client_types import StepResult
from openenv.core.env_client import EnvClient
from websockets.exceptions import ConnectionClosed

from .models import CodeAction, CodeObservation, CodeState

JUDGE_FAILED = "JUDGE_FAILED"
"""Begins the server's message where sending the same step again is the right thing to do."""
MESSAGE_TIMEOUT_S = 90.0
"""Above the server's STEP_TIMEOUT, so that its own answer comes first."""
CAPACITY_REACHED = "CAPACITY_REACHED"
FIRST_PAUSE_S = 0.25
LONGEST_PAUSE_S = 8.0


class EnvServerError(RuntimeError):
    """Raised where the server answers with an error; its text is the server's."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message, code)
        self.code = code
        """OpenEnv's: ``EXECUTION_ERROR``, ``CAPACITY_REACHED``, …"""

    def __str__(self) -> str:
        return str(self.args[0])

    @property
    def is_capacity(self) -> bool:
        """All sessions of the server are taken."""
        return self.code == CAPACITY_REACHED

    @property
    def is_judge(self) -> bool:
        """The judge failed, and the session is as it was."""
        return JUDGE_FAILED in str(self)


class CodeJudgeEnv(EnvClient[CodeAction, CodeObservation, CodeState]):
    """One session of the environment.

    ::

        async with CodeJudgeEnv("http://envs:8000") as env:
            await env.reset(split="train", seed=7)
            result = await env.step(CodeAction(code="print(6 * 7)"))

    Without an event loop, ``with CodeJudgeEnv(url).sync() as env:`` and no ``await``. While the server has no
    session free, ``reset`` waits for one; a step that the judge failed at is sent again.
    """

    def __init__(
        self,
        base_url: str | None = None,
        *,
        message_timeout_s: float = MESSAGE_TIMEOUT_S,
        patience_s: float = 120.0,
        **options: Any,
    ) -> None:
        """``patience_s``: how long a call goes on trying where the server is full or the judge fails. The
        ``options`` are those of ``EnvClient``."""
        super().__init__(base_url=base_url, message_timeout_s=message_timeout_s, **options)
        self._patience_s = patience_s

    # Calls: what both the asynchronous and the synchronous client come through

    async def _reset_async(self, **kwargs: Any) -> StepResult[CodeObservation]:
        """Begin an episode. Raises EnvServerError, ConnectionError."""
        return await self._patiently(lambda: super(CodeJudgeEnv, self)._reset_async(**kwargs))

    async def _step_async(self, action: CodeAction, **kwargs: Any) -> StepResult[CodeObservation]:
        """Run or hand in some code. Raises EnvServerError."""
        return await self._patiently(lambda: super(CodeJudgeEnv, self)._step_async(action, **kwargs))

    async def _patiently(self, call: Any) -> StepResult[CodeObservation]:
        clock = asyncio.get_running_loop().time
        deadline, pause_s = clock() + self._patience_s, FIRST_PAUSE_S
        while True:
            try:
                result: StepResult[CodeObservation] = await call()
                return result
            except EnvServerError as error:
                wait_s = pause_s * random.uniform(0.5, 1.5)  # so that not all come back at once
                if not (error.is_capacity or error.is_judge) or clock() + wait_s > deadline:
                    raise
                if error.is_capacity:
                    await self._disconnect_async()  # the server closes this connection, too
            await asyncio.sleep(wait_s)
            pause_s = min(2 * pause_s, LONGEST_PAUSE_S)

    async def _send_and_receive(self, message: dict[str, Any]) -> dict[str, Any]:
        try:
            answer: dict[str, Any] = await super()._send_and_receive(message)
        except ConnectionClosed:
            # A server that is full says so and closes; older clients do not look for its last words.
            answer = await self._receive()
            data = answer.get("data", {})
            raise EnvServerError(data.get("message", ""), data.get("code", "")) from None
        except RuntimeError as error:
            told = re.fullmatch(r"Server error: (.*) \(code: (\w+)\)", str(error), re.DOTALL)
            if told is None:
                raise
            raise EnvServerError(*told.groups()) from None
        return answer

    # What is in the messages

    def _step_payload(self, action: CodeAction) -> dict[str, Any]:
        return action.model_dump(exclude_defaults=True)

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[CodeObservation]:
        reward, done = payload.get("reward"), payload.get("done", False)
        observation = CodeObservation(**payload["observation"], reward=reward, done=done)
        return StepResult(observation, reward=reward, done=done, metadata=observation.metadata)

    def _parse_state(self, payload: dict[str, Any]) -> CodeState:
        return CodeState(**payload)
