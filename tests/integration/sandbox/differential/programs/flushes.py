"""Streams that cannot be flushed, are closed or are replaced when a program ends."""

from tests.integration.sandbox.differential.case import Case

CASES = [
    Case(
        "flush-failure-is-120",
        """
        import os
        print('x')
        os.close(1)
        """,
        ends=120,
    ),
    Case(
        "flush-failure-after-exit-0",
        """
        import os, sys
        print('x')
        os.close(1)
        sys.exit(0)
        """,
        ends=120,
    ),
    Case(
        "flush-failure-after-exit-3",
        """
        import os, sys
        print('x')
        os.close(1)
        sys.exit(3)
        """,
        ends=120,
    ),
    Case(
        "flush-failure-after-error",
        """
        import os
        print('x')
        os.close(1)
        1/0
        """,
        ends=120,
    ),
    Case(
        "flush-failure-of-a-full-device",
        """
        import os
        os.dup2(os.open('/dev/full', 1), 1)
        print('x')
        """,
        ends=120,
    ),
    Case(
        "flush-failure-of-stderr",
        """
        import os, sys
        sys.stderr.write('x')
        os.close(2)
        """,
        ends=120,
    ),
    Case(
        "flush-of-nothing-to-a-closed-descriptor",
        """
        import os
        os.close(1)
        """,
    ),
    Case(
        "flush-failure-of-the-programs-own-stream",
        """
        import sys
        class S:
            def write(self, t): pass
            def flush(self): raise OSError('own flush')
        sys.stdout = S()
        print('x')
        """,
        ends=120,
    ),
    Case(
        "flush-missing-in-the-programs-own-stream",
        """
        import sys
        sys.stdout = object()
        """,
        ends=120,
    ),
    Case(
        "stdout-closed",
        """
        import sys
        print('a')
        sys.stdout.close()
        """,
    ),
    Case(
        "stdout-closed-then-printed",
        """
        import sys
        sys.stdout.close()
        print('b')
        """,
        ends=1,
    ),
    Case(
        "stdout-closed-then-atexit-prints",
        """
        import atexit, sys
        atexit.register(print, 'x')
        sys.stdout.close()
        """,
    ),
    Case(
        "stdout-none",
        """
        import sys
        print('a')
        sys.stdout = None
        print('b')
        """,
    ),
    Case(
        "stdout-deleted",
        """
        import sys
        print('a')
        del sys.stdout
        print('b')
        """,
        ends=1,
    ),
    Case(
        "stderr-none",
        """
        import sys
        sys.stderr = None
        1/0
        """,
        ends=1,
    ),
    Case(
        "stderr-closed",
        """
        import sys
        sys.stderr.close()
        1/0
        """,
        ends=1,
    ),
    Case(
        "descriptors-all-closed",
        """
        import os
        os.closerange(0, 3)
        """,
    ),
    Case(
        "stdout-replaced-by-text",
        """
        import io, sys
        print('a')
        sys.stdout = io.StringIO()
        print('b')
        """,
    ),
    Case(
        "stdout-replaced-by-a-wrapper",
        """
        import io, sys
        print('a')
        sys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding='utf-16')
        print('b')
        """,
    ),
    Case(
        "stdout-detached",
        """
        import sys
        print('a')
        b = sys.stdout.detach()
        b.write(b'b')
        """,
        ends=120,
    ),
]
