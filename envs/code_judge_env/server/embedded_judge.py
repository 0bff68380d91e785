"""A judge of the environment's own, for a laptop: ``code-judge up`` as a process beside it."""

import asyncio
import logging
import os
import re
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process

from code_judge.bound_child import bound_to_this_process

from .errors import EnvSettingsError

COMMAND = (sys.executable, "-m", "code_judge_cli.main", "up", "--port", "0")
READY = re.compile(r"is running at (\S+)")

log = logging.getLogger(__name__)


class EmbeddedJudge:
    """Start it, use it at the URL that :meth:`start` gives, stop it."""

    def __init__(self) -> None:
        self._process: Process | None = None
        self._watching: asyncio.Task[None] | None = None

    async def start(self) -> str:
        """Its URL, once it can judge. Raises EnvSettingsError where it does not come up."""
        self._process = process = await asyncio.create_subprocess_exec(
            *bound_to_this_process(COMMAND),
            stdin=DEVNULL,
            stdout=PIPE,
            start_new_session=True,  # a Ctrl-C in the terminal is the server's: sessions go first
        )
        assert process.stdout
        while line := await process.stdout.readline():
            if told := READY.search(line.decode(errors="replace")):
                self._watching = asyncio.create_task(self._watch(process))
                return told[1]
        raise EnvSettingsError(
            f"the judge beside the environment ended with code {await process.wait()}; its own message is "
            "above. Name a running one with JUDGE_URL instead."
        )

    async def stop(self) -> None:
        """End it, and wait until all its processes have left. Idempotent."""
        if self._watching:
            self._watching.cancel()
        if self._process and self._process.returncode is None:
            self._process.terminate()
            await self._process.wait()

    async def _watch(self, process: Process) -> None:
        assert process.stdout
        while await process.stdout.readline():
            pass  # so that its pipe never fills
        code = await process.wait()
        log.error("the judge beside the environment has ended (code %s): stopping", code)
        # An environment that cannot judge would only collect sessions.
        os.kill(os.getpid(), signal.SIGTERM)
