"""Tracebacks and their source lines, syntax errors, chains of exceptions."""

from tests.integration.sandbox.differential.case import Case

CASES = [
    Case(
        "traceback-of-nested-calls",
        """
        def outer(value):
            return inner(value) + 1

        def inner(value):
            return 10 // value

        print("before")
        outer(0)
        """,
        ends=1,
    ),
    Case(
        "traceback-in-class-body",
        """
        class A:
            x = 1
            y = x.nothing
        """,
        ends=1,
    ),
    Case(
        "traceback-in-decorator",
        """
        def deco(f):
            raise ValueError(f)

        @deco
        def g():
            pass
        """,
        ends=1,
    ),
    Case(
        "traceback-in-comprehension-and-lambda",
        """
        f = lambda x: [1 // y for y in x]
        print(f([1, 0]))
        """,
        ends=1,
    ),
    Case(
        "traceback-of-multi-line-call",
        """
        print(
            "a",
            int(
                "x"
            ),
        )
        """,
        ends=1,
    ),
    Case(
        "traceback-with-non-ascii-source",
        """
        größe = {"é": 1}
        print("日本"); größe["ü→"]
        """,
        ends=1,
    ),
    Case("traceback-without-final-newline", "x = 1\nx.y", ends=1),
    Case("traceback-in-exec", 'exec(compile("a = 1\\na()", "<made up>", "exec"))\n', ends=1),
    Case("traceback-in-eval", 'eval("1/0")\n', ends=1),
    Case(
        "traceback-in-local-module",
        """
        import helper
        helper.fail()
        """,
        ends=1,
        files={"helper.py": "def fail():\n    raise RuntimeError('from helper')  # line 2\n"},
    ),
    Case(
        "traceback-in-module-being-imported",
        "import package.part\n",
        ends=1,
        files={"package/__init__.py": "print('init')\n", "package/part.py": "\n\nraise OSError(2, 'no')\n"},
    ),
    Case(
        "traceback-through-json",
        """
        import json
        json.loads("{")
        """,
        ends=1,
    ),
    Case(
        "traceback-through-re",
        """
        import re
        re.compile("(")
        """,
        ends=1,
    ),
    Case(
        "traceback-through-random",
        """
        import random
        random.choice([])
        """,
        ends=1,
    ),
    Case(
        "traceback-through-dataclass",
        """
        import dataclasses
        @dataclasses.dataclass
        class A:
            x: int = 1
            y: int
        """,
        ends=1,
    ),
    Case(
        "traceback-through-enum",
        """
        import enum
        class C(enum.Enum):
            A = 1
            A = 2
        """,
        ends=1,
    ),
    Case(
        "syntax-error",
        """
        x = 1
        print('never'
        y = 2
        """,
        ends=1,
    ),
    Case("syntax-error-with-non-ascii", "x = 'é' 'ü' +* 3\n", ends=1),
    Case(
        "indentation-error",
        """
        def f():
        return 1
        """,
        ends=1,
    ),
    Case("tab-error", "if 1:\n\tx = 1\n        y = 2\n", ends=1),
    Case(
        "future-import-too-late",
        """
        x = 1
        from __future__ import annotations
        """,
        ends=1,
    ),
    Case("future-import-unknown", "from __future__ import better_python\n", ends=1),
    Case("null-byte-in-source", "print(1)\n\0print(2)\n", ends=1),
    Case("return-outside-function", "return 5\n", ends=1),
    Case("too-many-nested-brackets", "(" * 300 + ")" * 300 + "\n", ends=1),
    Case(
        "name-suggestion",
        """
        length = 3
        print(lenght)
        """,
        ends=1,
    ),
    Case(
        "attribute-suggestion",
        """
        import math
        math.sqroot(4)
        """,
        ends=1,
    ),
    Case("module-not-found", "import no_such_module_anywhere\n", ends=1),
    Case("import-name-not-found", "from math import no_such_name\n", ends=1),
    Case("stdlib-name-without-import", "print(random.random())\n", ends=1),
    Case(
        "chained-exceptions",
        """
        def convert(text):
            try:
                return int(text)
            except ValueError as error:
                raise KeyError("converted") from error

        try:
            convert("x")
        except KeyError:
            raise RuntimeError("while handling")
        """,
        ends=1,
    ),
    Case(
        "suppressed-context",
        """
        try:
            1/0
        except ZeroDivisionError:
            raise ValueError from None
        """,
        ends=1,
    ),
    Case(
        "exception-group",
        """
        def fail(error):
            raise error
        errors = []
        for error in (ValueError("a"), TypeError("b")):
            try:
                fail(error)
            except Exception as caught:
                caught.add_note("a note")
                errors.append(caught)
        try:
            raise ExceptionGroup("both", [*errors, ExceptionGroup("inner", [OSError(5, "c")])])
        except* ValueError as group:
            print("caught", group.exceptions)
        """,
        ends=1,
    ),
    Case(
        "exception-with-broken-str",
        """
        class E(Exception):
            def __str__(self):
                1/0
        raise E
        """,
        ends=1,
    ),
    Case("exception-is-printed-with-surrogate", "raise ValueError('\\udc80 and ü')\n", ends=1),
    Case("print-of-surrogate", "print('\\udc80')\n"),
    Case("assertion-with-message", "assert 1 == 2, ['one', 'two']\n", ends=1),
    Case(
        "stop-iteration-in-generator",
        """
        def g():
            next(iter([]))
            yield
        list(g())
        """,
        ends=1,
    ),
    Case("raise-of-memory-error", "raise MemoryError\n", ends=1),
    Case(
        "raise-of-keyboard-interrupt",
        """
        def f():
            raise KeyboardInterrupt
        f()
        """,
        ends="SIGINT",
    ),
    Case(
        "raise-of-base-exception",
        """
        class Stop(BaseException): pass
        raise Stop('x')
        """,
        ends=1,
    ),
    Case(
        "print-stack-and-frames",
        """
        import inspect, sys, traceback
        def f():
            traceback.print_stack()
            print(traceback.format_stack())
            frame, names = sys._getframe(), []
            while frame:
                names.append((frame.f_code.co_name, frame.f_code.co_filename, frame.f_lineno))
                frame = frame.f_back
            print(names)
            print([(s.function, s.lineno, s.code_context, s.filename) for s in inspect.stack()])
            try:
                sys._getframe(3)
            except ValueError as error:
                print(error)
        f()
        """,
    ),
    Case(
        "traceback-module",
        """
        import sys, traceback
        def f():
            1 / 0
        try:
            f()
        except ZeroDivisionError as error:
            traceback.print_exc()
            print(traceback.format_exc(), traceback.extract_tb(error.__traceback__))
            print(sys.exc_info()[2].tb_frame.f_back, error.__traceback__.tb_lineno)
            print(traceback.TracebackException.from_exception(error, capture_locals=True).stack[0].line)
        print(sys.exc_info(), hasattr(sys, "last_type"), hasattr(sys, "last_value"))
        """,
    ),
    Case(
        "tracebacklimit",
        """
        import sys
        sys.tracebacklimit = 1
        def f(): g()
        def g(): 1/0
        f()
        """,
        ends=1,
    ),
]
