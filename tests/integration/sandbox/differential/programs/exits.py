"""The ways a program ends on purpose, and what it ends with."""

from tests.integration.sandbox.differential.case import Case

CASES = [
    Case("exit-by-falling-off-the-end", "print('done')\n"),
    Case("exit-of-an-empty-source", ""),
    Case(
        "exit-of-comments-only",
        """
        # nothing

        """,
    ),
    Case(
        "exit-none",
        """
        import sys
        print('x')
        sys.exit()
        """,
    ),
    Case(
        "exit-0",
        """
        import sys
        sys.exit(0)
        """,
    ),
    Case(
        "exit-3",
        """
        import sys
        print('x', end='')
        sys.exit(3)
        """,
        ends=3,
    ),
    Case(
        "exit-true",
        """
        import sys
        sys.exit(True)
        """,
        ends=1,
    ),
    Case(
        "exit-false",
        """
        import sys
        sys.exit(False)
        """,
    ),
    Case(
        "exit-modulo-256",
        """
        import sys
        sys.exit(256 + 7)
        """,
        ends=7,
    ),
    Case(
        "exit-256-is-0",
        """
        import sys
        sys.exit(256)
        """,
    ),
    Case(
        "exit-negative",
        """
        import sys
        sys.exit(-1)
        """,
        ends=255,
    ),
    Case(
        "exit-huge",
        """
        import sys
        sys.exit(2**100)
        """,
        ends=255,
    ),
    Case(
        "exit-float",
        """
        import sys
        sys.exit(1.5)
        """,
        ends=1,
    ),
    Case(
        "exit-text",
        """
        import sys
        sys.exit('bye ü')
        """,
        ends=1,
    ),
    Case(
        "exit-empty-text",
        """
        import sys
        sys.exit('')
        """,
        ends=1,
    ),
    Case(
        "exit-tuple",
        """
        import sys
        sys.exit((1, 'two'))
        """,
        ends=1,
    ),
    Case(
        "exit-with-broken-str",
        """
        import sys
        class A:
            def __str__(self): 1/0
        sys.exit(A())
        """,
        ends=1,
    ),
    Case(
        "exit-int-subclass",
        """
        import enum, sys
        class C(enum.IntEnum):
            BAD = 9
        sys.exit(C.BAD)
        """,
        ends=9,
    ),
    Case("exit-by-class", "raise SystemExit\n"),
    Case(
        "exit-by-subclass",
        """
        class Done(SystemExit):
            pass
        raise Done(5)
        """,
        ends=5,
    ),
    Case(
        "exit-code-attribute",
        """
        e = SystemExit(1)
        e.code = 6
        raise e
        """,
        ends=6,
    ),
    Case(
        "exit-code-attribute-deleted",
        """
        e = SystemExit(4)
        del e.code
        raise e
        """,
        ends=0,
    ),
    Case("exit-builtin", "exit(4)\n", ends=4),
    Case("quit-builtin", "quit('quitting')\n", ends=1),
    Case(
        "exit-in-finally",
        """
        import sys
        try:
            sys.exit(2)
        finally:
            print('finally')
        """,
        ends=2,
    ),
    Case(
        "exit-overridden-in-finally",
        """
        import sys
        try:
            sys.exit(2)
        finally:
            sys.exit(3)
        """,
        ends=3,
    ),
    Case(
        "exit-caught",
        """
        import sys
        try:
            sys.exit(2)
        except SystemExit as e:
            print(e.code)
        """,
    ),
    Case(
        "exit-from-an-error",
        """
        import sys
        try:
            1/0
        except ZeroDivisionError:
            sys.exit(8)
        """,
        ends=8,
    ),
    Case(
        "exit-in-a-group",
        """
        import sys
        raise BaseExceptionGroup('g', [SystemExit(3)])
        """,
        ends=1,
    ),
    Case(
        "exit-in-an-import",
        """
        import leaving
        print('never')
        """,
        ends=5,
        files={"leaving.py": "import sys\nprint('leaving')\nsys.exit(5)\n"},
    ),
    Case(
        "exit-in-a-thread",
        """
        import sys, threading
        thread = threading.Thread(target=sys.exit, args=(5,))
        thread.start()
        thread.join()
        print("alive")
        """,
    ),
    Case(
        "exit-in-atexit",
        """
        import atexit, sys
        atexit.register(sys.exit, 5)
        print('x')
        """,
    ),
    Case(
        "exit-in-atexit-after-exit",
        """
        import atexit, sys
        atexit.register(sys.exit, 5)
        sys.exit(3)
        """,
        ends=3,
    ),
    Case(
        "exit-in-del",
        """
        import sys
        class A:
            def __del__(self): sys.exit(5)
        a = A()
        del a
        print('x')
        """,
    ),
    Case(
        "exit-in-signal-handler",
        """
        import os, signal, sys
        signal.signal(signal.SIGUSR1, lambda *a: sys.exit(6))
        os.kill(os.getpid(), signal.SIGUSR1)
        print('never')
        """,
        ends=6,
    ),
    Case(
        "exit-with-main-names-deleted",
        """
        import sys
        del __file__, __cached__
        sys.exit(3)
        """,
        ends=3,
    ),
    Case(
        "exit-with-main-replaced",
        """
        import sys, types
        sys.modules['__main__'] = types.ModuleType('other')
        sys.exit(3)
        """,
        ends=3,
    ),
    Case(
        "exit-with-main-removed",
        """
        import sys
        del sys.modules['__main__']
        sys.exit(3)
        """,
        ends=3,
    ),
    Case(
        "error-with-main-replaced",
        """
        import sys, types
        sys.modules['__main__'] = types.ModuleType('other')
        1/0
        """,
        ends=1,
    ),
    Case(
        "error-with-traces-removed",
        """
        import sys
        def hook(*a):
            for n in ('type', 'value', 'traceback', 'exc'):
                sys.__dict__.pop('last_' + n, None)
        sys.excepthook = hook
        1/0
        """,
        ends=1,
    ),
    Case(
        "end-with-main-replaced-by-an-object",
        """
        import sys
        class Api:
            __slots__ = ()
        sys.modules[__name__] = Api()
        print('done')
        """,
    ),
    Case(
        "end-with-main-replaced-by-a-module",
        """
        import atexit, sys, types
        class A:
            def __del__(self): print('del')
        a = A()
        sys.modules[__name__] = types.ModuleType('x')
        atexit.register(print, 'atexit')
        """,
    ),
    Case(
        "end-with-modules-cleared",
        """
        import sys
        print('x')
        sys.modules.clear()
        """,
    ),
    Case(
        "end-with-last-type-set",
        """
        import sys
        sys.last_type = ValueError
        print('fine')
        """,
    ),
    Case(
        "os-exit-loses-what-is-buffered",
        """
        import os
        print('lost')
        os._exit(5)
        """,
        ends=5,
    ),
    Case(
        "os-exit-after-flush",
        """
        import os
        print('kept', flush=True)
        os._exit(0)
        """,
    ),
    Case(
        "os-exit-in-a-thread",
        """
        import os, threading, time
        print('kept', flush=True)
        threading.Thread(target=os._exit, args=(4,)).start()
        time.sleep(30)
        """,
        ends=4,
    ),
    Case(
        "os-exit-in-atexit",
        """
        import atexit, os
        atexit.register(os._exit, 9)
        print('lost')
        """,
        ends=9,
    ),
    Case(
        "c-exit",
        """
        import ctypes
        print('lost')
        ctypes.CDLL(None).exit(6)
        """,
        ends=6,
    ),
    Case(
        "exec-of-another-program",
        """
        import os
        print('a', flush=True)
        os.execvp('echo', ['echo', 'b'])
        """,
    ),
    Case(
        "exec-of-another-interpreter",
        """
        import os, sys
        os.execv(sys.executable, [sys.executable, '-c', 'import sys; print(2); sys.exit(3)'])
        """,
        ends=3,
    ),
    Case(
        "argparse-error",
        """
        import argparse
        argparse.ArgumentParser().parse_args(['--bad'])
        """,
        ends=2,
    ),
    Case(
        "argparse-help",
        """
        import argparse
        argparse.ArgumentParser(description='D').parse_args(['-h'])
        """,
    ),
    Case(
        "unittest-main",
        """
        import unittest
        class T(unittest.TestCase):
            def test_good(self): pass
            def test_bad(self):
                self.assertEqual(1, 2)
        unittest.main()
        """,
        ends=1,
        volatile=(r"in \d\.\d+s",),
    ),
    Case(
        "pdb-at-end-of-input",
        """
        import pdb
        pdb.set_trace()
        print('after')
        """,
        ends=1,
    ),
    Case(
        "breakpoint-continues",
        """
        breakpoint()
        print('after')
        """,
        stdin="p 1 + 1\nc\n",
    ),
    Case(
        "interactive-console",
        """
        import code
        code.interact(banner='hi', exitmsg='bye')
        """,
        stdin="print(3)\n1/0\n",
    ),
]
