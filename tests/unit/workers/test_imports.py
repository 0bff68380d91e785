"""Which template a source asks for. A wrong guess costs time only, but the guess must cost none."""

import time

import pytest

from code_judge_workers.imports import MAX_SCANNED_CHARACTERS, choose_template, imported_packages

FOUND = {
    "plain": ("import numpy", {"numpy"}),
    "submodule": ("import numpy.linalg", {"numpy"}),
    "alias": ("import numpy as np", {"numpy"}),
    "several": ("import os, numpy as np,sympy , a.b as c, d", {"os", "numpy", "sympy", "a", "d"}),
    "from": ("from numpy import array", {"numpy"}),
    "from-submodule": ("from numpy.linalg import det", {"numpy"}),
    "from-star": ("from sympy import *", {"sympy"}),
    "from-in-brackets": ("from sympy import (\n    x,\n    y,\n)", {"sympy"}),
    "indented": ("def f():\n    import numpy\n\tfrom sympy import x", {"numpy", "sympy"}),
    "after-colon": ("if x: import numpy\ntry:import sympy\nexcept:pass", {"numpy", "sympy"}),
    "after-semicolon": ("import os; import numpy;from sympy import x", {"os", "numpy", "sympy"}),
    "windows-lines": ("import os\r\nimport numpy\r\n", {"os", "numpy"}),
    "tabs": ("import\tnumpy\tas\tnp\nfrom\tsympy\timport\tx", {"numpy", "sympy"}),
    "after-a-string": ('x = \'it\'; import numpy\ny = """z"""\nimport sympy', {"numpy", "sympy"}),
    "after-an-escaped-quote": ("x = 'it\\'s'\nimport numpy\ny = \"\\\\\"\nimport sympy", {"numpy", "sympy"}),
    "after-a-raw-string": ("x = r'\\d'\nimport numpy", {"numpy"}),
    "after-a-hash-in-a-string": ("x = '#'; import numpy", {"numpy"}),
    "after-a-quote-in-a-comment": ("# it's\nimport numpy", {"numpy"}),
    "after-an-unclosed-quote": ("x = 'broken\nimport numpy", {"numpy"}),
    "other-alphabets": ("import größe, 数\nfrom модуль import x", {"größe", "数", "модуль"}),
    "private": ("import _thread", {"_thread"}),
}


@pytest.mark.parametrize(("source", "names"), FOUND.values(), ids=FOUND)
def test_imports_are_found(source: str, names: set[str]) -> None:
    assert imported_packages(source) == names


NOT_FOUND = {
    "comment": "# import numpy\nx = 1  # import numpy",
    "string": "x = 'import numpy'\ny = \"\\nimport numpy\"",
    "docstring": "\"\"\"\nimport numpy\n\"\"\"\ndef f():\n    '''\n    from numpy import x\n    '''",
    "unclosed-docstring": '"""\nimport numpy\n',
    "quotes-within-a-docstring": '"""it\'s a "quoted"\n""\nimport numpy\n"""',
    "string-over-two-lines": "x = 'a\\\nimport numpy'",
    "bytes-and-formatted": "x = b'''\nimport numpy\n'''\ny = rf'''\nimport sympy\n'''",
    "relative": "from . import numpy\nfrom .numpy import x\nfrom ..numpy import y",
    "part-of-a-name": "reimport = 1\nimporter\nx.import_module\nimportnumpy",
    "attribute": "x.import numpy",
    "from-without-import": "from numpy\nyield from numpy\nraise x from numpy",
    "empty": "",
}


@pytest.mark.parametrize("source", NOT_FOUND.values(), ids=NOT_FOUND)
def test_what_only_looks_like_an_import_is_not_found(source: str) -> None:
    assert imported_packages(source) == set()


HOSTILE = {
    "quotes": "'",
    "double-quotes": '"',
    "both-quotes": "'\"",
    "triple-quotes": "'''\"\"\"",
    "backslashes": "\\",
    "quoted-backslashes": "'\\",
    "unclosed-strings": "'a\n",
    "hashes": "#",
    "blanks": " ",
    "indented-lines": "    \n",
    "newlines": "\n",
    "semicolons": ";",
    "imports": "import a;",
    "names": "import " + "a.b as c, " * 50,
    "dots": "import " + "." * 100,
    "commas": "import a" + "," * 100,
    "froms": "from a ",
    "blanks-after-from": "from a" + " " * 1_000,
    "blanks-after-import": "import" + " " * 1_000,
    "one-word": "x",
    "brackets": "(",
    "nulls": "\0",
    "surrogates": "\ud800",
}


@pytest.mark.parametrize("pattern", HOSTILE.values(), ids=HOSTILE)
def test_time_grows_with_the_source_and_no_faster(pattern: str) -> None:
    short, long = (pattern * (size // len(pattern)) for size in (20_000, 160_000))

    # Eight times the source: 64 times the time would be quadratic. The floor is for the clock's grain.
    assert _scan_time_s(long) < 24 * max(_scan_time_s(short), 0.0005)


@pytest.mark.parametrize("pattern", HOSTILE.values(), ids=HOSTILE)
def test_a_source_of_megabytes_costs_no_more_than_what_is_scanned_of_it(pattern: str) -> None:
    scanned, whole = (pattern * (size // len(pattern)) for size in (MAX_SCANNED_CHARACTERS, 4_000_000))

    assert _scan_time_s(whole) < 4 * max(_scan_time_s(scanned), 0.0005)


def _scan_time_s(source: str) -> float:
    """CPU seconds of this thread, the least of a few: neighbours on the machine do not count."""
    times = []
    for _ in range(3):
        started = time.thread_time()
        imported_packages(source)
        times.append(time.thread_time() - started)
    return min(times)


def test_imports_beyond_the_cap_are_left_to_the_program() -> None:
    padding = "x = 1\n" * (MAX_SCANNED_CHARACTERS // 6 + 1)

    assert imported_packages(f"import numpy\n{padding}import sympy\n") == {"numpy"}


TEMPLATES = {
    "bare": frozenset[str](),
    "numpy": frozenset({"numpy"}),
    "numpy-sympy": frozenset({"numpy", "sympy"}),
    "numpy-pandas-scipy": frozenset({"numpy", "pandas", "scipy"}),
}
COSTLY = frozenset[str]().union(*TEMPLATES.values())


@pytest.mark.parametrize(
    ("imports", "template"),
    [
        ("", "bare"),
        ("math, collections", "bare"),
        ("numpy", "numpy"),
        ("math, numpy", "numpy"),
        ("sympy", "numpy-sympy"),
        ("sympy, numpy", "numpy-sympy"),
        ("pandas", "numpy-pandas-scipy"),
        ("scipy, numpy", "numpy-pandas-scipy"),
        ("torch", "bare"),
    ],
)
def test_the_smallest_template_with_all_costly_imports_is_chosen(imports: str, template: str) -> None:
    source = f"import {imports}" if imports else "print(1)"

    assert choose_template(source, TEMPLATES, COSTLY) == template


def test_where_no_template_has_all_the_one_with_most_is_chosen() -> None:
    assert choose_template("import pandas, scipy, sympy", TEMPLATES, COSTLY) == "numpy-pandas-scipy"


def test_a_template_that_could_not_start_is_not_chosen() -> None:
    left = {name: modules for name, modules in TEMPLATES.items() if name in ("bare", "numpy-sympy")}

    assert choose_template("import numpy", left, COSTLY) == "numpy-sympy"
    assert choose_template("import pandas", left, frozenset({"numpy", "sympy"})) == "bare"
