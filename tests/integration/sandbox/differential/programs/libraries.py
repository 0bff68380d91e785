"""Programs that start from the templates with numpy and sympy."""

from tests.integration.sandbox.differential.case import Case

NUMPY = [
    Case(
        "numpy-arrays",
        """
        import numpy as np
        a = np.arange(12).reshape(3, 4)
        print(a, a.dtype, a.T @ a, np.linalg.det(np.eye(3) * 2), np.float64(0.1), repr(np.float32(0.1)))
        print(np.array([1e-10, 1e10, np.nan]), np.linspace(0, 1, 5), np.array(['a', 'ü']))
        print(np.datetime64('2024-01-01'))
        """,
    ),
    Case(
        "numpy-seeded",
        """
        import numpy as np
        np.random.seed(3)
        print(np.random.rand(3), np.random.permutation(5), np.random.default_rng(1).normal(size=2))
        print(np.random.RandomState(2).randint(10))
        """,
    ),
    Case(
        "numpy-warnings",
        """
        import numpy as np
        print(np.array([1.0]) / 0)
        np.sqrt(-1.0)
        np.int8(100) + np.int8(100)
        print(np.geterr())
        """,
    ),
    Case(
        "numpy-errors-as-exceptions",
        """
        import numpy as np
        np.seterr(all='raise')
        np.array([1.0]) / 0
        """,
        ends=1,
    ),
    Case(
        "numpy-traceback",
        """
        import numpy as np
        np.zeros((2, 3)) @ np.zeros((2, 3))
        """,
        ends=1,
    ),
    Case(
        "numpy-traceback-through-the-library",
        """
        import numpy as np
        np.linalg.inv(np.zeros((2, 2)))
        """,
        ends=1,
    ),
    Case(
        "numpy-warning-filters",
        """
        import numpy, warnings
        print(warnings.filters)
        """,
    ),
    Case(
        "numpy-print-options",
        """
        import numpy as np
        print(np.get_printoptions())
        np.set_printoptions(precision=2)
        print(np.pi * np.ones(2))
        """,
    ),
    Case(
        "numpy-pickle-and-save",
        """
        import io, pickle
        import numpy as np
        a = np.arange(3)
        print(pickle.loads(pickle.dumps(a)))
        np.save('a', a)
        print(np.load('a.npy'), np.loadtxt(io.StringIO('1 2')))
        """,
    ),
    Case(
        "numpy-in-processes",
        """
        import numpy as np
        from multiprocessing import get_context
        def f(n):
            return float(np.ones((n, n)).dot(np.ones((n, n))).sum())
        if __name__ == '__main__':
            for m in ('fork', 'spawn'):
                with get_context(m).Pool(2) as p:
                    print(p.map(f, [50, 100]))
        """,
    ),
    Case(
        "numpy-in-threads",
        """
        import numpy as np
        from concurrent.futures import ThreadPoolExecutor
        with ThreadPoolExecutor(4) as p:
            print(list(p.map(lambda n: int(np.arange(n).sum()), range(5))))
        """,
    ),
    Case(
        "numpy-stdin",
        """
        import sys
        import numpy as np
        print(np.fromstring(sys.stdin.read(), sep=' ').sum(), np.frombuffer(b'ab', np.uint8))
        """,
        stdin="1 2 3\n4",
    ),
    Case(
        "numpy-linear-algebra",
        """
        import numpy as np
        a = np.arange(40_000, dtype=float).reshape(200, 200) % 7 + np.eye(200)
        print(round(np.linalg.slogdet(a)[1], 6), np.linalg.svd(a, compute_uv=False)[:3].round(6))
        print(abs(np.fft.fft(a[0]))[:3].round(6))
        """,
    ),
    Case(
        "numpy-threads-and-descriptors",
        """
        import os
        import numpy as np
        print(sorted(os.listdir('/proc/self/fd')), len(os.listdir('/proc/self/task')))
        print(np.ones((500, 500)).dot(np.ones((500, 500)))[0, 0], len(os.listdir('/proc/self/task')))
        """,
    ),
    Case(
        "numpy-untouched-memory",
        """
        import numpy as np
        a = np.empty(1 << 28)
        print(a.nbytes, np.zeros(10**8, np.uint8)[5])
        """,
    ),
    Case(
        "numpy-too-much-memory",
        """
        import numpy as np
        a = np.ones(10**8)
        print(a.sum())
        """,
        ends="SIGKILL",
    ),
    Case(
        "numpy-impossible-memory",
        """
        import numpy as np
        np.empty(10**18)
        """,
        ends=1,
    ),
    Case(
        "numpy-finaliser",
        """
        import numpy as np
        class A(np.ndarray):
            def __del__(self):
                print('gone', self.shape)
        a = np.zeros(3).view(A)
        """,
    ),
    Case(
        "numpy-doc-and-source",
        """
        import inspect
        import numpy as np
        print(np.mean.__doc__[:40], inspect.getsource(np.mean)[:40], np.mean.__module__, np.__version__)
        """,
    ),
    Case(
        "numpy-imported-late",
        """
        print('before')
        if True:
            import numpy
        print(numpy.ones(1))
        """,
    ),
]

