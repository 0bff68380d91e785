"""Submissions with several tests, by streams and by function calls."""

from typing import Any

import pytest

from code_judge.contract import Result, Verdict
from code_judge_workers.judge import SandboxExecutor

from .conftest import Judge

ECHO = "print(input())"
A, W = Verdict.ACCEPTED, Verdict.WRONG_ANSWER


def stream_tests(*pairs: tuple[str, str]) -> list[dict[str, str]]:
    return [{"input": given, "expected_output": wanted} for given, wanted in pairs]


def verdicts(result: Result) -> list[Verdict]:
    assert result.tests is not None
    return [test.verdict for test in result.tests]


# By streams


def test_tests_run_in_order_and_the_first_failure_decides(judge: Judge) -> None:
    tests = stream_tests(("1", "1"), ("2", "two"), ("3", "3"))
    result = judge(type="python", solution=ECHO, tests=tests)
    assert verdicts(result) == [A, W, A]
    assert result.tests is not None
    assert [test.stdout for test in result.tests] == ["1\n", "2\n", "3\n"]
    assert (result.verdict, result.stdout, result.success) == (W, "2\n", False)


def test_the_rest_stays_unrun_after_a_failure_where_asked(judge: Judge) -> None:
    tests = stream_tests(("1", "1"), ("2", "two"), ("3", "3"))
    result = judge(type="python", solution=ECHO, tests=tests, stop_on_first_failure=True)
    assert verdicts(result) == [A, W]


def test_all_accepted_is_accepted(judge: Judge) -> None:
    assert judge(type="python", solution=ECHO, tests=stream_tests(("1", "1"), ("2", "2"))).verdict is A


def test_no_tests_at_all_pass_nothing(judge: Judge) -> None:
    with pytest.raises(ValueError, match="empty list of tests"):
        judge(type="python", solution=ECHO, tests=[])


def test_each_test_has_a_time_limit_of_its_own(judge: Judge) -> None:
    busy = "import time\nend = time.process_time() + float(input())\nwhile time.process_time() < end: pass"
    result = judge(
        type="python",
        solution=busy,
        tests=[{"input": "0.3"}, {"input": "60"}, {"input": "0.3"}],
        time_limit=0.5,
    )
    assert verdicts(result) == [Verdict.RAN, Verdict.TIME_LIMIT, Verdict.RAN]
    assert result.verdict is Verdict.TIME_LIMIT
    assert result.cpu_time > 0.5 + 2 * 0.3


def test_nothing_of_one_test_is_there_in_the_next(judge: Judge) -> None:
    leaves = "import os\nprint(os.listdir('.'))\nopen('left', 'w').close()"
    result = judge(type="python", solution=leaves, tests=[{}, {}])
    assert result.tests is not None
    assert [test.stdout for test in result.tests] == ["['main.py']\n"] * 2


@pytest.mark.needs_gxx
def test_a_program_is_compiled_once_for_all_its_tests(judge: Judge, executor: SandboxExecutor) -> None:
    assert executor.compiler is not None
    before = executor.compiler.compilations
    echo = "#include <iostream>\nint main() { int n; std::cin >> n; std::cout << n * 2; }"
    result = judge(type="cpp", solution=echo, tests=stream_tests(("1", "2"), ("2", "4"), ("3", "7")))
    assert verdicts(result) == [A, A, W]
    assert executor.compiler.compilations == before + 1


@pytest.mark.needs_gxx
def test_a_program_that_does_not_compile_has_no_results_of_tests(judge: Judge) -> None:
    result = judge(type="cpp", solution="int main() {", tests=stream_tests(("1", "1")))
    assert (result.verdict, result.tests) == (Verdict.COMPILE_ERROR, None)


# By calls


def call(
    solution: str, function: str = "f", *args: Any, expected: Any = None, **fields: Any
) -> dict[str, Any]:
    """A submission with one test that calls a function."""
    tests = [{"call": {"function": function, "args": args}, "expected": expected}]
    return {"type": "python", "solution": solution, "tests": tests, **fields}


@pytest.mark.parametrize(
    ("solution", "function", "args", "expected"),
    [
        ("def f(a, b): return a + b", "f", [1, 2], 3),
        ("class Solution:\n    def twice(self, n): return 2 * n", "Solution.twice", [4], 8),
        ("def f(): return (1, (2, 3))", "f", [], [1, [2, 3]]),
        ("def f(): return {3, 1, 2}", "f", [], [1, 2, 3]),
        ("def f(): return {1: 'a', 'b': None}", "f", [], {"1": "a", "b": None}),
        ("def f(text): return text[::-1]", "f", ["é\0\n\"'"], "'\"\n\0é"),
        ("def f(n): return n", "f", [10**30], 10**30),
        ("def f(): return 2", "f", [], 2.0),
        ("def f(): pass", "f", [], None),
    ],
)
def test_a_call_is_judged_by_its_value(
    judge: Judge, solution: str, function: str, args: list[Any], expected: Any
) -> None:
    assert judge(**call(solution, function, *args, expected=expected)).verdict is A
    assert judge(**call(solution, function, *args, expected=["else"])).verdict is W


@pytest.mark.needs_numpy
def test_numpys_values_are_pythons(judge: Judge) -> None:
    solution = "import numpy as np\ndef f(): return np.arange(3), np.float64(2.5), np.bool_(True)"
    assert judge(**call(solution, expected=[[0, 1, 2], 2.5, True])).verdict is A


