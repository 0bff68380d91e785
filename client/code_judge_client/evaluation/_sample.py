"""One thing to judge, wherever it was read from."""

import hashlib
from dataclasses import dataclass
from functools import cached_property

from code_judge.contract import Submission


class SampleError(ValueError):
    """Raised where a line of a samples file is not what its format says; names the field."""


@dataclass(frozen=True)
class Sample:
    """A submission with its place in the evaluation."""

    id: str
    """Unique in its file."""
    task: str
    """The problem that it tries to solve: pass@k counts the samples of a task together."""
    submission: Submission
    expected_right: bool | None = None
    """What the file says of it, where the file itself is under test."""

    @cached_property
    def digest(self) -> str:
        """Tells whether two samples are the same submission."""
        return hashlib.sha256(self.submission.model_dump_json().encode()).hexdigest()[:16]
