"""The table of languages, and a Python source's bytes."""

import shutil
import sys

import pytest

from code_judge.settings import Settings
from code_judge_workers.languages import Language, encode_source, known_languages, probe

HEADERS = "/precompiled"


def _language(name: str, settings: Settings, python: str = sys.executable) -> Language:
    return next(row for row in known_languages(settings, python, HEADERS) if row.name == name)


PYTHON, CPP = (_language(name, Settings()) for name in ("python", "cpp"))

ENCODED = {
    "no cookie": ("print('é')\n", "utf-8"),
    "cookie": ("# -*- coding: latin-1 -*-\nprint('é')\n", "latin-1"),
    "cookie with equals sign": ("# vim: set fileencoding=cp1252 :\nprint('€')\n", "cp1252"),
    "cookie on the second line": ("#!/usr/bin/python\n# coding: latin-1\nprint('é')\n", "latin-1"),
    "cookie after an empty line": ("\n# coding: latin-1\nprint('é')\n", "latin-1"),
    "cookie with more than a byte per character": ("# coding: euc-jp\nprint('日')\n", "euc-jp"),
    "cookie and windows lines": ("# coding: latin-1\r\nprint('é')\r\n", "latin-1"),
    "cookie that says utf-8": ("# coding: utf-8\nprint('é')\n", "utf-8"),
    "cookie on the third line": ("#\n#\n# coding: latin-1\nprint('é')\n", "utf-8"),
    "cookie after code": ("x = 'é'\n# coding: latin-1\n", "utf-8"),
    "cookie in a string": ("x = '# coding: latin-1 é'\n", "utf-8"),
    "byte order mark": ("\ufeffprint('é')\n", "utf-8"),
    "empty": ("", "utf-8"),
}


@pytest.mark.parametrize(("text", "encoding"), ENCODED.values(), ids=ENCODED)
def test_a_source_is_stored_in_the_encoding_that_it_declares(text: str, encoding: str) -> None:
    assert encode_source(PYTHON, text) == text.encode(encoding)


LEFT_TO_THE_INTERPRETER = {
    "unknown encoding": "# coding: no-such-code\nprint('é')\n",
    "encoding that cannot hold the text": "# coding: ascii\nprint('é')\n",
    "byte order mark and another encoding": "\ufeff# coding: latin-1\nprint('é')\n",
    "no text encoding": "# coding: rot13\nprint('é')\n",
    "encoding that hides line ends": "# coding: unicode_escape\nprint('é')\n",
}


@pytest.mark.parametrize("text", LEFT_TO_THE_INTERPRETER.values(), ids=LEFT_TO_THE_INTERPRETER)
def test_a_cookie_that_does_not_fit_is_left_to_the_interpreter_to_refuse(text: str) -> None:
    assert encode_source(PYTHON, text) == text.encode()


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-7", "unicode_escape", "raw_unicode_escape"])
def test_an_ascii_source_is_its_own_file_whatever_it_declares(encoding: str) -> None:
    text = f"# coding: {encoding}\nprint('+AG4-', '\\x41')\n"

    assert encode_source(PYTHON, text) == text.encode()


def test_other_languages_have_no_cookies() -> None:
    text = "# coding: latin-1\nint main() { return 'é'; }\n"

    assert encode_source(CPP, text) == text.encode()


@pytest.mark.parametrize("language", [PYTHON, CPP], ids=["python", "cpp"])
def test_a_text_that_no_file_can_hold_is_refused(language: Language) -> None:
    with pytest.raises(UnicodeEncodeError):
        encode_source(language, "print('\ud800')\n")


def test_a_language_is_offered_with_what_its_tool_says_of_itself() -> None:
    info = probe(PYTHON)

    assert info is not None
    assert info.name == "python"
    assert info.version == f"Python {sys.version.split()[0]}"


def test_a_language_without_its_tool_is_not_offered() -> None:
    assert probe(_language("python", Settings(), python="no-such-python")) is None
    assert probe(_language("cpp", Settings(cpp_compiler_path="no-such-compiler"))) is None


def test_a_compiler_is_called_by_its_full_path_with_the_nodes_flags_and_headers() -> None:
    cpp = _language("cpp", Settings(cpp_compiler_path="sh", cpp_flags="-O1 '-DNAME=a b'"))

    assert cpp.compile == (shutil.which("sh"), "-O1", "-DNAME=a b", f"-I{HEADERS}", "-o", "main", "main.cpp")


def test_an_interpreted_language_needs_no_compiler() -> None:
    assert PYTHON.compile is None
    assert PYTHON.run == (sys.executable, "main.py")
