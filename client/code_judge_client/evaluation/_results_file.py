"""The file that an evaluation writes as it goes, and from which it goes on after an interruption."""

from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from pydantic import ValidationError

from ._judged import Judged
from ._sample import Sample


class ResultsFileError(Exception):
    """Raised where the file holds something else, or cannot be written."""


class ResultsFile:
    """One line of JSON for each judged sample, in the order in which they were judged.

    Where a sample has several lines, the last one counts: what the judge failed at is judged again.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: IO[str] | None = None

    def read(self) -> dict[str, Judged]:
        """What is there, by the samples' ids; nothing where there is no file yet. Raises ResultsFileError."""
        try:
            lines = self.path.read_text(encoding="utf-8").split("\n")
        except FileNotFoundError:
            return {}
        except (OSError, UnicodeDecodeError) as error:
            raise ResultsFileError(f"cannot read {self.path}: {error}") from None
        *whole, cut_off = lines  # the last one is empty, unless a crash cut it off in the middle
        if cut_off:
            self._cut(len(cut_off.encode()))
        return {judged.id: judged for judged in map(self._parsed, whole)}

    def __enter__(self) -> Self:
        try:
            self._file = self.path.open("a", encoding="utf-8")
        except OSError as error:
            raise ResultsFileError(f"cannot write {self.path}: {error.strerror}") from None
        return self

    def append(self, judged: Judged) -> None:
        """Written at once, so that an interruption loses nothing."""
        assert self._file, "open it by `with` first"
        self._file.write(judged.line() + "\n")
        self._file.flush()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._file
        self._file.close()

    def _parsed(self, line: str) -> Judged:
        try:
            return Judged.model_validate_json(line)
        except ValidationError:
            raise ResultsFileError(
                f"{self.path} holds something else than results; name another file with --output"
            ) from None

    def _cut(self, count: int) -> None:
        with self.path.open("r+b") as file:
            file.seek(-count, 2)
            file.truncate()


def still_to_judge(samples: Iterable[Sample], known: dict[str, Judged]) -> Iterable[Sample]:
    """The samples without a verdict: new ones, changed ones, and those at which the judge failed."""
    for sample in samples:
        judged = known.get(sample.id)
        if judged is None or judged.is_ours or judged.digest != sample.digest:
            yield sample