def test_keyword_arguments_are_passed(judge: Judge) -> None:
    tests = [{"call": {"function": "f", "args": [7], "kwargs": {"b": 2}}, "expected": 5}]
    assert judge(type="python", solution="def f(a, b=0): return a - b", tests=tests).verdict is A


def test_decimals_may_differ_by_the_tolerance_where_asked(judge: Judge) -> None:
    solution = "def f(): return [0.1 + 0.2, 3]"
    assert judge(**call(solution, expected=[0.3, 3])).verdict is W
    assert judge(**call(solution, expected=[0.3, 3], checker="float")).verdict is A
    assert judge(**call(solution, expected=[0.3, 4], checker="float:2")).verdict is W


def test_prints_are_output_and_no_answer(judge: Judge) -> None:
    solution = "import atexit\nprint(3)\natexit.register(print, 3)\ndef f():\n    print(3)\n    return 4"
    result = judge(**call(solution, expected=3))
    assert (result.verdict, result.stdout) == (W, "3\n" * 3)


@pytest.mark.parametrize(
    ("leaving", "verdict"),
    [
        ("os._exit(0)", W),
        ("sys.exit(0)", W),
        ("sys.exit(3)", Verdict.RUNTIME_ERROR),
        ("os.kill(os.getpid(), 9)", Verdict.RUNTIME_ERROR),
    ],
)
@pytest.mark.parametrize("where", ["import os, sys\n{}", "import os, sys\ndef f():\n    {}"])
def test_leaving_early_passes_no_test(judge: Judge, where: str, leaving: str, verdict: Verdict) -> None:
    assert judge(**call(where.format(leaving), expected=None)).verdict is verdict


def test_an_object_that_equals_everything_is_not_what_was_expected(judge: Judge) -> None:
    solution = "class Any(int):\n    def __eq__(self, other): return True\ndef f(): return Any(5)"
    assert judge(**call(solution, expected=4)).verdict is W


def test_what_is_expected_never_enters_the_sandbox(judge: Judge) -> None:
    secret = "an expectation that nobody could guess"
    solution = (
        "import gc, glob, sys\n"
        "def f():\n"
        "    frame, seen = sys._getframe(), []\n"
        "    while frame: seen.append((frame.f_globals, frame.f_locals)); frame = frame.f_back\n"
        "    return 'could ' + 'guess' in repr(seen) + ''.join(open(p).read() for p in glob.glob('*'))"
    )
    result = judge(**call(solution, expected=secret))
    assert result.verdict is W
    assert judge(**call(solution, expected=False)).verdict is A


@pytest.mark.parametrize(
    "solution",
    [
        "def f(): return 'x' * (8 << 20)",
        "def f():\n    nest = []\n    for _ in range(900): nest = [nest]\n    return nest",
        "def f(): return 10 ** 6000",
        "def f(): return float('nan')",
    ],
)
def test_a_monstrous_value_is_a_wrong_answer(judge: Judge, solution: str) -> None:
    assert judge(**call(solution, expected=[1])).verdict is W


def test_what_the_function_raises_is_shown_from_its_first_line_on(judge: Judge) -> None:
    result = judge(**call("def g():\n    return 1 / 0\n\ndef f():\n    return g()", expected=1))
    assert result.verdict is Verdict.RUNTIME_ERROR
    assert result.stderr.startswith('Traceback (most recent call last):\n  File "')
    assert 'solution.py", line 5, in f' in result.stderr.splitlines()[1]
    assert result.stderr.endswith("ZeroDivisionError: division by zero\n")


@pytest.mark.parametrize(
    ("solution", "told"),
    [
        ("def g(): pass", "has no attribute 'f'"),
        ("def f(): return object()", "cannot be written as JSON"),
        ("def f(: pass", "SyntaxError"),
        ("def f(a): pass", "missing 1 required positional argument"),
    ],
)
def test_what_cannot_be_called_is_a_runtime_error_that_says_why(
    judge: Judge, solution: str, told: str
) -> None:
    result = judge(**call(solution, expected=None))
    assert result.verdict is Verdict.RUNTIME_ERROR
    assert told in result.stderr


def test_a_called_submission_is_imported_and_finds_its_files(judge: Judge) -> None:
    solution = "import helper\nif __name__ == '__main__': raise SystemExit(3)\ndef f(): return helper.x"
    assert judge(**call(solution, expected=4, files={"helper.py": "x = 4"})).verdict is A


def test_calls_and_streams_may_stand_in_one_list(judge: Judge) -> None:
    solution = "def f(): return input()\nif __name__ == '__main__': print('main')"
    tests = [{"call": {"function": "f"}, "input": "given", "expected": "given"}, {"expected_output": "main"}]
    assert verdicts(judge(type="python", solution=solution, tests=tests)) == [A, A]


@pytest.mark.parametrize("language", ["jupyter", pytest.param("cpp", marks=pytest.mark.needs_gxx)])
def test_only_pythons_functions_can_be_called(judge: Judge, language: str) -> None:
    result = judge(**{**call("1", expected=1), "type": language})
    assert (result.verdict, result.tests) == (Verdict.INVALID_INPUT, None)
