"""A program cannot tell a warm start from ``python3 main.py``: same output, same errors, same end.

Each program of ``programs/`` runs cold and warm; what the two leave is compared. The differences that we
accept are listed here and explained in docs/decisions/0004-warm-starts.md; the list must stay true, too.
"""

import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest
from _pytest.mark.structures import ParameterSet

from code_judge.contract import Submission
from code_judge.settings import SandboxChoice
from code_judge_workers.judge import SandboxExecutor

from .case import Case
from .conftest import Both
from .programs import A_FEW_OF_EACH, ALL

_PRELOADED = "the template's modules are loaded already, and its objects exist"
_HANDLER = "the template's own exit handler is counted, and seen by whoever traces to the very end"
ACCEPTED_DIFFERENCES = {
    "loaded-modules": _PRELOADED,
    "import-machinery": _PRELOADED,
    "collector-frozen-objects": _PRELOADED,
    "subclasses-of-int": _PRELOADED,
    "local-module-written-over-a-loaded-one": _PRELOADED,
    "sympy-submodules": _PRELOADED,
    "sympy-dummies-are-numbered": _PRELOADED,
    "atexit-count": _HANDLER,
    "profile-to-the-very-end": _HANDLER,
    "trace-to-the-very-end": _HANDLER,
    "exit-with-main-names-deleted": "a program that hides how it ends ends with 0, as it could anyway",
}
"""Case id → why the warm run may differ."""

BY_ID = {case.id: case for case in ALL}
LIBRARIES = ("numpy", "sympy")
VERSIONS = ("3.9", "3.10", "3.11", "3.12", "3.13", "3.14")

CHANCE = {
    "random": "import random\nprint(random.random(), random.Random().random())",
    "secrets": "import secrets\nprint(secrets.token_hex())",
    "uuid": "import uuid\nprint(uuid.uuid4())",
    "os": "import os\nprint(os.urandom(8))",
    "tempfile": "import tempfile\nprint(tempfile.mktemp())",
    "numpy": "import numpy\nprint(numpy.random.rand())",
    "numpy-and-random": "import numpy, random\nprint(random.random())",
    "numpy-generator": "import numpy\nprint(numpy.random.default_rng().random())",
    "sympy": "import sympy\nprint(sympy.randprime(10**9, 10**10))",
    "sympy-matrix": "import sympy\nprint(sympy.randMatrix(3))",
}
"""Programs that print another line whenever they run, by what they ask."""


def _needs(text: str) -> list[pytest.MarkDecorator]:
    return [getattr(pytest.mark, f"needs_{name}") for name in LIBRARIES if name in text]


def _row(case: Case) -> ParameterSet:
    """A test's parameter; an accepted difference that is none any more fails."""
    marks = _needs(case.source)
    if case.id in ACCEPTED_DIFFERENCES:
        reason = ACCEPTED_DIFFERENCES[case.id]
        marks.append(pytest.mark.xfail(reason=reason, strict=True, raises=AssertionError))
    return pytest.param(case, id=case.id, marks=marks)


def _assert_same(case: Case, both: Both) -> None:
    cold, warm = both(case)
    if cold.ended != case.ends:
        pytest.fail(f"the cold run ended with {cold.ended!r} and not with {case.ends!r}: {cold}")
    assert warm == cold


@pytest.mark.parametrize("case", [_row(case) for case in ALL])
def test_a_warm_run_comes_out_like_a_cold_one(case: Case, both: Both) -> None:
    _assert_same(case, both)


@pytest.mark.needs_numpy
@pytest.mark.parametrize("case_id", A_FEW_OF_EACH)
def test_from_a_larger_template_too(case_id: str, both: Both) -> None:
    case = BY_ID[case_id]
    _assert_same(replace(case, source="import numpy\n" + case.source), both)


@pytest.mark.parametrize(
    "tier", [pytest.param(SandboxChoice.UIDS, marks=pytest.mark.needs_root), SandboxChoice.BARE]
)
@pytest.mark.parametrize("case_id", A_FEW_OF_EACH)
def test_in_the_weaker_sandboxes_too(
    case_id: str, tier: SandboxChoice, both_in_tier: Callable[[SandboxChoice], Both]
) -> None:
    _assert_same(BY_ID[case_id], both_in_tier(tier))


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("case_id", A_FEW_OF_EACH)
def test_with_every_interpreter_on_path(
    case_id: str, version: str, both_with_interpreter: Callable[[str], Both]
) -> None:
    if version == "{}.{}".format(*sys.version_info):
        pytest.skip("this is the interpreter of all other tests")
    if not _can_start(f"python{version}"):
        pytest.skip(f"there is no python{version} on PATH")
    _assert_same(BY_ID[case_id], both_with_interpreter(f"python{version}"))


@cache
def _can_start(name: str) -> bool:
    """A name on PATH may lead to a version manager that knows no such version."""
    path = shutil.which(name)
    return (
        path is not None
        and subprocess.run([path, "-c", ""], capture_output=True, check=False).returncode == 0
    )


@pytest.mark.parametrize(
    "source", [pytest.param(source, id=name, marks=_needs(source)) for name, source in CHANCE.items()]
)
def test_runs_of_one_template_share_no_chance(source: str, warm: SandboxExecutor) -> None:
    runs = [warm.prepare(Submission(type="python", solution=source)).result() for _ in range(3)]
    assert [run.stderr for run in runs] == ["", "", ""]
    assert len({run.stdout for run in runs}) == 3
