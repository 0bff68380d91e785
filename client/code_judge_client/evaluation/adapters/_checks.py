"""Python programs whose tests are code: the tests are called as functions, so that a program can neither
pass by printing nor by leaving early."""

from collections.abc import Sequence

from code_judge.contract import FunctionCall, Submission, TestCase

CHECK = "check_for_code_judge"

TAIL = """

def {check}(index):
    exec({tests!r}[index], globals())
    return True
"""


def checked_program(program: str, tests: Sequence[str]) -> Submission:
    """A submission that passes if every test, a piece of code, runs without raising."""
    calls = [
        TestCase(call=FunctionCall(function=CHECK, args=[index]), expected=True)
        for index in range(len(tests))
    ]
    solution = program + TAIL.format(check=CHECK, tests=list(tests))
    return Submission(type="python", solution=solution, tests=calls)
