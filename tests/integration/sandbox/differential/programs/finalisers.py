"""What finalisers do and see when a program ends."""

from tests.integration.sandbox.differential.case import Case

_KEEPER = """
class Keeper:
    def __init__(self, name):
        self.name = name
    def __del__(self):
        print("del", self.name)
"""

CASES = [
    Case(
        "finalisers-of-globals",
        _KEEPER + "a = Keeper('a')\n_b = Keeper('_b')\nc = [Keeper('in list')]\nprint('end')\n",
    ),
    Case("finalisers-after-exit", _KEEPER + "import sys\na = Keeper('a')\nsys.exit(3)\n", ends=3),
    Case("finalisers-after-error", _KEEPER + "def f():\n    local = Keeper('local')\n    1/0\nf()\n", ends=1),
    Case(
        "finalisers-of-cycles",
        _KEEPER + "a = Keeper('a')\na.me = a\nb = Keeper('b')\nb.me = b\ndel b\nprint('end')\n",
    ),
    Case(
        "finaliser-of-a-class-attribute",
        _KEEPER + "class C:\n    keeper = Keeper('class')\n    def f(self): pass\nprint('end')\n",
    ),
    Case(
        "finaliser-of-a-function-attribute",
        _KEEPER + "def f(): pass\nf.keeper = Keeper('function')\nprint('end')\n",
    ),
    Case(
        "finaliser-of-a-thread-local",
        _KEEPER + "import threading\nlocal = threading.local()\nlocal.keeper = Keeper('local')\n",
    ),
    Case(
        "finaliser-in-a-cache",
        _KEEPER + "import functools\nf = functools.lru_cache(lambda: Keeper('cached'))\nf()\nprint('end')\n",
    ),
    Case(
        "generator-left-suspended",
        """
        def numbers():
            try:
                yield 1
                yield 2
            finally:
                print("closed")
        running = numbers()
        print(next(running))
        """,
    ),
    Case(
        "finaliser-without-collector",
        """
        class A:
            __slots__ = ()
            def __del__(self): print('del')
        a = A()
        """,
    ),
    Case(
        "finaliser-asked-of-a-metaclass",
        """
        class M(type):
            def __getattr__(c, n): 1/0
        class A(metaclass=M): pass
        a = A()
        """,
    ),
    Case(
        "finalisers-in-modules-of-the-program",
        _KEEPER + "import helper\nhelper.k = Keeper('k')\n",
        files={"helper.py": ""},
    ),
    Case("finaliser-in-builtins", _KEEPER + "import builtins\nbuiltins.keeper = Keeper('builtins')\n"),
    Case("finaliser-in-sys", _KEEPER + "import sys\nsys.keeper = Keeper('sys')\n"),
    Case("finaliser-in-a-c-module", _KEEPER + "import math\nmath.keeper = Keeper('math')\n"),
    Case("finaliser-in-a-python-module", _KEEPER + "import string\nstring.keeper = Keeper('string')\n"),
    Case(
        "finaliser-in-a-stdlib-registry",
        _KEEPER + "import copyreg\ncopyreg.dispatch_table[Keeper] = Keeper('registry')\n",
    ),
    Case(
        "finaliser-in-environ-hook",
        _KEEPER + "import sys\nk = Keeper('hook')\nsys.excepthook = lambda *a: k\ndel k\n",
    ),
    Case(
        "finaliser-that-imports",
        """
        class A:
            def __del__(self):
                import colorsys
                print('imported')
        a = A()
        """,
    ),
    Case(
        "finaliser-that-opens",
        """
        class A:
            def __del__(self):
                print(open('main.py').read(5))
        a = A()
        """,
    ),
    Case(
        "finaliser-that-looks-around",
        """
        import sys, threading
        class A:
            def __del__(self, sys=sys, threading=threading):
                print(sys.path is None, sys.argv, sys.meta_path, sys.stdout is sys.__stdout__)
                print(sys.modules is None, __name__, A, threading.current_thread().name)
        a = A()
        """,
    ),
    Case(
        "finaliser-asks-whether-all-ends",
        """
        import sys
        class A:
            def __del__(self, ask=sys.is_finalizing):
                print(ask())
        a = A()
        """,
    ),
    Case(
        "finaliser-fails",
        """
        class A:
            def __del__(self):
                raise ValueError('late')
        a = A()
        """,
    ),
    Case(
        "finaliser-sees-other-globals",
        """
        class A:
            def __del__(self):
                print(other, text)
        other = 5
        a = A()
        text = 'x'
        """,
    ),
    Case(
        "finaliser-writes-to-stderr",
        """
        import sys
        class A:
            def __del__(self):
                print('late', file=sys.stderr)
        a = A()
        """,
    ),
    Case(
        "weakref-finalize",
        """
        import weakref
        class A: pass
        a, b = A(), A()
        weakref.finalize(a, print, "a gone")
        weakref.finalize(b, print, "b gone").atexit = False
        c = A()
        reference = weakref.ref(c, lambda r: print("c gone"))
        print("end")
        """,
    ),
    Case(
        "gc-callbacks-at-the-end",
        """
        import gc
        class Node: pass
        def seen(phase, info):
            print(phase, info["generation"], info["uncollectable"])
        gc.collect()
        gc.disable()
        n = Node()
        n.me = n
        del n
        gc.callbacks.append(seen)
        print("end")
        """,
    ),
    Case(
        "gc-debug-at-the-end",
        """
        import gc
        gc.set_debug(gc.DEBUG_UNCOLLECTABLE)
        print(gc.garbage)
        """,
    ),
    Case(
        "async-generators-at-the-end",
        """
        import asyncio
        async def numbers():
            try:
                yield 1
                yield 2
            finally:
                print("closed")
        async def main():
            async for n in numbers():
                print(n)
                break
        asyncio.run(main())
        """,
    ),
    Case(
        "coroutine-never-awaited",
        """
        async def f():
            pass
        c = f()
        print('end')
        """,
    ),
    Case(
        "coroutine-left-suspended",
        """
        async def f():
            try:
                await g
            finally:
                print('closed')
        class G:
            def __await__(self):
                yield
        g = G()
        c = f()
        c.send(None)
        """,
    ),
]
