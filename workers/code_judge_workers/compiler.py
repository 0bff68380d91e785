"""Compiles programs in the sandbox and keeps what came out."""

import hashlib
import logging
import os
import threading
from collections import OrderedDict
from concurrent.futures import Future
from dataclasses import dataclass

from code_judge.metrics import Tally, families
from code_judge.settings import Settings

from .languages import Language
from .sandbox.limits import MEGABYTE, Limits
from .sandbox.outcome import Outcome, SandboxError
from .sandbox.program import Program, RunFile, lent, sealed_copy
from .sandbox.sandbox import Execution, Sandbox

MAX_MESSAGE_BYTES = 16 << 10
"""Bytes kept of what a compiler says, at least; results carry fewer."""
MAX_PROGRAM_BYTES = 64 * MEGABYTE
"""Largest file that a compiler may write."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Compiled:
    """The end of one compilation."""

    program: int | None
    """Descriptor of the program, sealed in memory; None where the compiler refused. Not the caller's to
    close: it lives as long as the cache keeps it, and callers hold a duplicate."""
    outcome: Outcome
    size_bytes: int = 0


class Compiler:
    """A cache of compiled programs by (command, source), bounded by bytes, each compiled once at a time."""

    def __init__(
        self, sandbox: Sandbox, settings: Settings, template: str, versions: dict[str, str], tally: Tally
    ) -> None:
        self._sandbox = sandbox
        self._tally = tally
        self._template = template
        self._versions = versions
        self._capacity_bytes = int(settings.compile_cache_mb * MEGABYTE)
        self._limits = Limits(
            cpu_s=settings.compile_time_limit,
            memory_bytes=int(settings.compile_memory * MEGABYTE),
            output_bytes=16 * MEGABYTE,
            file_bytes=MAX_PROGRAM_BYTES,
            processes=settings.max_processes,
            open_files=settings.max_open_files,
            nice=settings.run_nice,
        )
        self._lock = threading.Lock()
        self._entries: OrderedDict[str, Future[Compiled]] = OrderedDict()
        self._used_bytes = 0
        self.compilations = 0

    def compile(self, language: Language, source: bytes, execution: Execution) -> tuple[Outcome, int | None]:
        """Compile, or take what an equal source gave before. Returns how the compiler ended and a descriptor
        of the program, which the caller closes. Raises SandboxError."""
        assert language.compile is not None
        key = self._key(language, source)
        with self._lock:
            entry = self._entries.get(key)
            mine = entry is None
            if entry is None:
                entry = self._entries[key] = Future()
            self._entries.move_to_end(key)
        self._tally.add(families.COMPILE_CACHE, "miss" if mine else "hit")
        if mine:
            self._fill(key, entry, language, source)
        compiled = entry.result()
        with self._lock:
            # The cache may drop and close it any time from here on: hold it by a descriptor of our own.
            if compiled.program is None:
                return compiled.outcome, None
            if self._entries.get(key) is entry:
                return compiled.outcome, lent(compiled.program)
        return self.compile(language, source, execution)

    def close(self) -> None:
        """Drop every program."""
        with self._lock:
            for key in list(self._entries):
                self._drop(key)

    def _key(self, language: Language, source: bytes) -> str:
        command = "\0".join((*(language.compile or ()), self._versions.get(language.name, "")))
        return hashlib.blake2b(command.encode() + b"\0\0" + source).hexdigest()

    def _fill(self, key: str, entry: "Future[Compiled]", language: Language, source: bytes) -> None:
        try:
            compiled = self._compile(language, source)
        except BaseException as error:  # noqa: BLE001 - those who wait for the same program must hear of it
            with self._lock:
                self._entries.pop(key, None)
            entry.set_exception(error)
            return
        with self._lock:
            self._used_bytes += compiled.size_bytes
            entry.set_result(compiled)
            while self._used_bytes > self._capacity_bytes and len(self._entries) > 1:
                oldest = next(key for key, entry in self._entries.items() if entry.done())
                self._drop(oldest)

    def _drop(self, key: str) -> None:
        entry = self._entries.pop(key)
        if entry.done() and entry.exception() is None:
            compiled = entry.result()
            self._used_bytes -= compiled.size_bytes
            if compiled.program is not None:
                os.close(compiled.program)

    def _compile(self, language: Language, source: bytes) -> Compiled:
        self.compilations += 1
        # Not with the caller's execution: others may wait for the same program.
        outcome = self._sandbox.run(
            Program(
                template=self._template,
                argv=list(language.compile or ()),
                files={language.source: RunFile(source)},
                environment={"TMPDIR": "."},
                artifact=language.program,
                keep_stdout_bytes=MAX_MESSAGE_BYTES,
                keep_stderr_bytes=MAX_MESSAGE_BYTES,
            ),
            self._limits,
        )
        if outcome.stop:
            self._tally.add(families.LIMITS_HIT, outcome.stop.value, "compile")
        artifact = outcome.artifact
        if artifact is None:
            if outcome.exit_code == 0:
                raise SandboxError("the compiler ended well but left no program")
            return Compiled(None, outcome, len(outcome.stdout) + len(outcome.stderr))
        try:
            if outcome.exit_code != 0 or outcome.stop:
                return Compiled(None, outcome, len(outcome.stdout) + len(outcome.stderr))
            program = sealed_copy("program", artifact)
            return Compiled(program, outcome, os.fstat(program).st_size)
        finally:
            os.close(artifact)
