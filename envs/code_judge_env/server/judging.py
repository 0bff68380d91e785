"""The way to the judge: one request processor per process, for all its sessions."""

from types import TracebackType
from typing import Self

from code_judge.contract import Result, Submission
from code_judge_client import (
    AccessDenied,
    Batching,
    JudgeClientError,
    JudgeTimeout,
    JudgeUnavailable,
    RequestProcessor,
)

from .embedded_judge import EmbeddedJudge
from .errors import JudgeFailed
from .settings import EnvSettings

SAFE_TO_TELL = (JudgeTimeout, JudgeUnavailable, AccessDenied)
"""Errors whose text cannot quote a submission, and with it a hidden test."""


class Judging:
    """Runs the steps of all sessions; ``async with`` starts and stops it."""

    def __init__(self, settings: EnvSettings) -> None:
        self._settings = settings
        self._embedded: EmbeddedJudge | None = None
        self._processor: RequestProcessor | None = None

    async def __aenter__(self) -> Self:
        """Raises EnvSettingsError where no judge can be started."""
        url = self._settings.judge_url
        if not url:
            self._embedded = EmbeddedJudge()
            url = await self._embedded.start()
        key = self._settings.api_key
        self._processor = RequestProcessor(
            url,
            api_key=key.get_secret_value() if key else None,
            batching=Batching(
                concurrency=self._settings.judge_senders, batch_size=self._settings.judge_batch_size
            ),
        )
        await self._processor.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # Sessions are gone by now. What still runs has nobody to wait for it.
        if self._processor:
            await self._processor.stop(drain=False)
        if self._embedded:
            await self._embedded.stop()

    async def run(self, submission: Submission) -> Result:
        """Its result. Cancelling the call cancels the run. Raises JudgeFailed."""
        if self._processor is None:
            raise JudgeFailed("the judge is not started")
        try:
            return await self._processor.send_request(submission, self._settings.step_timeout)
        except JudgeClientError as error:
            told = f": {error}" if isinstance(error, SAFE_TO_TELL) else ""
            raise JudgeFailed(f"{type(error).__name__}{told}") from None
