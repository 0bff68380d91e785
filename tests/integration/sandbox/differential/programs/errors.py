"""Errors beyond the plain traceback: recursion, hooks, warnings, crashes."""

from tests.integration.sandbox.differential.case import Case

CASES = [
    Case(
        "recursion-error",
        """
        def f(n):
            return f(n + 1) + 1
        f(0)
        """,
        ends=1,
    ),
    Case(
        "recursion-depth-reached",
        """
        import sys
        depth = 0
        def f():
            global depth
            depth += 1
            f()
        for limit in (sys.getrecursionlimit(), 100, 5000):
            sys.setrecursionlimit(limit)
            depth = 0
            try:
                f()
            except RecursionError as error:
                print(limit, depth, error)
        """,
    ),
    Case(
        "recursion-depth-reached-in-c",
        """
        import functools, json, sys
        depth = 0
        @functools.lru_cache(maxsize=None)
        def f(n):
            global depth
            depth = n
            return f(n + 1)
        try:
            f(0)
        except RecursionError as error:
            print(depth, error)
        nested = []
        for _ in range(100_000):
            nested = [nested]
        try:
            json.dumps(nested)
        except RecursionError as error:
            print(error)
        class R:
            def __repr__(self):
                global depth
                depth += 1
                return repr(self)
        depth = 0
        try:
            repr(R())
        except RecursionError as error:
            print(depth, error)
        """,
    ),
    Case(
        "recursion-a-hundred-thousand-deep",
        """
        import sys
        sys.setrecursionlimit(200_000)
        def f(n):
            return 0 if n == 0 else 1 + f(n - 1)
        print(f(100_000))
        """,
    ),
    Case(
        "recursion-deep-on-the-c-stack",
        """
        import sys
        sys.setrecursionlimit(10**6)
        def f(n):
            return n if n == 0 else max([n], key=lambda m: f(m - 1))
        print(f(10_000))
        """,
    ),
    Case(
        "recursion-deep-in-a-thread-with-large-stack",
        """
        import sys, threading
        sys.setrecursionlimit(10**6)
        threading.stack_size(128 * 1024 * 1024)
        def f(n):
            return n if n == 0 else max([n], key=lambda m: f(m - 1))
        thread = threading.Thread(target=lambda: print(f(20_000)))
        thread.start()
        thread.join()
        """,
        memory_limit=512,
    ),
    Case(
        "recursion-without-end-meets-the-memory-limit",
        """
        import sys
        sys.setrecursionlimit(10**9)
        def f(n):
            return max([n], key=lambda m: f(m + 1))
        f(0)
        """,
        ends="SIGKILL",
        memory_limit=64,
    ),
    Case(
        "excepthook-of-the-program",
        """
        import sys
        def hook(kind, value, trace):
            print("hook", kind, value, trace.tb_lineno, trace.tb_next)
            print(sys.last_type, sys.last_value)
        sys.excepthook = hook
        [][1]
        """,
        ends=1,
    ),
    Case(
        "excepthook-that-fails",
        """
        import sys
        sys.excepthook = lambda *a: 1/0
        [][1]
        """,
        ends=1,
    ),
    Case(
        "excepthook-deleted",
        """
        import sys
        del sys.excepthook
        [][1]
        """,
        ends=1,
    ),
    Case(
        "excepthook-exits",
        """
        import sys
        sys.excepthook = lambda *a: sys.exit(7)
        [][1]
        """,
        ends=7,
    ),
    Case(
        "unraisable-exceptions",
        """
        import sys, weakref
        class A:
            def __del__(self):
                raise ValueError("in del")
        a = A()
        del a
        def callback(_):
            raise KeyError("in callback")
        class B: pass
        b = B()
        r = weakref.ref(b, callback)
        del b
        sys.unraisablehook = lambda u: print("hook", u.exc_type, u.exc_value, u.err_msg, u.object is not None)
        a = A()
        del a
        """,
        volatile=(r" at 0x\w+",),
    ),
    Case(
        "exception-in-thread",
        """
        import threading
        def work():
            raise ValueError("in thread")
        thread = threading.Thread(target=work, name="worker")
        thread.start()
        thread.join()
        threading.excepthook = lambda a: print("hook", a.exc_type, a.exc_value, a.thread.name)
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        print("main goes on")
        """,
    ),
    Case(
        "exception-in-main-while-a-thread-runs",
        """
        import threading
        def work():
            threading.main_thread().join()
            print("thread ends", flush=True)
        threading.Thread(target=work).start()
        raise ValueError("main")
        """,
        ends=1,
    ),
    Case(
        "warnings-shown-with-source",
        """
        import warnings
        def old():
            warnings.warn("old is old", DeprecationWarning, stacklevel=2)
            warnings.warn("future", FutureWarning)
            warnings.warn("resource", ResourceWarning)
        for _ in range(2):
            old()
        old()
        print(warnings.filters)
        print(__warningregistry__.keys())
        """,
    ),
    Case(
        "syntax-warnings",
        r"""
        x = 5
        if x is 5:
            print("\d" "same")
        assert (x, "always")
        """,
    ),
    Case(
        "warnings-as-errors",
        """
        import warnings
        warnings.simplefilter('error')
        warnings.warn('now')
        """,
        ends=1,
    ),
    Case(
        "warnings-caught",
        """
        import warnings
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            warnings.warn("one")
            open("main.py")
        print([(w.category, w.lineno, w.filename) for w in caught])
        open("main.py")
        """,
    ),
    Case(
        "faulthandler-of-a-crash",
        """
        import ctypes, faulthandler
        faulthandler.enable()
        ctypes.string_at(0)
        """,
        ends="SIGSEGV",
    ),
    Case(
        "faulthandler-dump",
        """
        import faulthandler, sys
        print(faulthandler.is_enabled())
        def f():
            faulthandler.dump_traceback(all_threads=True)
        f()
        faulthandler.dump_traceback_later(0.05, exit=True)
        import time
        time.sleep(60)
        """,
        ends=1,
    ),
    Case(
        "crash-without-faulthandler",
        """
        import ctypes
        print('lost')
        ctypes.string_at(0)
        """,
        ends="SIGSEGV",
    ),
    Case(
        "abort",
        """
        import os
        print('lost')
        os.abort()
        """,
        ends="SIGABRT",
    ),
]
