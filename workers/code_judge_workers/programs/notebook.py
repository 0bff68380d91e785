"""Runs a notebook's cells one after the other in one interpreter; only the last one is seen.

For each cell that begins, one byte goes to the run's stdout, before anything else can: from their number the
node knows in which cell a run ended. The rest of stdout is the last cell's.
"""

from __future__ import annotations
import __future__

import _signal  # type: ignore[import-not-found]  # signal without its enums, which take a millisecond
import ast
import builtins
import importlib
import json
import linecache
import os
import sys
import time
import traceback
from types import CodeType
from typing import Any

CELL_FILE = "<cell {}>"
MAGIC = "% and ! commands are IPython's and not available here; a cell is plain Python"
IS_COROUTINE = 0x80
"""``inspect.CO_COROUTINE``, without what inspect imports."""
FUTURES = sum({getattr(__future__, name).compiler_flag for name in __future__.all_feature_names})
"""Bits that future statements leave in a code object's flags."""


def main(order: str, folder: str, namespace: dict[str, Any]) -> None:
    """Run the cells of ``order`` in ``namespace``, and end as the last of them ends."""
    cells = json.loads(order)
    script = namespace.pop("__file__")
    os.unlink(script)
    sys.path.insert(0, folder)
    vars(builtins).update(exit=leave, quit=leave)
    notebook = Notebook(namespace, cells["seed"])
    streams = Streams()
    *history, last = cells["cells"]
    # A lone cell needs no timer: the run's own limit is its limit.
    restart_timer = CpuTimer(cells["cell_limit_s"]).restart if history else lambda: None
    for number, source in history:
        streams.mark()
        restart_timer()
        try:
            notebook.run(number, source)
        except BaseException:  # noqa: BLE001 - it had its say when it was the last cell; what it assigned stays
            pass
    streams.mark()
    streams.show()
    restart_timer()
    code = run_last(notebook, *last)
    if code not in (None, 0):
        namespace["__file__"] = script  # a sign for the sandbox that this is not a plain end
        sys.exit(code)


def run_last(notebook: Notebook, number: int, source: str) -> Any:
    """Run the cell that is seen. Returns what ``sys.exit`` takes."""
    try:
        notebook.run(number, source)
    except SystemExit as leaving:
        return leaving.code
    except BaseException as error:  # noqa: BLE001 - a notebook shows whatever was raised
        show_error(error)
        return 1
    return 0


def leave(code: object = None) -> None:
    """``exit`` and ``quit``: those of ``site`` close stdin, which cells share."""
    raise SystemExit(code)


def show_error(error: BaseException) -> None:
    """Print the traceback from the first line of a cell on."""
    frames = error.__traceback__
    while frames is not None and not frames.tb_frame.f_code.co_filename.startswith(CELL_FILE[:6]):
        frames = frames.tb_next
    traceback.print_exception(type(error), error, frames)


class Streams:
    """The run's own streams, out of the cells' reach until the last one's turn.

    Descriptors are redirected rather than ``sys.stdout``, so that subprocesses and C code are hidden, too.
    """

    def __init__(self) -> None:
        self._own = [os.dup(number) for number in range(3)]
        null = os.open(os.devnull, os.O_RDWR)
        for number in range(3):
            os.dup2(null, number)
        os.close(null)

    def mark(self) -> None:
        """Say that a cell begins."""
        os.write(self._own[1], b".")

    def show(self) -> None:
        """Put them back, when what is still in buffers has gone where it belongs."""
        for name in ("stdout", "stderr", "__stdout__", "__stderr__"):
            try:
                getattr(sys, name).flush()
            except Exception:  # noqa: BLE001 - closed, or replaced by anything
                pass
        if "ctypes" in sys.modules:
            sys.modules["ctypes"].CDLL(None).fflush(None)  # what C code has printed
        for number, own in enumerate(self._own):
            os.dup2(own, number)
            os.close(own)


