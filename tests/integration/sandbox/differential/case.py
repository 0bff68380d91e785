"""One row of the differential suite, and what of a run is compared."""

import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field

from code_judge.contract import Result, Submission
from code_judge_workers.judge import SandboxExecutor

TIME_LIMIT_S = 20.0
"""CPU seconds: none of the programs is about time, and the machine may be busy."""


@dataclass(frozen=True)
class Case:
    """A program that must come out the same cold and warm."""

    id: str
    source: str
    ends: int | str = 0
    """Exit code, or name of the signal, of the cold run: a misspelled program shows nothing about itself."""
    stdin: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    volatile: tuple[str, ...] = ()
    """Regular expressions of output that differs between any two runs."""
    memory_limit: float | None = None
    """MB."""

    def __post_init__(self) -> None:
        """Tables indent their programs."""
        object.__setattr__(self, "source", textwrap.dedent(self.source).removeprefix("\n"))

    def submission(self) -> Submission:
        """As a client would send it."""
        return Submission(
            type="python",
            solution=self.source,
            input=self.stdin,
            files=dict(self.files) or None,
            time_limit=TIME_LIMIT_S,
            memory_limit=self.memory_limit,
        )


@dataclass(frozen=True)
class Seen:
    """All that is compared of one run."""

    verdict: str
    ended: int | str | None
    stdout: str
    stderr: str


def observe(executor: SandboxExecutor, case: Case) -> Seen:
    """Run it and take out what no two runs share."""
    result: Result = executor.prepare(case.submission()).result()
    return Seen(
        result.verdict.value,
        result.signal or result.exit_code,
        _normalised(result.stdout, case.volatile),
        _normalised(result.stderr, case.volatile),
    )


_ADDRESS = r"0x[0-9a-fA-F]{6,}"
"""Memory addresses: the children of a template share its layout, and nobody should compare them."""
_WORKING_AREA = r"/[\w./-]*?/slot-\d+/area/(run/(?=main\.py))?"
"""Tiers without a mount namespace run every slot in a folder of its own, which a template cannot know: where
cold runs show main.py with its folder, warm ones show it without."""


def _normalised(text: str, volatile: tuple[str, ...]) -> str:
    text = re.sub(_WORKING_AREA, "", text)
    for pattern in (_ADDRESS, *volatile):
        text = re.sub(pattern, "<volatile>", text)
    return text
