"""What can go wrong in the environment, as one tree. A program's failure is an observation, not an error.

::

    EnvError
    ├── EnvSettingsError    a setting or a file of tasks is wrong; stops the start
    ├── StepRefused         the caller's mistake: the message says what to do instead
    │   └── TaskNotFound    no such split, index or task; also an IndexError, which OpenEnv answers with 400
    ├── SessionClosed       the session is gone: its client left, or was silent for too long
    └── JudgeFailed         nothing wrong with the step, and nothing has changed by it: send it again

Over ``/ws`` each is an EXECUTION_ERROR with this text; the socket stays open.
"""

from code_judge_env.client import JUDGE_FAILED


class EnvError(Exception):
    """Root of the errors that this package raises on purpose."""


class EnvSettingsError(EnvError):
    """Raised at start; names the variable, or the file and line."""


class StepRefused(EnvError):
    """Raised where a message makes no sense in this session's state."""


class TaskNotFound(StepRefused, IndexError):
    """Raised where a task is asked for that there is not."""


class SessionClosed(EnvError):
    """Raised to whoever still uses a session that has been closed."""


class JudgeFailed(EnvError):
    """Raised where the judge could not run a step. Says nothing of the code, and carries none of it."""

    def __init__(self, why: str) -> None:
        super().__init__(f"{JUDGE_FAILED}: {why}. Nothing has changed: send the same step again.")
