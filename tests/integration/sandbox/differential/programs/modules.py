"""The standard library, inspection, pickling, tracing and measuring."""

from tests.integration.sandbox.differential.case import Case

_SHADOW = "def __getattr__(name):\n    return 'local ' + name\nprint('local module', __name__)\n"

CASES = [
    Case(
        "code-as-text",
        """
        import ast, dis, inspect
        def f(a, *b, c=1, **d) -> int:
            'doc'
            return a
        print(inspect.signature(f), inspect.getdoc(f), ast.dump(ast.parse(inspect.getsource(f))))
        dis.dis(f)
        """,
        volatile=(r"object f at \S+,",),
    ),
    Case(
        "inspect-source",
        """
        import inspect, sys
        class A:
            def m(self):
                return 1  # comment
        print(inspect.getsource(A), inspect.getsource(A.m), inspect.getsourcelines(A.m))
        print(inspect.getsourcefile(A))
        print(inspect.getsource(sys.modules['__main__']) == open(__file__).read(), inspect.getmodule(A))
        print(inspect.getfile(A), inspect.getcomments(A))
        print(len(inspect.getsource(inspect.getsource)) > 100)
        """,
    ),
    Case(
        "linecache",
        """
        import linecache
        print(linecache.getlines('main.py'), linecache.getline(__file__, 1))
        """,
    ),
    Case(
        "pickle-of-main-classes",
        """
        import copy, dataclasses, enum, pickle
        @dataclasses.dataclass
        class P:
            x: int
            y: list
        class C(enum.Enum):
            A = 1
        class N:
            pass
        def f(): return 3
        p = pickle.dumps([P(1, [2]), C.A, f, N])
        print(p)
        print(pickle.loads(p), copy.deepcopy(P(1, [])), P.__module__)
        """,
        volatile=(r"at 0x\w+",),
    ),
    Case(
        "pickle-of-local-classes-fails",
        """
        import pickle
        def f():
            class A: pass
            return A()
        pickle.dumps(f())
        """,
        ends=1,
    ),
    Case(
        "pickle-between-interpreters",
        r"""
        import pickle, subprocess, sys
        class A:
            def __init__(self): self.v = 4
        open('p', 'wb').write(pickle.dumps(A()))
        load = 'import pickle\nclass A: pass\nprint(pickle.load(open("p", "rb")).v)'
        print(subprocess.run([sys.executable, '-c', load], capture_output=True, text=True))
        """,
    ),
    Case(
        "copyreg",
        """
        import copyreg, pickle
        class A: pass
        copyreg.pickle(A, lambda a: (A, ()))
        print(pickle.loads(pickle.dumps(A())).__class__, A in copyreg.dispatch_table)
        """,
    ),
    Case(
        "shelve-and-marshal",
        """
        import marshal, shelve
        with shelve.open('s') as s:
            s['a'] = [1]
        with shelve.open('s') as s:
            print(dict(s))
        print(eval(marshal.loads(marshal.dumps(compile('1+1', 'x', 'eval')))))
        """,
    ),
    Case(
        "doctest",
        '''
        def double(x):
            """
            >>> double(2)
            4
            >>> double(3)
            7
            """
            return x * 2
        import doctest
        print(doctest.testmod())
        ''',
    ),
    Case(
        "typing",
        """
        import typing
        class A(typing.NamedTuple):
            x: int
        class B(typing.TypedDict):
            y: 'A'
        print(A(1), typing.get_type_hints(B), typing.Optional['A'], A.__module__)
        print(typing.get_type_hints(B)['y'] is A)
        """,
    ),
    Case(
        "dataclass-with-string-annotations",
        """
        import dataclasses, typing
        @dataclasses.dataclass
        class A:
            x: 'typing.ClassVar[int]' = 1
            y: 'int' = 2
        print(A(), dataclasses.fields(A)[0].name)
        """,
    ),
    Case(
        "abstract-classes",
        """
        import abc, collections.abc as c
        class A(abc.ABC):
            @abc.abstractmethod
            def f(self): ...
        @c.Sized.register
        class B: pass
        print(issubclass(B, c.Sized), isinstance([], c.Sequence), c.Sequence.__subclasses__()[:2])
        A()
        """,
        ends=1,
    ),
    Case(
        "subclasses-of-exception",
        "print([c.__name__ for c in Exception.__subclasses__() if c.__module__ == 'builtins'])\n",
    ),
    Case("subclasses-of-int", "print(int.__subclasses__())\n"),
    Case(
        "hash-seed-is-random",
        """
        import sys
        print(sys.flags.hash_randomization, hash(1), hash(2.5), hash(None) == hash(None))
        """,
    ),
    Case(
        "float-formatting",
        """
        print(0.1 + 0.2, 1e16, 1e-7, 2**0.5, float('nan'), -0.0, f'{1/3:.20f}', round(2.675, 2), 1e308 * 10)
        import math
        print(math.pi, math.fsum([0.1] * 10), repr(5e-324), 10**22 / 3)
        """,
    ),
    Case(
        "huge-integers",
        """
        n = 10**5000
        print(len(str(n)), int('9' * 6000) % 97)
        """,
    ),
    Case(
        "string-methods",
        r"""
        print('ß'.upper(), 'İ'.lower(), 'ﬁ'.casefold(), '\u0130'.lower(), sorted('äaz'))
        print('a\u0301'.isidentifier())
        import unicodedata
        print(unicodedata.normalize('NFC', 'a\u0301'), unicodedata.unidata_version)
        """,
    ),
    Case(
        "dates",
        """
        import datetime as d
        print(d.datetime(2024, 2, 29), d.date.fromisoformat('2024-01-01').strftime('%A %B %c'))
        print(d.timedelta(1.5), d.datetime.strptime('3 Mar 2021', '%d %b %Y'))
        print(d.datetime.fromtimestamp(0, d.timezone.utc))
        """,
    ),
    Case(
        "regular-expressions",
        r"""
        import re
        print(re.sub(r'(\w+)', lambda m: m[1].upper(), 'a b'), re.compile('x', re.I))
        print(re.findall('(a)(b)?', 'aba'), re._cache if False else '')
        """,
    ),
    Case(
        "enum-and-flags",
        """
        import enum, re, signal, socket
        class F(enum.Flag):
            A = enum.auto()
            B = enum.auto()
        print(F.A | F.B, list(F), re.I | re.M, repr(signal.SIGINT), signal.SIGINT, socket.AF_UNIX)
        print(signal.Signals(2))
        """,
    ),
    Case(
        "modules-that-the-sandbox-uses",
        """
        import atexit, ctypes, errno, gc, json, os, platform, resource
        import select, signal, socket, struct, threading, types, weakref
        for m in (
            atexit, ctypes, errno, gc, json, os, platform, resource,
            select, signal, socket, struct, threading, types, weakref,
        ):
            print(m.__name__, getattr(m, '__file__', None), len(vars(m)) > 5)
        print(ctypes.sizeof(ctypes.c_long), struct.calcsize('l'), signal.Signals(15), socket.socket().family)
        class S(ctypes.Structure):
            _fields_ = [('a', ctypes.c_int)]
        print(S(5).a, ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(lambda x: x + 1)(2), ctypes.get_errno())
        print(ctypes.pythonapi.Py_IsInitialized())
        try:
            os.stat('/no')
        except FileNotFoundError as e:
            print(e, e.errno == errno.ENOENT)
        """,
    ),
    Case(
        "profiler",
        """
        import cProfile, pstats, io
        def f(n):
            return sum(range(n))
        p = cProfile.Profile()
        p.runcall(f, 5)
        s = io.StringIO()
        pstats.Stats(p, stream=s).strip_dirs().sort_stats('name').print_stats()
        print(*[l.split()[0::5] for l in s.getvalue().splitlines() if '(' in l])
        import profile
        profile.run('f(3)', 'out')
        print(sorted(k[2] for k in pstats.Stats('out').stats))
        """,
    ),
    Case(
        "tracing",
        """
        import sys
        seen = []
        def see(frame, event, arg):
            seen.append((frame.f_code.co_name, event, frame.f_lineno))
            return see
        def f(x):
            y = x
            return y
        sys.settrace(see)
        f(1)
        [x for x in (1, 2)]
        sys.settrace(None)
        print(seen)
        """,
    ),
    Case(
        "trace-module",
        """
        import trace
        def f():
            return 1
        t = trace.Trace(count=True, trace=False)
        t.runfunc(f)
        print(sorted(t.results().counts.items()))
        """,
    ),
    Case(
        "tracemalloc",
        """
        import tracemalloc
        print(tracemalloc.is_tracing())
        tracemalloc.start(5)
        x = [bytes(1000) for _ in range(100)]
        s = tracemalloc.take_snapshot().statistics('filename')
        print(s[0].traceback, s[0].count, tracemalloc.get_object_traceback(x))
        """,
        volatile=(r" count=\d+",),
    ),
    Case(
        "timeit",
        """
        import timeit
        print(timeit.timeit('pass', number=10) < 1, timeit.repeat('x = 1', number=1, repeat=2) != [])
        """,
    ),
    Case(
        "context-variables",
        """
        import contextvars
        v = contextvars.ContextVar('v', default=1)
        print(v.get(), contextvars.copy_context().run(lambda: v.set(2) and v.get()), v.get())
        print(len(contextvars.copy_context()))
        """,
    ),
    Case(
        "sqlite",
        """
        import sqlite3
        c = sqlite3.connect('db')
        c.execute('create table t (a)')
        c.executemany('insert into t values (?)', [(1,), (2,)])
        print(c.execute('select sum(a) from t').fetchall(), sqlite3.threadsafety)
        c.commit()
        c.close()
        print(__import__('os').path.getsize('db'))
        """,
    ),
    Case(
        "compression",
        """
        import bz2, gzip, lzma, zlib
        d = b'abc' * 1000
        for m in (bz2, lzma, zlib):
            print(m.decompress(m.compress(d)) == d, len(m.compress(d)))
        with gzip.open('g', 'wt') as f:
            f.write('x')
        print(gzip.open('g').read())
        """,
    ),
    Case(
        "logging",
        """
        import logging
        logging.warning('root %s', 1)
        layout = '%(name)s %(process)d %(threadName)s %(module)s %(lineno)d %(message)s'
        logging.basicConfig(level=logging.INFO, format=layout)
        logging.getLogger('a.b').info('x')
        try:
            1/0
        except ZeroDivisionError:
            logging.exception('bad')
        logging.info('%d', 'x')
        """,
        volatile=(r"a\.b \d+", r"root \d+"),
    ),
    Case(
        "python-child-started-in-many-ways",
        """
        import subprocess, sys
        for a in (['-c', 'print(1)'], ['-'], ['-m', 'json.tool', 'x.json'], ['-I', 'main.py'], ['no.py']):
            if '-I' in sys.orig_argv:
                break
            print(subprocess.run([sys.executable, *a], input='print(5)', text=True).returncode)
        """,
        files={"x.json": "{}"},
    ),
    Case(
        "python-child-inherits-all",
        """
        import subprocess, sys
        show = 'import sys, os; print(sys.path, sys.flags, os.environ, os.getcwd(), sys.stdin.read())'
        subprocess.run([sys.executable, '-c', show], input='x', text=True)
        """,
    ),
]
