"""What a slot is asked to run."""

import fcntl
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

SEALS = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE
_SEAL_EXEC = 0x20
"""``F_SEAL_EXEC``: its rights stay as they are, too."""


@dataclass(frozen=True, slots=True)
class RunFile:
    """A file that is put into the working directory before the run."""

    content: bytes
    mode: int = 0o644


@dataclass(frozen=True, slots=True)
class Program:
    """One program to run."""

    template: str
    """Whose slot runs it."""
    argv: list[str] | None
    """What to execute, or None to let the template's interpreter run main.py."""
    files: Mapping[str, RunFile]
    stdin: bytes = b""
    environment: Mapping[str, str] = field(default_factory=dict)
    executable: int | None = None
    """Descriptor of the program to execute instead of ``argv[0]``."""
    artifact: str | None = None
    """Name of the file in the working directory that is wanted when the run is over."""
    keep_stdout_bytes: int = 1 << 20
    """Bytes of stdout wanted from its start."""
    keep_stderr_bytes: int = 1 << 20


def sealed_file(name: str, *contents: bytes) -> int:
    """A file in memory that nobody can change any more, read from its start. The caller closes it."""

    def write(descriptor: int) -> None:
        for content in contents:
            left = memoryview(content)
            while left:
                left = left[os.write(descriptor, left) :]

    return _sealed(name, write)


def sealed_copy(name: str, source: int) -> int:
    """The same with the content of another file, copied by the kernel."""

    def copy(descriptor: int) -> None:
        size = os.fstat(source).st_size
        copied = 0
        while copied < size:
            count = os.sendfile(descriptor, source, copied, size - copied)
            if not count:
                raise OSError(0, "the file became shorter while it was copied")
            copied += count

    return _sealed(name, copy)


def lent(program: int) -> int:
    """A descriptor of a sealed program for one run, which the caller closes.

    It leads to a copy where the kernel cannot seal the rights on a file: a run of its owner could take them
    away, and the next run would meet that.
    """
    if fcntl.fcntl(program, fcntl.F_GET_SEALS) & _SEAL_EXEC:
        return os.dup(program)
    return sealed_copy("program", program)


def _sealed(name: str, fill: Callable[[int], None]) -> int:
    descriptor = os.memfd_create(name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        fill(descriptor)
        try:
            fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, SEALS | _SEAL_EXEC)
        except OSError:  # before Linux 6.3
            fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, SEALS)
        os.lseek(descriptor, 0, os.SEEK_SET)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def bundle(files: Mapping[str, RunFile]) -> int:
    """All files of a run in one sealed file, as ``child`` unpacks it: header, path and content of each."""
    parts = []
    for path, file in files.items():
        name = path.encode()
        header = b"".join(number.to_bytes(8, "big") for number in (file.mode, len(name), len(file.content)))
        parts += [header, name, file.content]
    return sealed_file("bundle", *parts)
