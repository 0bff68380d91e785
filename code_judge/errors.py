"""Errors of ours, as one tree. The master maps them to HTTP in one table (``master/http_errors.py``).

::

    JudgeError
    ├── SettingsError          a setting has a bad value; stops the start
    ├── RequestError           the caller's request cannot be taken as it is
    │   ├── InvalidRequest     not JSON, wrong fields, unknown type
    │   ├── TooLarge           a body over its limit
    │   ├── UnknownNode        no such node is alive
    │   ├── Unauthorized       the API key is missing or wrong
    │   └── HungUp             the caller left before its answer was ready
    └── RetryLater             nothing wrong with the request; carries retry_after_s
        ├── QueueFull          MAX_QUEUE_LENGTH reached
        ├── Overloaded         this master process holds MAX_IN_FLIGHT_MB of requests
        ├── QueueUnavailable   Redis cannot be reached
        ├── Paused             an operator paused the master
        └── Draining           the master is stopping

A program's failure is never an exception: it is a :class:`~code_judge.contract.Verdict`.
"""


class JudgeError(Exception):
    """Root of the errors that this package raises on purpose."""


class SettingsError(JudgeError):
    """Raised at start when settings do not make sense; names each variable, its value and what is wanted."""


class RequestError(JudgeError):
    """Raised when a request cannot be taken as it is; sending it again will not help."""


class InvalidRequest(RequestError):
    """Raised when a request does not parse; the text names the field."""


class TooLarge(RequestError):
    """Raised when a body is over its limit; the text names the limit's setting."""


class UnknownNode(RequestError):
    """Raised when an operator names a node that is not alive; the text names it."""


class Unauthorized(RequestError):
    """Raised when the API key is missing or wrong."""


class HungUp(RequestError):
    """Raised when the caller has left before its answer was ready; its work is cancelled."""


class RetryLater(JudgeError):
    """Raised when the cluster cannot take work now though nothing is wrong with it."""

    def __init__(self, message: str, *, retry_after_s: float = 1.0) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class QueueFull(RetryLater):
    """Raised when the queue holds MAX_QUEUE_LENGTH items."""


class Overloaded(RetryLater):
    """Raised when one master process holds as many unanswered requests as its memory allows."""


class QueueUnavailable(RetryLater):
    """Raised when Redis cannot be reached or does not answer in time."""


class Paused(RetryLater):
    """Raised for new work while an operator has paused the master."""


class Draining(RetryLater):
    """Raised for new work, and for accepted work that outlives the grace time, while the master stops."""
