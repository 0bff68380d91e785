"""Sets of tasks: what an agent is told, and the tests that it never sees."""

import json
import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from code_judge.contract import CheckerSpec, TestCase

from .errors import EnvSettingsError, TaskNotFound

OWN_TASKS = Path(__file__).parents[1] / "tasks" / "starter.jsonl"


class Task(BaseModel):
    """One line of a file of tasks."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(min_length=1)
    prompt: str
    tests: list[TestCase] = Field(min_length=1, repr=False)
    """Hidden. Each as the judge takes it: ``input`` and ``expected_output``, or ``call`` and ``expected``."""
    split: str = Field(default="train", min_length=1)
    languages: list[str] = Field(default=["python"], min_length=1)
    checker: str = "strip"
    """How output is compared with what is expected: see the judge's checkers."""
    time_limit: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    """Seconds of CPU for each run; missing means the judge's default."""
    memory_limit: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    """MB for each run; likewise."""
    max_steps: int | None = Field(default=None, gt=0)

    @field_validator("checker")
    @classmethod
    def _known_checker(cls, value: str) -> str:
        CheckerSpec.parse(value)
        return value

    @property
    def public(self) -> dict[str, Any]:
        """What anybody may know. A choice of fields, so that a new one is hidden until it is named here."""
        names = {"id", "prompt", "split", "languages", "time_limit", "memory_limit", "max_steps"}
        return {**self.model_dump(include=names), "tests": len(self.tests)}


class TaskSet:
    """Tasks by split, in the order of their file."""

    def __init__(self, tasks: Iterable[Task]) -> None:
        self._splits: dict[str, list[Task]] = {}
        self._by_id: dict[str, Task] = {}
        for task in tasks:
            self._splits.setdefault(task.split, []).append(task)
            self._by_id[task.id] = task

    @classmethod
    def read(cls, file: Path) -> Self:
        """Raises EnvSettingsError with the line at fault; never with what stands in it."""
        tasks: dict[str, Task] = {}
        try:
            with file.open(encoding="utf-8") as lines:
                for number, task in _parsed(file, lines):
                    if task.id in tasks:
                        raise EnvSettingsError(f"{file}:{number}: a second task {task.id!r}")
                    tasks[task.id] = task
        except (OSError, UnicodeDecodeError) as error:
            raise EnvSettingsError(f"cannot read the tasks in {file}: {error}") from None
        if not tasks:
            raise EnvSettingsError(f"{file} has no task")
        return cls(tasks.values())

    @property
    def splits(self) -> list[str]:
        return list(self._splits)

    def split(self, name: str) -> list[Task]:
        """Its tasks. Raises TaskNotFound."""
        try:
            return self._splits[name]
        except KeyError:
            raise TaskNotFound(f"no split {name!r}; there are: {', '.join(self.splits)}") from None

    def at(self, split: str, index: int) -> Task:
        """Raises TaskNotFound."""
        tasks = self.split(split)
        if not 0 <= index < len(tasks):
            raise TaskNotFound(f"no task {index} in split {split!r}; it has 0 to {len(tasks) - 1}")
        return tasks[index]

    def named(self, task_id: str) -> Task:
        """Raises TaskNotFound."""
        try:
            return self._by_id[task_id]
        except KeyError:
            raise TaskNotFound(f"no task {task_id!r}") from None

    def drawn(self, split: str | None, seed: int | None) -> Task:
        """A task by chance, the same for the same seed; of the first split where none is named.

        Raises TaskNotFound.
        """
        return random.Random(seed).choice(self.split(split or self.splits[0]))


def _parsed(file: Path, lines: Iterable[str]) -> Iterator[tuple[int, Task]]:
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield number, Task.model_validate(json.loads(line))
            except ValidationError as error:
                problem = error.errors(include_input=False, include_context=False)[0]
                where = ".".join(map(str, problem["loc"]))
                raise EnvSettingsError(f"{file}:{number}: {where}: {problem['msg']}") from None
            except ValueError:
                raise EnvSettingsError(f"{file}:{number}: not JSON") from None
