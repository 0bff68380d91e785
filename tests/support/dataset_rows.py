"""Rows as the known datasets have them, with right and wrong programs."""

import json
from typing import Any

HUMANEVAL = {
    "task_id": "HumanEval/x",
    "prompt": "from __future__ import annotations\n\ndef double(n: int) -> int:\n    '''Twice n.'''\n",
    "test": "def check(candidate):\n    assert candidate(2) == 4\n    assert candidate(-1) == -2\n",
    "entry_point": "double",
    "canonical_solution": "    return n * 2\n",
}
MBPP = {
    "task_id": 11,
    "text": "Write a function that doubles.",
    "code": "def double(n):\n    return n * 2",
    "test_list": ["assert double(2) == 4", "assert math.isclose(double(0.5), 1)"],
    "test_imports": ["import math"],
    "challenge_test_list": [],
}
APPS_STREAMS = {
    "problem_id": 7,
    "input_output": json.dumps({"inputs": ["2\n", ["3", ""]], "outputs": ["4\n", ["6"]]}),
}
APPS_FUNCTION = {
    "problem_id": 8,
    "starter_code": "class Solution:\n    def double(self, n):\n",
    "input_output": json.dumps({"fn_name": "double", "inputs": [[2], [3]], "outputs": [[4], [6]]}),
}
CODE_CONTESTS = {
    "name": "1_A. Double",
    "public_tests": {"input": ["2\n"], "output": ["4\n"]},
    "private_tests": {"input": ["3\n"], "output": ["6\n"]},
    "generated_tests": {"input": [], "output": []},
    "time_limit": {"seconds": 1, "nanos": 500_000_000},
}
LIVE_STREAMS = {
    "question_id": "abc1",
    "public_test_cases": json.dumps([{"input": "2\n", "output": "4", "testtype": "stdin"}]),
    "private_test_cases": json.dumps([{"input": "3\n", "output": "6", "testtype": "stdin"}]),
}
LIVE_FUNCTION = {
    "question_id": "3000",
    "starter_code": "class Solution:\n    def add(self, a: int, b: int) -> int:\n        ",
    "metadata": json.dumps({"func_name": "add"}),
    "public_test_cases": json.dumps([{"input": "2\n3", "output": "5", "testtype": "functional"}]),
    "private_test_cases": "",
}
STREAM_RIGHT = "print(2 * int(input()))"
STREAM_WRONG = "print(4)"
METHOD_RIGHT = "class Solution:\n    def double(self, n):\n        print('chatter')\n        return 2 * n"
METHOD_WRONG = "class Solution:\n    def double(self, n):\n        return 4"
FUNCTION_RIGHT = "def double(n):\n    return 2 * n"
FUNCTION_WRONG = "def double(n):\n    return 4"

CASES: list[tuple[str, dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    ("humaneval", HUMANEVAL, {"completion": "    return 2 * n\n"}, {"completion": "    return 4\n"}),
    (
        "humaneval",
        HUMANEVAL,
        {"solution": "def double(n): return 2 * n"},
        {"solution": "def double(n): return n"},
    ),
    (
        "humaneval",
        HUMANEVAL,
        {"solution": "Here:\n```python\ndef double(n):\n    return 2 * n\n```"},
        {"solution": "Here:\n```python\ndef double(n):\n    return n\n```"},
    ),
    (
        "mbpp",
        MBPP,
        {"completion": "Sure:\n```python\ndef double(n):\n    return 2 * n\n```\nDone."},
        {"completion": "def double(n):\n    return 4"},
    ),
    ("apps", APPS_STREAMS, {"generation": STREAM_RIGHT}, {"generation": STREAM_WRONG}),
    ("apps", APPS_FUNCTION, {"generation": METHOD_RIGHT}, {"generation": METHOD_WRONG}),
    ("apps", APPS_FUNCTION, {"generation": FUNCTION_RIGHT}, {"generation": FUNCTION_WRONG}),
    ("code_contests", CODE_CONTESTS, {"solution": STREAM_RIGHT}, {"solution": STREAM_WRONG}),
    ("livecodebench", LIVE_STREAMS, {"code": STREAM_RIGHT}, {"code": STREAM_WRONG}),
    (
        "livecodebench",
        LIVE_FUNCTION,
        {"code": "class Solution:\n    def add(self, a, b): return a + b"},
        {"code": "class Solution:\n    def add(self, a, b): return a - b"},
    ),
    (
        "livecodebench",
        LIVE_FUNCTION,
        {"code": "def add(a, b): return a + b"},
        {"code": "def add(a, b): return a - b"},
    ),
]
"""Format, problem, what makes it a sample with a right program, and one with a wrong program."""
