"""A run's last steps, when it ends well: all that a program can see of CPython's exit, none of the rest.

CPython ends by taking itself apart, which touches most of its memory. In a fork every page touched is
a page copied: that costs more than most programs (4 of 7 ms for a bare one, 40 of 55 ms with sympy,
measured on the project's machine). Nothing outside can see it, but it can see what comes before: objects
finalised, modules cleared, streams flushed, C's exit handlers. So those steps are done here, in CPython's
own order (``Py_FinalizeEx`` and ``finalize_modules`` in pylifecycle.c), and then the process exits.

Only a plain end takes this way. Where the exit code is not surely 0, CPython goes on by itself.
"""

from __future__ import annotations

import ctypes
import gc
import sys
import weakref
from types import ModuleType
from typing import Any

from . import syscalls

EXIT_CODE_FLUSH_FAILED = 120
"""CPython's own: the program ended well, but stdout could not be flushed."""


class Farewell:
    """Registered with atexit before anything else is, so that it runs after everything else has."""

    def __init__(self) -> None:
        self._inherited: dict[str, ModuleType] = {}
        self._last_inherited = ""
        self._kept: list[Any] = []
        # Never freed, whatever becomes of the references to it: what it holds must not be taken apart.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self))

    def keep(self, *things: Any) -> None:
        """Never free these: taking them apart in a run would copy the pages that they are on."""
        self._kept.extend(things)

    def remember(self) -> None:
        """Note the modules that the template brought along: they are not the program's to take apart."""
        self._inherited.update(sys.modules)
        self._last_inherited = next(reversed(sys.modules))

    def __call__(self) -> None:
        """Leave, or return and let CPython leave."""
        main = sys.modules.get("__main__")
        if not _ended_plainly(main):
            return
        gc.collect()
        flushed = _flush_streams()
        _restore_streams()
        del main
        self._clear_modules()
        code = 0 if _flush_streams() and flushed else EXIT_CODE_FLUSH_FAILED
        syscalls.exit_process(code)

    def _clear_modules(self) -> None:
        """Take the program's own modules apart, ``__main__`` among them, as ``finalize_modules`` does."""
        modules: Any = sys.modules
        weak: list[weakref.ref[ModuleType]] = []
        for name in self._own_names():
            module = modules[name]
            if isinstance(module, ModuleType):
                weak.append(weakref.ref(module))
                modules[name] = None
        module = None
        gc.collect()
        for reference in reversed(weak):
            survivor = reference()
            if survivor is not None:
                _clear(survivor)

    def _own_names(self) -> list[str]:
        """Names of the modules that came after the template's, oldest first. Looking at those that came
        before, if only to pass over them, would copy the page that each of them is on."""
        names = []
        for name in reversed(sys.modules):
            if name == self._last_inherited:
                break
            if name not in self._inherited:
                names.append(name)
        return ["__main__", *reversed(names)]


def _ended_plainly(main: ModuleType | None) -> bool:
    """Whether the main script ran to its end.

    CPython takes ``__file__`` and ``__cached__`` out of ``__main__`` after a script returned or raised,
    but not on the way out of SystemExit; an exception leaves its traces in ``sys``.
    """
    if main is None:
        return False
    names = main.__dict__
    raised = hasattr(sys, "last_type") or hasattr(sys, "last_exc")
    return "__file__" not in names and "__cached__" not in names and not raised


def _flush_streams() -> bool:
    """Flush stdout and stderr; False where stdout refused, which CPython turns into exit code 120."""
    good = True
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name, None)
        if stream is None or getattr(stream, "closed", False):
            continue
        try:
            stream.flush()
        except Exception as error:  # noqa: BLE001 - a program's own stream may raise anything here
            if name == "stdout":
                sys.unraisablehook(_Unraisable(type(error), error, error.__traceback__, None, stream))
                good = False
    return good


class _Unraisable:
    """What ``sys.unraisablehook`` takes, made by hand."""

    def __init__(self, *values: Any) -> None:
        self.exc_type, self.exc_value, self.exc_traceback, self.err_msg, self.object = values


def _restore_streams() -> None:
    """Drop a program's own sys.stdin, stdout and stderr, so that their last references may go."""
    for name in ("stdin", "stdout", "stderr"):
        setattr(sys, name, getattr(sys, f"__{name}__", None))
    sys.path = sys.argv = sys.meta_path = sys.path_hooks = None  # type: ignore[assignment]


def _clear(module: ModuleType) -> None:
    """``_PyModule_Clear``: names with one leading underscore go first, then all but ``__builtins__``."""
    names = module.__dict__
    private = [name for name in names if isinstance(name, str) and name[:1] == "_" and name[1:2] != "_"]
    for name in private:
        names[name] = None
    for name in list(names):
        if name != "__builtins__":
            names[name] = None
