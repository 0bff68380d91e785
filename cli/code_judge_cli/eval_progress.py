"""What a person sees while an evaluation runs."""

from collections import Counter
from collections.abc import Iterable
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from code_judge.contract import Verdict
from code_judge_client.evaluation import Judged

from .render import verdict_text


class RateColumn(ProgressColumn):
    """Samples a second, by the latest ones."""

    def render(self, task: Task) -> Text:
        return Text(f"{task.finished_speed or task.speed or 0:.0f}/s", style="dim")


class EvalProgress:
    """A bar with the rate, the time left, and how many samples had each verdict. ``with`` shows it, on
    stderr: stdout is for what the evaluation comes to."""

    def __init__(self, total: int, known: Iterable[Judged]) -> None:
        """``known`` are results of an earlier run."""
        self._counts = Counter(judged.verdict for judged in known)
        self._bar = Progress(
            BarColumn(),
            MofNCompleteColumn(),
            RateColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            _VerdictsColumn(self._counts),
            console=Console(stderr=True),
        )
        self._task = self._bar.add_task("judging", total=total, completed=self._counts.total())

    def add(self, judged: Judged) -> None:
        """One more."""
        self._counts[judged.verdict] += 1
        self._bar.advance(self._task)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()


class _VerdictsColumn(ProgressColumn):
    def __init__(self, counts: Counter[Verdict]) -> None:
        super().__init__()
        self._counts = counts

    def render(self, _task: Task) -> Text:
        parts = (Text.assemble(verdict_text(it), f" {count}") for it, count in self._counts.most_common())
        return Text("  ").join(parts)
