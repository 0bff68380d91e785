"""The languages that a node knows: data, one row each, and code only where a language needs it."""

import io
import re
import shlex
import shutil
import string
import subprocess
import tokenize
from dataclasses import dataclass

from code_judge.contract import LanguageInfo
from code_judge.settings import Settings


@dataclass(frozen=True, slots=True)
class Language:
    """How programs of one language are stored, compiled and run."""

    name: str
    source: str
    """Name of the source file."""
    tool: str
    """The interpreter or compiler; its first line for ``--version`` is shown in /cluster."""
    compiler_call: tuple[str, ...] = ()
    """The compiler and its flags; empty for interpreted languages."""
    program: str = "main"
    """Name of the compiled program."""
    run: tuple[str, ...] = ("./main",)
    """Command that runs it; interpreted languages name their source."""
    warm: bool = False
    """Whether templates of the configured interpreter can run it."""
    calls: bool = False
    """Whether tests may call its functions."""
    notebook: bool = False
    """Whether the source is a cell that runs after the cells of ``history``."""

    @property
    def compile(self) -> tuple[str, ...] | None:
        """Command that makes ``program`` of ``source``; None for interpreted languages."""
        if not self.compiler_call:
            return None
        return (*self.compiler_call, "-o", self.program, self.source)


def known_languages(settings: Settings, python: str, headers: str) -> list[Language]:
    """The table, with this node's paths: programs are executed by them, since a run's PATH is not the
    node's. ``python`` is the configured interpreter's own idea of where it is."""
    compiler = shutil.which(settings.cpp_compiler_path) or settings.cpp_compiler_path
    return [
        Language(
            name="python",
            source="main.py",
            tool=python,
            run=(python, "main.py"),
            warm=True,
            calls=True,
        ),
        Language(
            name="jupyter",
            source="main.py",
            tool=python,
            run=(python, "main.py"),
            warm=True,
            notebook=True,
        ),
        Language(
            name="cpp",
            source="main.cpp",
            tool=compiler,
            # The folder of precompiled headers comes first: they stand in for the system's.
            compiler_call=(compiler, *shlex.split(settings.cpp_flags), f"-I{headers}"),
        ),
    ]


def probe(language: Language) -> LanguageInfo | None:
    """What its tool says of itself, or None where the tool is missing."""
    tool = shutil.which(language.tool)
    if tool is None:
        return None
    answer = subprocess.run([tool, "--version"], capture_output=True, text=True, timeout=60, check=False)
    lines = (answer.stdout or answer.stderr).splitlines()
    return LanguageInfo(
        name=language.name, version=lines[0] if lines and answer.returncode == 0 else "unknown"
    )


_ASCII = "\n" + string.printable
_CODING = re.compile(r"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)", re.ASCII)


def encode_source(language: Language, text: str) -> bytes:
    """The source file's bytes: UTF-8, or for Python the encoding that the text itself declares, so that it
    means the same as it did where it was written. Raises UnicodeEncodeError for lone surrogates."""
    data = text.encode()
    if language.name != "python" or not any(_CODING.match(line) for line in text.split("\n", 2)[:2]):
        return data
    try:
        declared, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        # Codecs that write ASCII otherwise (utf-16, utf-7, escapes) cannot be a source's: left as it came.
        return text.encode(declared) if _ASCII.encode(declared) == _ASCII.encode() else data
    except (SyntaxError, LookupError, UnicodeEncodeError):
        return data  # the interpreter itself tells what is wrong with it
