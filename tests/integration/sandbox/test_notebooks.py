"""Type ``jupyter``: a cell after the cells before it."""

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from code_judge.contract import Result, Verdict

from .conftest import Judge

Run: TypeAlias = Callable[..., Result]
"""Runs a notebook: cells, oldest first, then fields of the submission."""

ENDLESS = "while True:\n    pass"
CPU_LIMIT_S = 0.3
"""For cells that are meant to reach it."""


@pytest.fixture(scope="module")
def run(judge: Judge) -> Run:
    def run(*cells: str, **fields: Any) -> Result:
        return judge(type="jupyter", history=list(cells[:-1]), solution=cells[-1], **fields)

    return run


# What is seen


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        ("1 + 1", "2\n"),
        ("'text'", "'text'\n"),
        ("None", ""),
        ("a = 1", ""),
        ("a = 1;", ""),
        ("40 + 2;", ""),
        ("40 + 2 ; # quiet", ""),
        ("40 + 2 # ; not quiet", "42\n"),
        ("x = 5; (x +\n 1)\n", "6\n"),
        ("'é' * 2;", ""),
        ("print('a'); 'b'", "a\n'b'\n"),
        ("'first'\n'second'", "'second'\n"),
        ("if True:\n    'inside'", ""),
        ("# nothing", ""),
        ("", ""),
        ("5\n_", "5\n"),
    ],
)
def test_the_last_expression_is_echoed(run: Run, cell: str, shown: str) -> None:
    result = run("_ = 5", cell)
    assert (result.verdict, result.stdout, result.stderr) == (Verdict.RAN, shown, "")


def test_the_output_of_earlier_cells_is_hidden(run: Run) -> None:
    result = run(
        "import os, subprocess, sys, warnings\n"
        "print('old'); print('old', file=sys.stderr, end='')\n"
        "warnings.warn('old')\n"
        "os.system('echo old'); os.write(1, b'old'); subprocess.run(['echo', 'old'])\n"
        "'old'",
        "import logging\nlogging.basicConfig()\nlogging.warning('old')",
        "1 / 0",
        "logging.warning('new')\nprint('new')",
    )
    assert (result.stdout, result.stderr) == ("new\n", "WARNING:root:new\n")


def test_the_output_of_a_notebook_can_be_judged(run: Run) -> None:
    assert run("a = 20", "a + 1", expected_output="21").verdict is Verdict.ACCEPTED
    assert run("a = 20", "a + 1", expected_output="22").verdict is Verdict.WRONG_ANSWER


def test_input_is_the_last_cells(run: Run) -> None:
    result = run("input()", "exit()", "input() + input()", input="one\ntwo\n")
    assert result.stdout == "'onetwo'\n"


def test_a_traceback_shows_cells_only(run: Run) -> None:
    result = run("def f(n):\n    return 1 / n", "print('before')\nf(0)")
    assert result.verdict is Verdict.RUNTIME_ERROR
    assert result.exit_code == 1
    assert result.stdout == "before\n"
    lines = [line for line in result.stderr.splitlines() if "~" not in line and "^" not in line]
    assert lines == [
        "Traceback (most recent call last):",
        '  File "<cell 2>", line 2, in <module>',
        "    f(0)",
        '  File "<cell 1>", line 2, in f',
        "    return 1 / n",
        "ZeroDivisionError: division by zero",
    ]


def test_a_syntax_error_runs_nothing_and_shows_the_cell_only(run: Run) -> None:
    result = run("print('ran')\nx = = 2")
    assert (result.verdict, result.stdout) == (Verdict.RUNTIME_ERROR, "")
    assert result.stderr.startswith('  File "<cell 1>", line 2\n    x = = 2\n')


@pytest.mark.parametrize("cell", ["import os\n%matplotlib inline", "!pip install x", "%%time\n1"])
def test_ipythons_own_commands_are_refused_with_the_reason(run: Run, cell: str) -> None:
    result = run(cell)
    assert result.verdict is Verdict.RUNTIME_ERROR
    assert "IPython's" in result.stderr


# What stays


def test_a_cell_that_raised_keeps_what_it_had_assigned(run: Run) -> None:
    assert run("y = 3\n1 / 0\ny = 4", "y").stdout == "3\n"


def test_future_statements_and_the_event_loop_stay(run: Run) -> None:
    assert run("from __future__ import annotations", "def f(x: nobody): ...\nf.__annotations__").stdout == (
        "{'x': 'nobody'}\n"
    )
    waits = "import asyncio\ntask = asyncio.ensure_future(asyncio.sleep(0, 'done'))\nawait asyncio.sleep(0)"
    assert run(waits, "await task").stdout == "'done'\n"


