"""Runs Python programs that tests themselves wrote: no walls, no limits, nothing for a stranger's program."""

import asyncio
import json
import subprocess
import sys
from typing import Any

from code_judge.contract import Result, TestResult, Verdict
from tests.support.fake_judge import ended

CALL = """

import json as _json, sys as _sys
_call = _json.loads(_sys.argv[1])
_target = globals()
_owner, _, _name = _call["function"].rpartition(".")
_function = getattr(globals()[_owner](), _name) if _owner else globals()[_name]
_value = _function(*_call.get("args", []), **_call.get("kwargs", {}))
print("\\n" + _json.dumps(_value))
"""


NOTEBOOK = """
import ast, contextlib, io, json, sys
*history, last = json.loads(sys.argv[1])
space = {"__name__": "__main__"}
for cell in history:
    with contextlib.suppress(Exception), contextlib.redirect_stdout(io.StringIO()):
        exec(cell, space)
tree = ast.parse(last)
shown = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
exec(compile(tree, "<cell>", "exec"), space)
if shown:
    value = eval(compile(ast.Expression(shown.value), "<cell>", "eval"), space)
    if value is not None:
        print(repr(value))
"""


async def really_run(submission: dict[str, Any]) -> Result:
    """What a judge makes of a submission; a behaviour of the fake judge."""
    return await asyncio.to_thread(run, submission)


def run(submission: dict[str, Any]) -> Result:
    """The same, where the event loop is not in the way."""
    tests = submission.get("tests")
    if tests is None:
        only = _run_test(submission, submission)
        return ended(submission, only.verdict, stdout=only.stdout, stderr=only.stderr)
    results = [_run_test(submission, test) for test in tests]
    failures = [result.verdict for result in results if not result.verdict.success]
    return ended(submission, failures[0] if failures else Verdict.ACCEPTED, tests=results)


def _run_test(submission: dict[str, Any], test: dict[str, Any]) -> TestResult:
    call = test.get("call")
    if submission["type"] == "jupyter":
        program, arguments = NOTEBOOK, [json.dumps([*submission.get("history", ()), submission["solution"]])]
    elif call:
        program, arguments = submission["solution"] + CALL, [json.dumps(call)]
    else:
        program, arguments = submission["solution"], []
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        input=test.get("input") or "",
        capture_output=True,
        text=True,
        check=False,
    )
    verdict = Verdict.RUNTIME_ERROR if done.returncode else _compared(test, done.stdout)
    return TestResult(verdict=verdict, stdout=done.stdout, stderr=done.stderr, exit_code=done.returncode)


def _compared(test: dict[str, Any], stdout: str) -> Verdict:
    if test.get("call"):
        lines = stdout.splitlines()
        right = bool(lines) and json.loads(lines[-1]) == test.get("expected")
    elif test.get("expected_output") is None:
        return Verdict.RAN
    else:
        right = stdout.split() == test["expected_output"].split()
    return Verdict.ACCEPTED if right else Verdict.WRONG_ANSWER
