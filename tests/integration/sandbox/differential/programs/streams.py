"""The three streams: what they are, how they read and write, how they are shared with children."""

from tests.integration.sandbox.differential.case import Case

_LINES = "first\nsecond line\n\nlast"
_CRLF = "one\r\ntwo\r\nthree\rfour\nfive\r\n"

CASES = [
    Case(
        "stream-attributes",
        """
        import os, sys
        for s in (sys.stdin, sys.stdout, sys.stderr, sys.__stdin__, sys.__stdout__, sys.__stderr__):
            print(s.name, s.mode, s.encoding, s.errors, s.line_buffering, s.write_through, s.newlines)
            print(s.fileno(), s.isatty(), s.closed, s.readable(), s.writable(), s._CHUNK_SIZE)
            print(type(s), type(s.buffer), type(s.buffer.raw), s.buffer.mode, s.buffer.raw.mode)
            print(s.buffer.name)
            print(s.buffer.raw.closefd, repr(s), repr(s.buffer), repr(s.buffer.raw))
        print(sys.stdout.seekable(), sys.stderr.seekable())
        """,
    ),
    Case(
        "stream-descriptors",
        """
        import fcntl, os, stat, sys
        for n in range(3):
            mode = os.fstat(n).st_mode
            print(n, stat.S_ISREG(mode), stat.S_ISFIFO(mode), stat.S_ISCHR(mode), os.isatty(n))
            print(os.get_inheritable(n), os.get_blocking(n), fcntl.fcntl(n, fcntl.F_GETFD))
            print(oct(fcntl.fcntl(n, fcntl.F_GETFL)), os.device_encoding(n))
        for f in (lambda: os.get_terminal_size(), lambda: os.ttyname(0), lambda: os.tcgetpgrp(0)):
            try:
                print(f())
            except OSError as error:
                print(error)
        print(os.fstat(1).st_uid == os.getuid())
        """,
    ),
    Case(
        "stream-positions",
        """
        import os, sys
        print(sys.stdin.seekable(), os.lseek(0, 0, os.SEEK_CUR))
        print(sys.stdin.readline(), os.lseek(0, 0, os.SEEK_CUR))
        for n in (1, 2):
            try:
                os.lseek(n, 0, os.SEEK_CUR)
            except OSError as error:
                print(error)
        """,
        stdin=_LINES,
    ),
    Case(
        "input-lines",
        """
        while True:
            try:
                print(repr(input('? ')))
            except EOFError as e:
                print(e); break
        """,
        stdin=_LINES,
    ),
    Case(
        "input-at-eof",
        """
        print('a')
        input('prompt')
        """,
        ends=1,
    ),
    Case("input-without-newline", "print([input(), input()])\n", stdin="a\nb"),
    Case("input-keeps-crlf", "print(repr(input()), repr(input()), repr(input()))\n", stdin=_CRLF),
    Case(
        "stdin-read",
        """
        import sys
        print(repr(sys.stdin.read()), repr(sys.stdin.read()))
        """,
        stdin=_CRLF,
    ),
    Case(
        "stdin-lines",
        """
        import sys
        print(list(sys.stdin), sys.stdin.newlines)
        """,
        stdin=_CRLF,
    ),
    Case(
        "stdin-readlines-hint",
        """
        import sys
        print(sys.stdin.readlines(3), sys.stdin.readline(2))
        """,
        stdin=_LINES,
    ),
    Case(
        "stdin-buffer",
        """
        import sys
        print(sys.stdin.buffer.read(4), sys.stdin.buffer.readline(), sys.stdin.buffer.raw.read())
        """,
        stdin=_CRLF,
    ),
    Case(
        "stdin-unicode",
        """
        import sys
        print(input(), sys.stdin.read())
        """,
        stdin="größe 日本 🎉\n\u2028x\x00y\x1a\ufeff",
    ),
    Case(
        "stdin-empty",
        """
        import sys
        print(repr(sys.stdin.read()), list(sys.stdin), sys.stdin.buffer.peek())
        """,
    ),
    Case(
        "stdin-by-descriptor",
        """
        import os
        print(os.read(0, 5), open(0).read())
        """,
        stdin=_LINES,
    ),
    Case(
        "stdin-by-path", "print(open('/dev/stdin').readlines(), open('/dev/stdin').read(3))\n", stdin=_LINES
    ),
    Case(
        "stdin-by-fdopen",
        """
        import os
        print(os.fdopen(0, 'rb').read())
        """,
        stdin=_LINES,
    ),
    Case(
        "stdin-reconfigured",
        """
        import sys
        sys.stdin.reconfigure(encoding='latin-1', newline='')
        print(ascii(sys.stdin.read()))
        """,
        stdin="é\r\n",
    ),
    Case(
        "stdin-seek",
        """
        import sys
        print(sys.stdin.read(3)); sys.stdin.seek(0); print(sys.stdin.read())
        """,
        stdin=_LINES,
    ),
    Case(
        "stdin-write",
        """
        import os
        try:
            os.write(0, b'x')
        except OSError as e:
            print(e)
        """,
        stdin="x",
    ),
    Case(
        "stdin-mapped",
        """
        import mmap
        print(mmap.mmap(0, 0, access=mmap.ACCESS_READ)[:])
        """,
        stdin=_LINES,
    ),
    Case(
        "stdin-large",
        """
        import sys
        d = sys.stdin.read().split()
        print(len(d), sum(map(int, d)))
        """,
        stdin="\n".join(map(str, range(100_000))),
    ),
    Case(
        "stdin-select",
        """
        import select
        print(select.select([0], [1], [], 1)[:2])
        p = select.poll()
        p.register(0)
        print(p.poll(1))
        """,
        stdin="x",
    ),
    Case(
        "stdin-closed",
        """
        import sys
        sys.stdin.close()
        input()
        """,
        ends=1,
    ),
    Case(
        "stdin-none",
        """
        import sys
        sys.stdin = None
        input()
        """,
        ends=1,
    ),
    Case(
        "stdin-replaced",
        r"""
        import io, sys
        sys.stdin = io.StringIO('mine\n')
        print(input('p'))
        """,
        stdin="given\n",
    ),
    Case(
        "fileinput",
        """
        import fileinput
        for line in fileinput.input():
            print(fileinput.filename(), fileinput.lineno(), line)
        """,
        stdin=_LINES,
    ),
    Case(
        "print-options",
        r"""
        import sys
        print(1, 'a', None, sep='-', end='!\n', flush=True)
        print(file=sys.stderr)
        print('e', file=sys.stderr)
        print(sys.stdout.write('four'))
        """,
    ),
    Case("print-unicode", "print('größe 日本 🎉 \\u2028 \\x00 \\x1b[0m')\n"),
    Case(
        "print-many-lines",
        """
        for n in range(20_000):
            print(n)
        """,
    ),
    Case("print-one-long-line", "print('x' * 300_000)\n"),
    Case(
        "write-bytes",
        r"""
        import os, sys
        sys.stdout.buffer.write(bytes(range(256)))
        print()
        sys.stdout.flush()
        os.write(1, b'raw\n')
        os.writev(1, [b'a', b'b'])
        """,
    ),
    Case(
        "buffering-order",
        r"""
        import os
        print('buffered')
        os.write(1, b'direct\n')
        os.system('echo child')
        print('later')
        """,
    ),
    Case(
        "stdout-line-buffered",
        r"""
        import os, sys
        sys.stdout.reconfigure(line_buffering=True)
        print('a')
        os.write(1, b'b\n')
        print('c', end='')
        """,
    ),
    Case(
        "stdout-encoding-changed",
        """
        import sys
        sys.stdout.reconfigure(encoding='ascii', errors='backslashreplace')
        print('ü')
        sys.stdout.reconfigure(errors='strict')
        print('ü')
        """,
        ends=1,
    ),
    Case(
        "stdout-by-path",
        r"""
        print('a', flush=True)
        with open('/dev/stdout', 'w') as f:
            f.write('b\n')
        print('c', flush=True)
        open('/dev/stdout', 'a').write('d\n')
        open('/dev/fd/1', 'w').write('e\n')
        """,
    ),
    Case(
        "stderr-by-path",
        r"""
        import sys
        print('a', file=sys.stderr)
        open('/dev/stderr', 'w').write('b\n')
        print('c', file=sys.stderr)
        open('/proc/self/fd/2', 'w').write('d\n')
        """,
    ),
    Case(
        "stdout-by-descriptor",
        """
        import os
        print('a', flush=True)
        f = open(1, 'w', closefd=False)
        f.write('b')
        f.close()
        g = os.fdopen(os.dup(1), 'wb', 0)
        g.write(b'c')
        print('d')
        """,
    ),
    Case(
        "stdout-moved-to-a-file",
        """
        import os, sys
        print('a', flush=True)
        saved = os.dup(1)
        os.dup2(os.open('f', os.O_RDWR | os.O_CREAT), 1)
        print('in file', flush=True)
        os.system('echo child in file')
        os.dup2(saved, 1)
        print(open('f').read())
        """,
    ),
    Case(
        "stdout-and-stderr-swapped",
        """
        import os, sys
        a = os.dup(1)
        os.dup2(2, 1)
        os.dup2(a, 2)
        print('to err')
        print('to out', file=sys.stderr)
        """,
    ),
    Case(
        "redirect-helpers",
        """
        import contextlib, io, sys
        b = io.StringIO()
        with contextlib.redirect_stdout(b), contextlib.redirect_stderr(sys.stdout):
            print('kept')
            print('e', file=sys.stderr)
        print(repr(b.getvalue()))
        """,
    ),
    Case(
        "print-alias",
        r"""
        print = __import__('sys').stdout.write
        print('a\n')
        input = __import__('sys').stdin.readline
        print(input())
        """,
        stdin="x\ny",
    ),
    Case(
        "truncate-of-stdout",
        """
        import os
        print('a', flush=True)
        try:
            os.ftruncate(1, 0)
        except OSError as e:
            print(e)
        """,
    ),
    Case(
        "read-from-stdout",
        """
        import os
        os.write(1, b'x')
        try:
            print(os.read(1, 1))
        except OSError as e:
            print(e)
        """,
    ),
    Case(
        "shell-redirections",
        """
        import os
        for c in (
            'echo a', 'echo b > /dev/stdout', 'echo c > /dev/stderr', 'echo d >&2',
            'echo e >> /dev/stdout', 'echo f | cat', 'cat > /dev/null',
        ):
            print(os.system(c), flush=True)
        os.system('exec 3>&1; echo g >&3; echo h | tee /dev/stderr')
        """,
        stdin="s",
    ),
    Case(
        "child-shares-stdin",
        """
        import subprocess, sys
        print(sys.stdin.buffer.raw.read(6))
        sys.stdout.flush()
        subprocess.run(['cat'])
        print(sys.stdin.read())
        """,
        stdin=_LINES,
    ),
    Case(
        "child-reads-stdin-by-path",
        """
        import subprocess
        command = 'head -1 /dev/stdin; wc -l < /dev/stdin'
        print(subprocess.run(command, shell=True, capture_output=True, text=True))
        """,
        stdin=_LINES,
    ),
    Case(
        "broken-pipe",
        """
        import os, sys
        r, w = os.pipe()
        os.close(r)
        try:
            os.write(w, b'x')
        except BrokenPipeError as e:
            print(e)
        os.dup2(w, 1)
        print('x')
        """,
        ends=120,
    ),
    Case(
        "pager-closes-early",
        """
        import subprocess, sys
        p = subprocess.Popen(['head', '-c', '1'], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        try:
            while True:
                p.stdin.write(b'x' * 100_000)
        except BrokenPipeError:
            print('broken')
        """,
    ),
]
