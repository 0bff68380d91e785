"""Source text, ``__future__``, and the modules that a program brings along."""

from tests.integration.sandbox.differential.case import Case

_SHADOW = "def __getattr__(name):\n    return 'local ' + name\nprint('local module', __name__)\n"

CASES = [
    Case(
        "future-annotations",
        """
        from __future__ import annotations
        def f(x: no_such) -> also_none: pass
        print(f.__annotations__)
        import typing
        try:
            typing.get_type_hints(f)
        except NameError as e:
            print(e)
        """,
    ),
    Case(
        "future-after-docstring",
        '''
        """Doc."""
        # comment
        from __future__ import annotations, generator_stop
        class A:
            b: B
        print(A.__annotations__, __doc__)
        ''',
    ),
    Case(
        "future-not-inherited",
        """
        import helper
        def f(x: int): pass
        print(f.__annotations__, helper.f.__annotations__)
        """,
        files={"helper.py": "from __future__ import annotations\ndef f(x: int): pass\n"},
    ),
    Case(
        "future-flufl",
        """
        from __future__ import barry_as_FLUFL
        print(1 <> 2)
        """,
        ends=1,
    ),
    Case(
        "encoding-latin-1",
        """
        # -*- coding: latin-1 -*-
        print('größe', ascii('é'))
        """,
    ),
    Case(
        "encoding-on-the-second-line",
        """
        #!/usr/bin/python
        # vim: set fileencoding=cp1252 :
        print(ascii('€'))
        """,
    ),
    Case(
        "encoding-latin-1-traceback",
        """
        # coding: latin-1
        raise ValueError('größe')  # é
        """,
        ends=1,
    ),
    Case(
        "encoding-of-the-third-line-is-none",
        """
        #
        #
        # coding: latin-1
        print(ascii('é'))
        """,
    ),
    Case("encoding-utf-8-with-mark", "\ufeffprint('é')\n"),
    Case(
        "encoding-unknown",
        """
        # coding: no-such-code
        print(1)
        """,
        ends=1,
    ),
    Case(
        "encoding-that-cannot-hold-the-text",
        """
        # coding: ascii
        print('é')
        """,
        ends=1,
    ),
    Case(
        "encoding-utf-16-cookie",
        """
        # coding: utf-16
        print(1)
        """,
        ends=1,
    ),
    Case("encoding-with-mark-and-wrong-cookie", "\ufeff# coding: latin-1\nprint('é')\n", ends=1),
    Case(
        "encoding-euc-jp",
        """
        # coding: euc-jp
        print('日本語', ascii('日'))
        """,
    ),
    Case("crlf-source", "print('''a\r\nb''')\r\nx = 1\r\nx.y\r\n", ends=1),
    Case("cr-source", "print(1)\rprint(2)\r"),
    Case("form-feed-and-tabs", "\x0cif 1:\n\tprint(1)\n"),
    Case("very-long-source", "x = [\n" + "1,\n" * 20_000 + "]\nprint(len(x))\nraise ValueError\n", ends=1),
    Case(
        "match-statement",
        """
        match [1, 2]:
            case [a, b]:
                print(a, b)
        """,
    ),
    Case(
        "shebang-and-comment",
        """
        #!/usr/bin/env python3
        print(__file__)
        """,
    ),
    Case(
        "local-module",
        """
        import helper
        print(helper.x, helper, helper.__file__, helper.__cached__, helper.__spec__)
        import os
        print(sorted(os.listdir()), sorted(os.listdir('__pycache__')))
        """,
        files={"helper.py": "x = 5\n"},
    ),
    Case(
        "local-package",
        """
        import pack.sub as s
        from pack import a
        import pack
        print(s.y, a, pack.__path__, pack)
        """,
        files={"pack/__init__.py": "a = 1\n", "pack/sub.py": "from . import a\ny = a + 1\n"},
    ),
    Case(
        "local-namespace-package",
        """
        import space.part
        print(space, space.part.z)
        """,
        files={"space/part.py": "z = 3\n"},
    ),
    Case(
        "local-module-written-by-the-program",
        """
        open('made.py', 'w').write('v = 7')
        import importlib
        importlib.invalidate_caches()
        import made
        print(made.v)
        open('made.py', 'w').write('v = 8000')
        importlib.reload(made)
        print(made.v)
        """,
    ),
    *(
        Case(
            f"local-module-named-{name}",
            f"import {name}\nprint({name}.something, {name}.__name__)\n",
            files={f"{name}.py": _SHADOW},
        )
        for name in (
            "random",
            "string",
            "statistics",
            "heapq",
            "json",
            "typing",
            "decimal",
            "numpy",
            "sympy",
            "helper",
            "colorsys",
            "math",
            "test",
            "calendar",
        )
    ),
    Case(
        "local-package-named-json",
        """
        import json
        print(json.something)
        """,
        files={"json/__init__.py": _SHADOW},
    ),
    Case(
        "local-module-breaks-the-library",
        """
        import random
        print(random.random)
        """,
        files={"bisect.py": "print('mine')\n"},
        ends=1,
    ),
    Case(
        "local-module-named-like-what-runs-at-the-start",
        "print('main')\n",
        files={
            "sitecustomize.py": "print('site')\n",
            "usercustomize.py": "print('user')\n",
            "encodings.py": "1/0\n",
            "os.py": "1/0\n",
            "io.py": "1/0\n",
        },
    ),
    Case(
        "local-module-named-sitecustomize",
        "import sitecustomize\n",
        files={"sitecustomize.py": "print('mine')\n"},
    ),
    Case(
        "local-module-named-template",
        """
        import template, child, slot
        print(template, child)
        """,
        files={"template.py": "", "child.py": "", "slot.py": ""},
    ),
    Case(
        "local-module-written-over-a-loaded-one",
        """
        open('json.py', 'w').write('x = 1')
        import json
        print(json.x)
        """,
    ),
    Case(
        "module-in-a-zip",
        r"""
        import zipfile, sys
        with zipfile.ZipFile('m.zip', 'w') as z:
            z.writestr('zipped.py', 'def f():\n    raise ValueError')
        sys.path.insert(0, 'm.zip')
        import zipped
        print(zipped.__file__, zipped.__loader__)
        zipped.f()
        """,
        ends=1,
    ),
    Case(
        "module-with-getattr",
        """
        import helper
        print(helper.anything)
        from helper import more
        print(more)
        """,
        files={"helper.py": "def __getattr__(n):\n    return n.upper()\n"},
    ),
    Case(
        "circular-import",
        "import a\n",
        files={"a.py": "from b import y\nx = 1\n", "b.py": "from a import x\ny = 2\n"},
        ends=1,
    ),
    Case("import-of-an-extension-not-there", "import _no_such_extension\n", ends=1),
    Case(
        "importlib-on-known-modules",
        """
        import heapq, importlib, importlib.util, json, sys
        print(importlib.reload(json) is json, importlib.import_module('json.decoder'))
        print(importlib.util.find_spec('heapq').origin)
        del sys.modules['heapq']
        import heapq
        print(heapq.nsmallest(2, [3, 1, 2]))
        """,
    ),
    Case(
        "runpy",
        """
        import runpy
        print(runpy.run_path('other.py', {'given': 1}, 'name')['result'])
        print(sorted(runpy.run_module('other', run_name='__main__')))
        """,
        files={
            "other.py": "import sys\nprint(__name__, __file__, sys.argv, vars().get('given'))\nresult = 5\n"
        },
    ),
]
