"""What an evaluation comes to."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from code_judge.contract import Verdict

from ._judged import Judged
from ._pass_at_k import mean_pass_at_k

SLOWEST = 10


@dataclass(frozen=True)
class Summary:
    """Counts over all samples. What the judge failed at is told apart and counts nowhere else."""

    samples: int
    passed: int
    unjudged: int
    """Samples at which the judge failed: neither right nor wrong."""
    verdicts: dict[Verdict, int]
    """Most frequent first."""
    tasks: int
    pass_at_k: dict[int, float]
    flagged_right: "Flagged | None"
    """Of samples that the file itself calls right; None where it calls none so."""
    flagged_wrong: "Flagged | None"
    slowest: list[Judged]
    """Those that took the most wall time, longest first."""

    @property
    def judged(self) -> int:
        return self.samples - self.unjudged


@dataclass(frozen=True)
class Flagged:
    """Samples whose file says what they are."""

    judged: int
    passed: int

    @property
    def rate(self) -> float:
        """The share that passed; 0 where none was judged."""
        return self.passed / self.judged if self.judged else 0.0


def summarise(results: Iterable[Judged], missing: int = 0, tasks: int | None = None) -> Summary:
    """Count. ``missing`` samples have no result at all, since the evaluation was cut short; ``tasks`` is then
    how many there are with those of the missing ones."""
    all_results = list(results)
    judged = [it for it in all_results if not it.is_ours]
    passes: dict[str, list[bool]] = defaultdict(list)
    for it in judged:
        passes[it.task].append(it.result.success)
    return Summary(
        samples=len(all_results) + missing,
        passed=sum(it.result.success for it in judged),
        unjudged=len(all_results) - len(judged) + missing,
        verdicts=dict(Counter(it.verdict for it in all_results).most_common()),
        tasks=len({it.task for it in all_results}) if tasks is None else tasks,
        pass_at_k=mean_pass_at_k((len(passed), sum(passed)) for passed in passes.values()),
        flagged_right=_flagged(judged, right=True),
        flagged_wrong=_flagged(judged, right=False),
        slowest=sorted(judged, key=lambda it: it.result.cost, reverse=True)[:SLOWEST],
    )


def _flagged(judged: list[Judged], *, right: bool) -> Flagged | None:
    flagged = [it.result.success for it in judged if it.expected_right is right]
    return Flagged(len(flagged), sum(flagged)) if flagged else None
