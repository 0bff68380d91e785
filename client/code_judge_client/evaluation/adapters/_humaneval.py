"""HumanEval and its kin: ``prompt``, ``test`` with a function ``check``, ``entry_point``; the program goes on
where the prompt ends. Without a program, the dataset's own ``canonical_solution`` is judged."""

from collections.abc import Iterator

from code_judge.contract import Submission

from ._checks import checked_program
from ._fields import Row, given_programs, whole_programs

NAME = "humaneval"


def recognises(row: Row) -> bool:
    return "entry_point" in row and "def check(" in str(row.get("test"))


def submissions(row: Row) -> Iterator[Submission]:
    check = f"check({row['entry_point']})"
    for program in _programs(row):
        yield checked_program(f"{program}\n\n{row['test']}", [check])


def _programs(row: Row) -> Iterator[str]:
    """``completion`` goes on from the prompt; ``solution`` and other fields have the whole program, as
    evalplus writes it."""
    prompt = row.get("prompt", "")
    if isinstance(row.get("completion"), str):
        yield prompt + row["completion"]
    elif isinstance(row.get("completions"), list):
        yield from (prompt + completion for completion in row["completions"])
    elif given_programs(row):
        yield from whole_programs(row)
    else:
        yield prompt + row.get("canonical_solution", "")
