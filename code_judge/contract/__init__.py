"""The contract that clients, master and nodes share. Needs pydantic only and imports nothing of ours."""

from .checker import CheckerKind, CheckerSpec
from .cluster import Cluster, Failure, LanguageInfo, NodeInfo, Protection, Status
from .result import JUDGE_FIELDS, PLAIN_FIELDS, Result, TestResult, judged, plain
from .submission import BatchSubmission, FilesEncoding, FunctionCall, Submission, TestCase
from .verdict import Reason, Verdict

__all__ = [
    "JUDGE_FIELDS",
    "PLAIN_FIELDS",
    "BatchSubmission",
    "CheckerKind",
    "CheckerSpec",
    "Cluster",
    "Failure",
    "FilesEncoding",
    "FunctionCall",
    "LanguageInfo",
    "NodeInfo",
    "Protection",
    "Reason",
    "Result",
    "Status",
    "Submission",
    "TestCase",
    "TestResult",
    "Verdict",
    "judged",
    "plain",
]
