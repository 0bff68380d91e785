"""The programs that are run, each with what it must print: a wrong answer must not count as a fast one."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

TIME_LIMIT_S = 20
"""Generous, for servers that count a busy machine's wall clock."""
MEMORY_LIMIT_MB = 1024

TRIVIAL = "print(1 + 1)"
NUMPY = "import numpy as np\nprint(int(np.arange(10).sum()))"
SYMPY = "import sympy\nx = sympy.Symbol('x')\nprint(sympy.expand((x + 1) ** 5))"
SYMPY_PRINTS = "x**5 + 5*x**4 + 10*x**3 + 10*x**2 + 5*x + 1"

CPP = """\
#include <bits/stdc++.h>
using namespace std;
// {mark}
int main() {{
    vector<long long> values;
    map<string, int> seen;
    long long number;
    while (cin >> number) {{
        values.push_back(number);
        seen[to_string(number)]++;
    }}
    sort(values.begin(), values.end());
    cout << accumulate(values.begin(), values.end(), 0LL) << " " << seen.size() << endl;
}}
"""


@dataclass(frozen=True, slots=True)
class Workload:
    """One kind of program."""

    name: str
    count: int
    """Submissions in one round, unless the command line says otherwise."""
    make: Callable[[str, int], dict[str, Any]]
    """The submission of a round's mark and its own number; marks and numbers make sources distinct."""

    def round(self, mark: str, count: int) -> list[dict[str, Any]]:
        """One round's submissions. Another mark means sources that no cache has met."""
        return [self.make(mark, number) for number in range(count)]


def python(source: str, expected: str) -> dict[str, Any]:
    """A Python submission with the limits that all of these have."""
    return _submission("python", source, "", expected)


def cpp(mark: str, number: int) -> dict[str, Any]:
    """A small contest program; equal marks mean equal sources."""
    return _submission("cpp", CPP.format(mark=mark), f"{number} 2 2 1", f"{number + 5} {len({number, 1, 2})}")


def _mixed(mark: str, number: int) -> dict[str, Any]:
    """Mostly small Python, some libraries, now and then C++, as a trainer's tool calls are."""
    kinds = ("trivial",) * 5 + ("numpy",) * 2 + ("sympy", "cpp-same", "cpp-distinct")
    return WORKLOADS[kinds[number % len(kinds)]].make(mark, number)


def _submission(language: str, source: str, stdin: str, expected: str) -> dict[str, Any]:
    return {
        "type": language,
        "solution": source,
        "input": stdin,
        "expected_output": expected,
        "time_limit": TIME_LIMIT_S,
        "memory_limit": MEMORY_LIMIT_MB,
    }


WORKLOADS = {
    workload.name: workload
    for workload in (
        Workload("trivial", 400, lambda _mark, _number: python(TRIVIAL, "2")),
        Workload("numpy", 200, lambda _mark, _number: python(NUMPY, "45")),
        Workload("sympy", 100, lambda _mark, _number: python(SYMPY, SYMPY_PRINTS)),
        Workload("cpp-distinct", 16, lambda mark, number: cpp(f"{mark} {number}", number)),
        Workload("cpp-same", 200, cpp),
        Workload("mixed", 200, _mixed),
    )
}