def test_cells_are_the_main_module(run: Run) -> None:
    cell = "import pickle\n__name__, type(pickle.loads(pickle.dumps(A()))) is A"
    assert run("class A: ...", cell).stdout == "('__main__', True)\n"


def test_nothing_of_ours_is_in_the_namespace_or_the_working_directory(run: Run) -> None:
    result = run("import os\n[n for n in globals() if not n.startswith('__')], os.listdir('.')", files={})
    assert result.stdout == "(['os'], [])\n"


def test_exit_ends_its_cell_only(run: Run) -> None:
    assert run("exit()", "a = 1\nquit(3)\na = 2", "import sys\nsys.exit('bye')", "a").stdout == "1\n"


@pytest.mark.parametrize(("cell", "code"), [("exit()", 0), ("exit(3)", 3), ("raise SystemExit('bye')", 1)])
def test_the_last_cells_exit_is_the_runs_exit(run: Run, cell: str, code: int) -> None:
    result = run("a = 1", f"print('out')\n{cell}\nprint('never')")
    assert (result.exit_code, result.stdout) == (code, "out\n")


def test_a_replay_draws_the_same_random_numbers(run: Run) -> None:
    draw = "import random\nr = random.random()\nr"
    first = run(draw).stdout
    assert run(draw, "r").stdout == first
    assert run(draw, "random.random()").stdout != first
    assert run("import random\nrandom.seed(42)", "random.random()").stdout == "0.6394267984578837\n"


@pytest.mark.needs_numpy
def test_a_replay_draws_numpys_same_random_numbers(run: Run) -> None:
    draw = "import numpy as np\nr = float(np.random.rand())\nr"
    assert run(draw, "r").stdout == run(draw).stdout
    assert (
        run("import numpy as np", "np.random.rand()").stdout
        == run("import numpy as np", "r = np.random.rand()", "r").stdout
    )


# Cells that do not come to an end


def test_a_cell_out_of_time_is_left_out_and_the_rest_is_answered(run: Run) -> None:
    result = run("a = 1", f"a = 2\n{ENDLESS}", "b = a", "a, b", time_limit=CPU_LIMIT_S)
    assert (result.verdict, result.stdout) == (Verdict.RAN, "(1, 1)\n")


@pytest.mark.parametrize(
    "cell",
    [
        "import os\nos._exit(0)",
        "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)",
        "import os\nos.closerange(3, 64)",
        "x = bytearray(400 << 20)",
        "import time\ntime.sleep(1000)",
        f"try:\n    {ENDLESS.replace(chr(10), chr(10) + '    ')}\nexcept BaseException:\n    pass",
        f"import signal\nsignal.signal(signal.SIGPROF, signal.SIG_IGN)\n{ENDLESS}",
    ],
)
def test_a_cell_that_ends_or_holds_its_interpreter_is_left_out(run: Run, cell: str) -> None:
    result = run("a = 1", f"a = 2\n{cell}", "a", time_limit=CPU_LIMIT_S)
    assert (result.verdict, result.stdout) == (Verdict.RAN, "1\n")


def test_the_last_cell_has_its_own_time_limit(run: Run) -> None:
    result = run("a = 1", ENDLESS, time_limit=CPU_LIMIT_S)
    assert result.verdict is Verdict.TIME_LIMIT
    assert result.cpu_time < 2 * CPU_LIMIT_S


def test_earlier_cells_leave_the_last_one_its_whole_time_limit(run: Run) -> None:
    busy = (
        f"import time\nend = time.process_time() + {CPU_LIMIT_S / 2}\nwhile time.process_time() < end: pass"
    )
    assert run(busy, busy, busy, "'in time'", time_limit=CPU_LIMIT_S).stdout == "'in time'\n"


def test_a_program_cannot_pass_by_ending_its_interpreter_early(run: Run) -> None:
    result = run("import os\nos._exit(0)", "1 / 0", expected_output="")
    assert result.verdict is Verdict.RUNTIME_ERROR


def test_each_test_of_a_notebook_replays_it(judge: Judge) -> None:
    result = judge(
        type="jupyter",
        history=["total = 0"],
        solution="total += int(input())\ntotal",
        tests=[{"input": "1", "expected_output": "1"}, {"input": "2", "expected_output": "2"}],
    )
    assert result.verdict is Verdict.ACCEPTED


def test_a_lone_surrogate_in_history_is_invalid_input(run: Run) -> None:
    assert run("'\ud83d'", "1").verdict is Verdict.INVALID_INPUT
