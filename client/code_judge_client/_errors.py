"""What can go wrong between a caller and the judge, as one tree.

::

    JudgeClientError
    ├── ClientClosed            the client or processor is not open, or belongs to another event loop
    ├── JudgeTimeout            the caller's own timeout passed; also a TimeoutError
    ├── RequestRefused          the judge will not take the request; sending it again will not help
    │   └── AccessDenied        the API key is missing or wrong
    ├── ServerFailed            the judge answered 500: a fault of its own
    ├── BadAnswer               what came back does not speak the judge's contract
    └── JudgeUnavailable        nothing wrong with the request; every attempt met the same trouble
        ├── ConnectionFailed    no connection, or it broke before the answer was complete
        └── JudgeBusy           answered 429 or 503: full, paused or stopping

A program's failure is never an exception: it is a :class:`~code_judge.contract.Verdict` in a result. All
errors can be pickled, since trainers carry them between processes.
"""

import copy
from typing import Self

from code_judge.contract import Result


class JudgeClientError(Exception):
    """Root of the errors that this package raises on purpose."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.answered: dict[int, Result] = {}
        """From ``run_batch`` and ``stream``: the results that did come, by their place in the batch."""

    def fresh(self) -> Self:
        """The same error for one more caller: a traceback grows wherever its one object is raised."""
        return copy.copy(self).with_traceback(None)


class ClientClosed(JudgeClientError):
    """Raised when a client or processor is used before it is open, after it is closed, or in another
    event loop than its own."""


class JudgeTimeout(JudgeClientError, TimeoutError):
    """Raised when the timeout that the caller gave has passed; the judge drops the work."""


class RequestRefused(JudgeClientError):
    """Raised when the judge will not take the request as it is: a field is wrong, or it is too large."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.args = (message, status)  # all of them, so that it can be pickled
        self.status = status

    def __str__(self) -> str:
        return str(self.args[0])


class AccessDenied(RequestRefused):
    """Raised when the judge wants an API key and got none, or a wrong one."""


class ServerFailed(JudgeClientError):
    """Raised when the judge answered 500. It is not asked again: the same request may fail it again."""


class BadAnswer(JudgeClientError):
    """Raised when what answered does not speak the judge's contract; the URL may be another service's."""


class JudgeUnavailable(JudgeClientError):
    """Raised when every attempt that the retry policy allows has failed, though a later one may not."""


class ConnectionFailed(JudgeUnavailable):
    """Raised when the judge cannot be reached, or the connection broke before the answer was complete."""


class JudgeBusy(JudgeUnavailable):
    """Raised when the judge takes no work now: its queue is full, it is paused, or it is stopping."""

    def __init__(self, message: str, retry_after_s: float | None = None, paused: bool = False) -> None:
        super().__init__(message)
        self.args = (message, retry_after_s, paused)
        self.retry_after_s = retry_after_s
        """Seconds after which the judge wants to be asked again, where it said so."""
        self.paused = paused
        """An operator paused it: it will be back when it is resumed."""

    def __str__(self) -> str:
        return str(self.args[0])
