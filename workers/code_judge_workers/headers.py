"""``bits/stdc++.h``, compiled once per node: most of the time that small contest programs take to compile.

The compiler looks for ``NAME.gch`` in each include folder before NAME itself, and takes it where it was made
by the same compiler with the same flags; else it goes on to the real header. So the worst that can happen is
that nothing becomes faster. (GCC manual, "Using Precompiled Headers".)
"""

import logging
import os
import threading
from pathlib import Path

from .languages import Language
from .sandbox.limits import MEGABYTE, Limits
from .sandbox.outcome import SandboxError
from .sandbox.program import Program, RunFile
from .sandbox.sandbox import Execution, Sandbox

HEADER = "bits/stdc++.h"
_SOURCE, _PRODUCT = "stdc++.h", "stdc++.h.gch"
_LIMITS = Limits(
    cpu_s=60,
    memory_bytes=1024 * MEGABYTE,
    output_bytes=MEGABYTE,
    file_bytes=1024 * MEGABYTE,
    processes=64,
    open_files=1024,
    nice=10,
)

log = logging.getLogger(__name__)


class PrecompiledHeader:
    """Makes the compiled form in the sandbox, beside other work, and puts it where compilers look."""

    def __init__(self, sandbox: Sandbox, template: str, folder: Path) -> None:
        self._sandbox = sandbox
        self._template = template
        self._target = folder / f"{HEADER}.gch"
        self._execution = Execution()
        self._thread: threading.Thread | None = None

    def start(self, language: Language) -> None:
        """Begin; compilations work without it until it is there."""
        self._thread = threading.Thread(target=self._make, args=(language,), name="precompiled-header")
        self._thread.start()

    def wait(self, timeout_s: float) -> bool:
        """Wait for the attempt to end; True where the compiled form is there."""
        if self._thread is not None:
            self._thread.join(timeout_s)
        return self._target.exists()

    def stop(self) -> None:
        """Give up where it is not done yet."""
        self._execution.cancel()
        if self._thread is not None:
            self._thread.join()

    def _make(self, language: Language) -> None:
        try:
            outcome = self._sandbox.run(
                Program(
                    template=self._template,
                    argv=[*language.compiler_call, "-x", "c++-header", _SOURCE, "-o", _PRODUCT],
                    files={_SOURCE: RunFile(f"#include <{HEADER}>\n".encode())},
                    environment={"TMPDIR": "."},
                    artifact=_PRODUCT,
                ),
                _LIMITS,
                self._execution,
            )
        except SandboxError as error:
            log.warning("no precompiled %s: %s", HEADER, error)
            return
        if self._execution.cancelled:
            log.debug("the node stopped before %s was precompiled", HEADER)
        elif outcome.artifact is None or outcome.exit_code != 0:
            log.warning("no precompiled %s: %s", HEADER, outcome.stderr.decode(errors="replace")[-500:])
        else:
            self._install(outcome.artifact)
        if outcome.artifact is not None:
            os.close(outcome.artifact)

    def _install(self, artifact: int) -> None:
        """Put it in place at once: a compiler must never see half of it."""
        self._target.parent.mkdir(parents=True, exist_ok=True)
        unfinished = self._target.with_suffix(".unfinished")
        with unfinished.open("wb") as file:
            left = os.fstat(artifact).st_size
            while left:
                left -= os.sendfile(file.fileno(), artifact, None, left)
        unfinished.chmod(0o644)
        unfinished.rename(self._target)