class CpuTimer:
    """Has the kernel end this process after so much CPU, even where no bytecode is being run.

    POSIX's timer on the process's clock: ``setitimer`` counts clock ticks, and was seen to fire after 1.6 of
    2 s on a busy virtual machine.
    """

    def __init__(self, seconds: float) -> None:
        ctypes = importlib.import_module("ctypes")
        own = ctypes.CDLL(None)
        self._library = own if hasattr(own, "timer_create") else ctypes.CDLL("librt.so.1")
        self._timer = ctypes.c_void_p()
        # struct sigevent: a value of two words, the signal, SIGEV_SIGNAL.
        event = (ctypes.c_int * 16)(0, 0, _signal.SIGPROF, 0)
        if self._library.timer_create(time.CLOCK_PROCESS_CPUTIME_ID, event, ctypes.byref(self._timer)):
            raise OSError("timer_create failed")
        # struct itimerspec: no interval, then seconds and nanoseconds.
        self._time = (ctypes.c_long * 4)(0, 0, int(seconds), int(seconds % 1 * 1e9))

    def restart(self) -> None:
        """Count from now."""
        self._library.timer_settime(self._timer, 0, self._time, None)


class Notebook:
    """Cells that share a namespace, future statements, an event loop and a state of chance."""

    def __init__(self, namespace: dict[str, Any], seed: int) -> None:
        self._namespace = namespace
        self._futures = 0
        self._loop: Any = None
        self._seed = seed
        self._unseeded = ["random", "numpy.random"]

    def run(self, number: int, source: str) -> None:
        """Run one cell; its last expression is shown by ``sys.displayhook``. Raises what the cell raises."""
        name = CELL_FILE.format(number)
        linecache.cache[name] = (len(source), None, [f"{line}\n" for line in source.split("\n")], name)
        codes = self._compile(source, name)
        self._seed_chance(source)
        if any(code.co_flags & IS_COROUTINE for code in codes):
            self._run_in_loop(self._run_awaiting(codes))
        else:
            for code in codes:
                exec(code, self._namespace)

    def _compile(self, source: str, name: str) -> list[CodeType]:
        try:
            body = self._code(source, name, "exec", ast.PyCF_ONLY_AST).body
        except SyntaxError as error:
            if (error.text or "").lstrip().startswith(("%", "!")):
                error.msg = MAGIC
            raise
        if not body or not isinstance(body[-1], ast.Expr) or is_silenced(source, body[-1]):
            return [self._code(ast.Module(body, []), name, "exec")]
        return [
            self._code(ast.Module(body[:-1], []), name, "exec"),
            self._code(ast.Interactive(body[-1:]), name, "single"),
        ]

    def _code(self, source: Any, name: str, mode: str, flags: int = 0) -> Any:
        flags |= self._futures | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        code = compile(source, name, mode, flags, dont_inherit=True)
        if isinstance(code, CodeType):
            self._futures |= code.co_flags & FUTURES
        return code

    def _run_in_loop(self, coroutine: Any) -> None:
        if self._loop is None:
            self._loop = importlib.import_module("asyncio").new_event_loop()
        self._loop.run_until_complete(coroutine)

    async def _run_awaiting(self, codes: list[CodeType]) -> None:
        """All of a cell that awaits somewhere, so that it finds the loop running from its first line on."""
        for code in codes:
            value = eval(code, self._namespace)
            if code.co_flags & IS_COROUTINE:
                await value

    def _seed_chance(self, source: str) -> None:
        """Seed each generator once, before a cell can draw from it: a replay draws what the first run drew.

        Only once, so that a seed which a cell sets itself holds in the cells after it.
        """
        for name in list(self._unseeded):
            package = name.partition(".")[0]
            is_asked_for = "random" in source and (package in source or package in sys.modules)
            if is_asked_for or name in sys.modules:  # numpy loads its part late
                try:
                    importlib.import_module(name).seed(self._seed)
                except Exception:  # noqa: BLE001 - not installed, broken, or a file of the submission's own
                    continue
                self._unseeded.remove(name)


def is_silenced(source: str, last: ast.stmt) -> bool:
    """Whether a semicolon follows the last statement. Its position is in bytes of UTF-8."""
    assert last.end_lineno is not None
    lines = source.encode().splitlines()
    rest = [lines[last.end_lineno - 1][last.end_col_offset :], *lines[last.end_lineno :]]
    return b"\n".join(rest).lstrip(b" \t\f\\\n").startswith(b";")
