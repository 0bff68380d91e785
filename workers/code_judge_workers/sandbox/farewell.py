"""A run's last step: where nobody could see CPython take itself apart, it is not done.

CPython ends by clearing every module and freeing every type, which touches most of its memory. In a fork
every page touched is a page copied: that costs more than most programs do (4 of 7 ms for a bare one, 40 of 55
with sympy, measured on the project's machine). A program sees none of it, unless something of its own is
called or flushed on the way: objects with finalisers, open files, suspended generators, trace functions.
Where there is nothing of the kind, and the exit code is surely 0, the process flushes C's streams, too, and
leaves; by C's ``exit``, which calls C's exit handlers, where the program brought compiled code that may have
left some (those of the template's libraries take 3 ms with numpy, and do nothing that shows). Where there is
nothing of the kind, but another exit code, CPython goes on to find it, without the template's modules. In any
other case it goes on as always.
"""

from __future__ import annotations

import ctypes
import gc
import sys
import weakref
from importlib.machinery import ExtensionFileLoader
from types import ModuleType
from typing import Any

from . import syscalls

MAX_OBJECTS = 200_000
"""More objects than this are not looked through: taking CPython apart is no longer what costs."""

_HAVE_GC = 1 << 14
"""``Py_TPFLAGS_HAVE_GC``: instances of the type can be found by the collector."""


class Farewell:
    """Registered with atexit before anything else is, so that it runs after everything else has."""

    def __init__(self) -> None:
        self._kept: list[Any] = []
        self._main: weakref.ref[ModuleType] | None = None
        self._template_modules: list[str] = []
        self._last_template_module = ""
        # Never freed, whatever becomes of the references to it: what it holds must not be taken apart.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self))

    def keep(self, *things: Any) -> None:
        """Never free these: taking them apart in a run would copy the pages that they are on."""
        self._kept.extend(things)

    def remember_modules(self) -> None:
        """Note and keep the modules that the template brings along."""
        self.keep(*sys.modules.values())
        self._template_modules = [n for n in sys.modules if n not in ("sys", "builtins", "__main__")]
        self._last_template_module = next(reversed(sys.modules))

    def renew_main(self) -> None:
        """Give the run a ``__main__`` that is not frozen: of a frozen one the collector would never free the
        program's globals, nor call their finalisers. Ours is a weak reference for the same reason, taken
        before a program may put another module in its place."""
        frozen = sys.modules["__main__"]
        main = sys.modules["__main__"] = ModuleType("__main__")
        main.__dict__.clear()
        main.__dict__.update(frozen.__dict__)
        self.keep(frozen)
        self._main = weakref.ref(main)

    def __call__(self) -> None:
        """Leave, or return and let CPython leave."""
        try:
            if not (_nobody_watches() and _nothing_to_finalise()):
                return
            if not self._ended_plainly():
                # CPython takes apart what it finds here: only the program's own, then.
                for name in self._template_modules:
                    sys.modules.pop(name, None)
                return
            sys.stdout.flush()
            sys.stderr.flush()
            exit_handlers = self._program_brought_compiled_code()
        except Exception:  # noqa: BLE001 - whatever it was, CPython's own way meets it again and says so
            return
        syscalls.exit_process(0, exit_handlers)

    def _ended_plainly(self) -> bool:
        """Whether the main script ran to its end, so that the exit code is 0.

        CPython takes ``__file__`` and ``__cached__`` out of ``__main__`` after a script returned or raised,
        but not on the way out of SystemExit; an exception leaves its traces in ``sys``.
        """
        main = self._main() if self._main is not None else None
        if main is None or sys.modules.get("__main__") is not main:
            return False
        names = main.__dict__
        raised = (
            hasattr(sys, "last_type") or hasattr(sys, "last_exc") or sys.excepthook is not sys.__excepthook__
        )
        return "__file__" not in names and "__cached__" not in names and not raised

    def _program_brought_compiled_code(self) -> bool:
        # From the newest on, and no further than need be: to look at a module is to copy the page it is on.
        for name in reversed(sys.modules):
            if name == self._last_template_module:
                break
            if type(getattr(sys.modules[name], "__loader__", None)) is ExtensionFileLoader:
                return True
        return False


def _nobody_watches() -> bool:
    """Whether no function of the program follows what is done here, and its streams are CPython's own."""
    traced = sys.gettrace() or sys.getprofile() or gc.callbacks
    own_streams = sys.stdout is not sys.__stdout__ or sys.stderr is not sys.__stderr__
    return not (traced or own_streams or sys.stdout.closed or sys.stderr.closed)


def _nothing_to_finalise() -> bool:
    """Whether none of the program's objects would be called, flushed or closed on its way out.

    The template's own objects are frozen, which the collector does not list.
    """
    objects = gc.get_objects()
    if len(objects) > MAX_OBJECTS:
        return False
    kinds = set(map(type, objects))
    if any(hasattr(kind, "__del__") for kind in kinds):
        return False
    metaclasses = tuple(kind for kind in kinds if issubclass(kind, type))
    if any(_finalised_unseen(each) for each in objects if isinstance(each, metaclasses)):
        return False
    references = tuple(kind for kind in kinds if issubclass(kind, weakref.ref))
    return not any(_calls_program(each) for each in objects if isinstance(each, references))


def _finalised_unseen(kind: Any) -> bool:
    """Whether instances have a finaliser, but cannot be found by the collector."""
    return "__del__" in kind.__dict__ and not kind.__flags__ & _HAVE_GC


def _calls_program(reference: Any) -> bool:
    """Whether a weak reference calls a function of the main script when its object goes."""
    return getattr(reference.__callback__, "__module__", "") == "__main__"