SYMPY = [
    Case(
        "sympy-expand",
        """
        from sympy import *
        x, y = symbols('x y')
        print(expand((x + y)**4), factor(x**2 - 1), solve(x**2 - 2), integrate(sin(x), x))
        print(limit(sin(x) / x, x, 0))
        print(latex(x / y), srepr(x + 1), pretty(x**2 / y))
        """,
    ),
    Case(
        "sympy-dummies",
        """
        from sympy import Dummy, Symbol, Wild, symbols
        print(Dummy('x'), symbols('a0:3'), Symbol('x') == Symbol('x', positive=True))
        print(Dummy('x') == Dummy('x'))
        """,
    ),
    Case(
        "sympy-dummies-are-numbered",
        """
        from sympy import Dummy
        print(Dummy())
        """,
    ),
    Case(
        "sympy-ordering",
        """
        from sympy import *
        a, b, c = symbols('c a b')
        f = Function('f')
        print(a + b * c - f(a) + sqrt(2) + pi + I, sorted([c, a, b], key=default_sort_key))
        print(Matrix([[1, a], [b, 2]]).det(), Poly(a**2 + b).terms())
        """,
    ),
    Case(
        "sympy-numbers",
        """
        from sympy import *
        print(N(pi, 40), factorint(360360), nextprime(1000), Rational(1, 3) + 1, nsimplify(0.333333))
        print(primerange(10, 20), binomial(50, 25))
        """,
    ),
    Case(
        "sympy-equations",
        """
        from sympy import *
        x, y = symbols('x y')
        f = Function('f')
        print(solve([x + y - 3, x - y - 1], [x, y]), dsolve(f(x).diff(x) - f(x)), series(exp(x), x, 0, 4))
        print(summation(x**2, (x, 1, 10)))
        """,
    ),
    Case(
        "sympy-assumptions",
        """
        from sympy import *
        x = symbols('x', positive=True)
        print(sqrt(x**2), x.is_positive, ask(Q.positive(x)), simplify(log(exp(x))))
        print(refine(Abs(x), Q.positive(x)))
        """,
    ),
    Case(
        "sympy-error",
        """
        from sympy import *
        sympify('1 +')
        """,
        ends=1,
    ),
    Case(
        "sympy-lambdify",
        """
        import numpy as np
        from sympy import *
        x = symbols('x')
        print(lambdify(x, x**2 + sin(x), 'numpy')(np.arange(3)).round(6))
        """,
    ),
    Case(
        "sympy-printing-setup",
        """
        from sympy import *
        init_printing(use_unicode=True)
        x = symbols('x')
        pprint(Integral(x**2 / 2, (x, 0, oo)))
        """,
    ),
    Case(
        "sympy-with-mpmath",
        """
        import mpmath, sympy
        print(mpmath.mp.dps, mpmath.zeta(3), sympy.Float('0.1', 30), mpmath.quad(lambda x: x**2, [0, 1]))
        """,
    ),
    Case(
        "sympy-submodules",
        """
        import sympy
        print(hasattr(sympy, 'geometry'), hasattr(sympy, 'physics'))
        print(sympy.Point(1, 2).distance(sympy.Point(0, 0)))
        import sympy.physics.units as u
        print(u.convert_to(u.km, u.m))
        """,
    ),
    Case(
        "sympy-in-processes",
        """
        from multiprocessing import Pool
        from sympy import factorint
        if __name__ == '__main__':
            with Pool(2) as p:
                print(p.map(factorint, [12, 35]))
        """,
    ),
]

PANDAS = [
    Case(
        "pandas-frames",
        r"""
        import pandas as pd
        d = pd.DataFrame({'a': [1, 2, 2], 'b': list('xyz')})
        print(d, d.groupby('a').size(), d.describe(), d.dtypes, pd.to_datetime('2024-02-29'), sep='\n')
        d.to_csv('d.csv')
        print(pd.read_csv('d.csv').shape, pd.get_option('display.width'))
        """,
    ),
    Case(
        "pandas-warnings-and-errors",
        """
        import pandas as pd
        d = pd.DataFrame({'a': [1]})
        d['b']
        """,
        ends=1,
    ),
    Case(
        "scipy",
        """
        import numpy as np
        from scipy import optimize, stats, integrate
        print(optimize.brentq(lambda x: x**2 - 2, 0, 2), stats.norm.cdf(0), integrate.quad(np.sin, 0, np.pi))
        """,
    ),
    Case(
        "scipy-submodules",
        """
        import scipy
        print(scipy.special.gamma(5), scipy.linalg.norm([3, 4]), scipy.constants.c)
        """,
    ),
]

CASES = [*NUMPY, *SYMPY, *PANDAS]
