"""The client for programs without an event loop: the asynchronous one, in a thread of its own."""

import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from types import TracebackType
from typing import Any, ParamSpec, Self, TypeVar

from code_judge.contract import Cluster, NodeInfo, Result, Status, Submission

from ._client import DEFAULT_URL, IndexedResult, JudgeClient
from ._config import Limits, RetryPolicy, Timeout
from ._errors import ClientClosed
from ._loop_thread import LoopThread, wait_for
from ._state import State
from ._transport import Transport

P = ParamSpec("P")
T = TypeVar("T")


class SyncJudgeClient:
    """Talks to one judge; every method does what the one of the same name does in :class:`JudgeClient`.

    ::

        with SyncJudgeClient("http://judge:8088") as judge:
            result = judge.run(Submission(type="python", solution="print(6 * 7)"))

    Threads may share one.
    """

    def __init__(
        self,
        url: str = DEFAULT_URL,
        *,
        api_key: str | None = None,
        timeout: Timeout = Timeout(),  # noqa: B008 - frozen
        limits: Limits = Limits(),  # noqa: B008 - frozen
        retry: RetryPolicy = RetryPolicy(),  # noqa: B008 - frozen
        transport: Transport | None = None,
    ) -> None:
        self._client = JudgeClient(
            url, api_key=api_key, timeout=timeout, limits=limits, retry=retry, transport=transport
        )
        self._thread: LoopThread | None = None
        self._lock = threading.Lock()
        """Held while the thread is started, stopped or given work."""

    # Lifecycle

    @property
    def state(self) -> State:
        return self._client.state

    def open(self) -> Self:
        """Make ready for calls; ``with`` does it. Raises ClientClosed after :meth:`close`."""
        self._call(self._client.open)
        return self

    def close(self) -> None:
        """Close all connections; calls under way fail. Idempotent."""
        with self._lock:
            thread, self._thread = self._thread, None
            if thread is None:
                self._client.state = State.CLOSED
                return
            thread.call(self._client.close())
            thread.stop()

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # Calls

    def run(self, submission: Submission, *, timeout_s: float | None = None) -> Result:
        return self._call(self._client.run, submission, timeout_s=timeout_s)

    def judge(self, submission: Submission, *, timeout_s: float | None = None) -> Result:
        return self._call(self._client.judge, submission, timeout_s=timeout_s)

    def run_batch(
        self,
        submissions: Sequence[Submission],
        *,
        judge: bool = False,
        long: bool = True,
        timeout_s: float | None = None,
    ) -> list[Result]:
        return self._call(self._client.run_batch, submissions, judge=judge, long=long, timeout_s=timeout_s)

    def stream(
        self,
        submissions: Sequence[Submission],
        *,
        judge: bool = False,
        long: bool = True,
        timeout_s: float | None = None,
    ) -> Iterator[IndexedResult]:
        items = self._client.stream(submissions, judge=judge, long=long, timeout_s=timeout_s)
        try:
            while item := self._call(_next, items):
                yield item
        finally:
            self._call(items.aclose)

    def status(self) -> Status:
        return self._call(self._client.status)

    def cluster(self) -> Cluster:
        return self._call(self._client.cluster)

    def drain(self, node: str) -> NodeInfo:
        return self._call(self._client.drain, node)

    # How

    def _call(self, method: Callable[P, Coroutine[Any, Any, T]], *args: P.args, **kwargs: P.kwargs) -> T:
        with self._lock:
            if self.state is State.CLOSED:
                raise ClientClosed("this client has been closed; make a new one")
            if self._thread is None:
                self._thread = LoopThread("code-judge-client")
            # Within the lock, so that close() comes either before or after it.
            future = self._thread.submit(method(*args, **kwargs))
        return wait_for(future)


async def _next(items: AsyncIterator[IndexedResult]) -> IndexedResult | None:
    return await anext(items, None)
