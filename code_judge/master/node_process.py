"""The worker node that RUN_WORKERS=1 starts beside the master, for small set-ups."""

import asyncio
import logging
import multiprocessing
import os
import socket
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from code_judge.bound_child import bound_to_this_process
from code_judge.settings import Settings

log = logging.getLogger(__name__)

NODE_COMMAND = (sys.executable, "-m", "code_judge_workers.main")
RETRY_S = 1.0
"""Between two tries to become the process that runs the node, and before the first replacement of one that
ended; doubles with each."""
LONGEST_PAUSE_S = 60.0
LEAVING_S = 5.0
"""What a node gets beside its own grace time before it is killed."""


@asynccontextmanager
async def node_beside_master(settings: Settings) -> AsyncIterator[None]:
    """Run a node for as long as the master runs, where the settings ask for one."""
    if not settings.run_workers:
        yield
        return
    task = asyncio.create_task(NodeProcess(settings.worker_grace_time + LEAVING_S).keep_running())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


class NodeProcess:
    """Keeps one node running per uvicorn parent, however many processes that has.

    Whichever process holds the lock runs the node; when it ends, another takes over.
    """

    def __init__(self, grace_time_s: float, command: Sequence[str] = NODE_COMMAND) -> None:
        self._grace_time_s = grace_time_s
        self._command = command

    async def keep_running(self) -> None:
        """Run the node until cancelled; then stop it, letting its runs finish within the grace time."""
        with _Lock() as lock:
            while not lock.acquired():  # noqa: ASYNC110 - its holder's end tells nobody
                await asyncio.sleep(RETRY_S)
            pause_s = RETRY_S
            while True:
                code = await self._run()
                log.warning("the worker node has ended with %d; another starts in %g s", code, pause_s)
                await asyncio.sleep(pause_s)
                pause_s = min(pause_s * 2, LONGEST_PAUSE_S)  # it may end at every start: a bad setting

    async def _run(self) -> int:
        # In a session of its own: Ctrl-C must stop the master first, which still needs the node's answers.
        process = await asyncio.create_subprocess_exec(
            *bound_to_this_process(self._command), start_new_session=True
        )
        try:
            return await process.wait()
        finally:
            if process.returncode is None:
                await self._stop(process)

    async def _stop(self, process: asyncio.subprocess.Process) -> None:
        process.terminate()
        try:
            await asyncio.wait_for(process.wait(), self._grace_time_s)
        except TimeoutError:
            process.kill()
            await process.wait()


class _Lock:
    """Held by one of a uvicorn parent's processes.

    It is a name among Linux's abstract sockets: gone with its holder, and nothing is left on a disk.
    """

    def __init__(self) -> None:
        parent = multiprocessing.parent_process()  # uvicorn's supervisor; None without --workers
        self._name = f"\0code-judge-node-{parent.pid if parent else os.getpid()}"
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)

    def acquired(self) -> bool:
        """Try to take it."""
        try:
            self._socket.bind(self._name)
        except OSError:
            return False
        return True

    def __enter__(self) -> "_Lock":
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()
