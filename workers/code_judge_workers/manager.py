"""One worker node: its threads, from the first to the last.

::

              claim                     run                      complete
    Redis ───────────▶ Claimer ──▶ Workload ◀──▶ Worker × MAX_WORKERS ──▶ Executor
      ▲                               │  ▲
      │                               ▼  │ cancel
      └───────────────────────── Reporter, Heartbeat ◀──▶ Redis
"""

import logging
import os
import socket
import threading
import time
from collections.abc import Callable

from code_judge import __version__
from code_judge.contract import NodeInfo
from code_judge.errors import QueueUnavailable, SettingsError
from code_judge.queue import NodeQueue
from code_judge.settings import Settings
from code_judge.tracing import NoTracing, Tracing

from .claimer import CLAIM_WAIT_S, Claimer, give_back
from .error_cases import ErrorCases
from .executor import Executor
from .exit_codes import NodeExit
from .heartbeat import Heartbeat
from .reporter import Reporter
from .worker import Worker
from .workload import Workload

log = logging.getLogger(__name__)

LEAVING_S = 3.0
"""How long each of the last words to Redis may take when the node leaves, in seconds."""


class WorkerManager:
    """Runs one node: ``run`` until ``drain`` or ``kill`` is called from another thread."""

    def __init__(
        self,
        settings: Settings,
        node_name: str,
        queue: NodeQueue,
        executor: Executor,
        tracing: Tracing | None = None,
    ) -> None:
        self._settings = settings
        self._name = node_name
        self._queue = queue
        self._executor = executor
        self._tracing = tracing or NoTracing()
        self._started_at = time.time()
        self._stop_asked = threading.Event()
        self._exit = NodeExit.LEFT
        self._workload = Workload(settings.max_workers)
        error_cases = ErrorCases(settings.error_case_save_path)
        self._workers = [
            Worker(
                index,
                node_name=node_name,
                workload=self._workload,
                executor=executor,
                error_cases=error_cases,
                tracing=self._tracing,
                on_failure=self._fail,
            )
            for index in range(settings.max_workers)
        ]
        self._reporter = Reporter(queue, self._workload, self._fail)
        self._heartbeat = Heartbeat(
            queue, self._workload, self._describe, settings.heartbeat_interval, self.drain, self._fail
        )
        self._claimer = Claimer(queue, self._workload, self._fail)

    def run(self) -> NodeExit:
        """Start, work until asked to stop, stop. Raises what the executor's start raises, SettingsError."""
        self._start()
        self._stop_asked.wait()
        return self._stop()

    def drain(self) -> None:
        """Claim nothing more, let runs finish within WORKER_GRACE_TIME, then leave. Idempotent."""
        if not self._stop_asked.is_set():
            log.info("draining: %d items in hand", self._workload.busy)
        self._stop_asked.set()

    def kill(self) -> None:
        """Leave at once: kill the runs and give them back."""
        log.info("killing %d items", self._workload.busy)
        self._exit = NodeExit.FORCED
        self._workload.close()
        self._give_back_rest()
        self._stop_asked.set()

    def _start(self) -> None:
        # The executor forks its launcher, and must do so before there are threads.
        self._executor.start()
        try:
            # Claims come last: what they bring needs all the others.
            for thread in (*self._workers, self._reporter, self._heartbeat, self._claimer):
                thread.start()
        except RuntimeError as error:
            self._executor.stop()
            raise SettingsError(
                f"MAX_WORKERS={self._settings.max_workers}: this machine refused to start so many threads "
                f"({error}); lower it, or raise the limit on processes and threads"
            ) from None
        log.info("node %s: %d workers, sandbox %s", self._name, len(self._workers), self._executor.tier)

    def _stop(self) -> NodeExit:
        # Nothing new comes in; what a claim under way brings is given back by the claimer.
        self._workload.close()
        # Heartbeats go on meanwhile: leases must not lapse under runs that will finish.
        self._workload.wait_idle(self._settings.worker_grace_time)
        self._give_back_rest()
        self._claimer.join(CLAIM_WAIT_S + LEAVING_S)
        # After the last worker has handed its result over.
        delivered = self._reporter.stop(LEAVING_S)
        # Before the node deregisters: a late beat would register it anew.
        self._heartbeat.stop(LEAVING_S)
        self._last_word(self._deregister)
        # Last, since whatever it kills has been answered or given back.
        self._workload.dismiss_workers()
        self._executor.stop()
        self._queue.close()
        self._last_word(self._tracing.close)
        return self._exit if delivered else NodeExit.UNDELIVERED

    def _fail(self) -> None:
        """A thread has ended that should not have: leave as if asked to, but say so."""
        self._exit = NodeExit.FAILED
        self._stop_asked.set()

    def _give_back_rest(self) -> None:
        if items := self._workload.take_back():
            self._last_word(lambda: give_back(self._queue, items))

    def _last_word(self, say: Callable[[], None]) -> None:
        """Say it to Redis, but do not wait for one that hangs: leases and registration lapse unasked, too."""
        thread = threading.Thread(target=say, daemon=True)
        thread.start()
        thread.join(LEAVING_S)

    def _deregister(self) -> None:
        try:
            self._queue.deregister()
        except QueueUnavailable as error:
            log.warning("could not deregister; the registration lapses by itself: %s", error)

    def _describe(self) -> NodeInfo:
        return NodeInfo(
            name=self._name,
            host=socket.gethostname(),
            pid=os.getpid(),
            version=__version__,
            started_at=self._started_at,
            slots=sum(worker.is_alive() for worker in self._workers),
            busy=self._workload.busy,
            draining=self._stop_asked.is_set(),
            sandbox=self._executor.tier,
            protections=list(self._executor.protections()),
            languages=list(self._executor.languages()),
        )
