"""Clients of the judge for trainers and evaluators.

What is named in ``__all__`` is the public surface; the modules behind it are private. The verl tools are
in :mod:`code_judge_client.verl`, the evaluation of sample files in :mod:`code_judge_client.evaluation`.
"""

from code_judge.contract import FunctionCall, Result, Submission, TestCase, Verdict

from ._client import IndexedResult, JudgeClient
from ._config import Batching, Limits, RetryPolicy, Timeout
from ._errors import (
    AccessDenied,
    BadAnswer,
    ClientClosed,
    ConnectionFailed,
    JudgeBusy,
    JudgeClientError,
    JudgeTimeout,
    JudgeUnavailable,
    RequestRefused,
    ServerFailed,
)
from ._processor import RequestProcessor
from ._state import State
from ._sync_client import SyncJudgeClient

__all__ = [
    "AccessDenied",
    "BadAnswer",
    "Batching",
    "ClientClosed",
    "ConnectionFailed",
    "FunctionCall",
    "IndexedResult",
    "JudgeBusy",
    "JudgeClient",
    "JudgeClientError",
    "JudgeTimeout",
    "JudgeUnavailable",
    "Limits",
    "RequestProcessor",
    "RequestRefused",
    "Result",
    "RetryPolicy",
    "ServerFailed",
    "State",
    "Submission",
    "SyncJudgeClient",
    "TestCase",
    "Timeout",
    "Verdict",
]
