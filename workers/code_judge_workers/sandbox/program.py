"""What a slot is asked to run."""

import fcntl
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field

SEALS = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE


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
    descriptor = os.memfd_create(name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        for content in contents:
            left = memoryview(content)
            while left:
                left = left[os.write(descriptor, left) :]
        fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, SEALS)
        os.lseek(descriptor, 0, os.SEEK_SET)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def bundle(files: Mapping[str, RunFile]) -> int:
    """All files of a run in one sealed file, as ``child`` unpacks it."""
    manifest = json.dumps([[path, len(file.content), file.mode] for path, file in files.items()]).encode()
    contents = [file.content for file in files.values()]
    return sealed_file("bundle", len(manifest).to_bytes(8, "big"), manifest, *contents)
