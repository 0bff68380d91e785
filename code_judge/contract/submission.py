"""What a client sends: one submission, or a batch of them."""

import base64
import binascii
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from .checker import CheckerSpec

Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Megabytes = Annotated[float, Field(gt=0, allow_inf_nan=False)]

MAX_TESTS = 10_000
"""Tests in one submission."""


class FilesEncoding(StrEnum):
    """How the values of ``files`` are written."""

    TEXT = "text"
    BASE64 = "base64"


class FunctionCall(BaseModel):
    """A call that a test makes instead of feeding stdin: ``function(*args)`` or ``Class().method(*args)``."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    function: str = Field(min_length=1)
    """A function's name, or ``Class.method`` for a method of a class made without arguments."""
    args: list[Any] = []
    kwargs: dict[str, Any] = {}


class TestCase(BaseModel):
    """One test of a submission: what goes in, and what should come out."""

    __test__ = False  # not a test for pytest to collect
    model_config = ConfigDict(extra="ignore", frozen=True)

    input: str | None = None
    expected_output: str | None = None
    call: FunctionCall | None = None
    """Function-style test: compare the call's JSON result with ``expected``, not what was printed."""
    expected: Any = None
    """The JSON value that ``call`` should return."""


class Submission(BaseModel):
    """One program to run or judge. Unknown fields are ignored, as existing clients expect."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    sub_id: str | None = None
    """The caller's own name for it, returned with the result; made up where missing."""
    type: str = Field(min_length=1)
    """The language: ``python``, ``cpp``, … what the nodes offer."""
    solution: str
    """The source text; it is run as it is, nothing put before or after it."""
    input: str | None = None
    """stdin; missing means empty. stdin is always there and always closed at its end."""
    expected_output: str | None = None
    """What stdout should be, by ``checker``; missing means that any output will do."""
    options: dict[str, Any] | None = None
    """Language-specific switches. None is needed today."""
    time_limit: Seconds | None = None
    """Seconds of CPU; missing means MAX_EXECUTION_TIME. At most MAX_TIME_LIMIT."""
    memory_limit: Megabytes | None = None
    """MB of resident memory of all its processes; missing means MAX_MEMORY. At most MAX_MEMORY_LIMIT."""
    checker: str = "strip"
    """How output is compared: see :class:`~code_judge.contract.checker.CheckerKind`."""
    files: dict[str, str] | None = None
    """Files put into the working directory first: relative path → content."""
    files_encoding: FilesEncoding = FilesEncoding.TEXT
    history: list[str] | None = None
    """Type ``jupyter``: the cells that ran before ``solution``, oldest first."""
    tests: list[TestCase] | None = Field(default=None, max_length=MAX_TESTS)
    """Compiled once, run in order, each with its own time limit."""
    stop_on_first_failure: bool = False
    """With ``tests``: leave the rest unrun after the first that fails."""

    @field_validator("checker")
    @classmethod
    def _known_checker(cls, value: str) -> str:
        CheckerSpec.parse(value)
        return value

    @field_validator("tests")
    @classmethod
    def _some_tests(cls, value: list[TestCase] | None) -> list[TestCase] | None:
        if value is not None and not value:
            raise ValueError("an empty list of tests would pass every program; leave the field out instead")
        return value

    @model_validator(mode="after")
    def _placeable_files(self) -> "Submission":
        for path, content in (self.files or {}).items():
            _check_path(path)
            if self.files_encoding is FilesEncoding.BASE64:
                try:
                    base64.b64decode(content, validate=True)
                except (binascii.Error, ValueError) as error:
                    raise ValueError(f"files[{path!r}] is not base64: {error}") from None
        return self


def _check_path(path: str) -> None:
    """Refuse what would land outside the working directory or on the judge's own names.

    Raises ValueError with the path and what is wrong with it.
    """
    parts = path.split("/")
    if "\0" in path or path.startswith("/") or any(part in ("", ".", "..") for part in parts):
        raise ValueError(f"files[{path!r}] must be a relative path without empty, '.' or '..' parts")
    if len(path.encode()) > 1000 or any(len(part.encode()) > 200 for part in parts) or len(parts) > 32:
        raise ValueError(f"files[{path[:60]!r}…] is too long a path")


class BatchSubmission(BaseModel):
    """The body of a batch route. Items are checked one by one later: a bad one fails alone."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    sub_id: str | None = None
    type: Literal["batch"] = "batch"
    submissions: list[Any] = Field(min_length=1)
