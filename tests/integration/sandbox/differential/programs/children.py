"""Children made by subprocess and fork, and what processes share."""

from tests.integration.sandbox.differential.case import Case

_START_METHODS = ("fork", "spawn", "forkserver")


def _with_each_method(name: str, source: str, ends: int = 0, volatile: tuple[str, ...] = ()) -> list[Case]:
    return [
        Case(f"{name}-by-{method}", source.replace("METHOD", method), ends=ends, volatile=volatile)
        for method in _START_METHODS
    ]


CASES = [
    Case(
        "subprocess-run",
        """
        import subprocess as s
        print(s.run('echo out; echo err >&2; exit 4', shell=True, capture_output=True, text=True))
        print(s.check_output(['cat'], input=b'x'))
        try:
            s.run(['false'], check=True)
        except s.CalledProcessError as e:
            print(e)
        try:
            s.run(['no-such-program'])
        except FileNotFoundError as e:
            print(e)
        try:
            s.run(['sleep', '30'], timeout=0.05)
        except s.TimeoutExpired as e:
            print(e.cmd)
        """,
    ),
    Case(
        "subprocess-pipeline",
        r"""
        import subprocess as s
        a = s.Popen(['printf', 'b\\na\\n'], stdout=s.PIPE)
        b = s.Popen(['sort'], stdin=a.stdout, stdout=s.PIPE)
        a.stdout.close()
        print(b.communicate(), a.wait())
        """,
    ),
    Case(
        "subprocess-large-output",
        """
        import subprocess, sys
        o = subprocess.run([sys.executable, '-c', 'print("x" * 10**6)'], capture_output=True).stdout
        print(len(o))
        """,
    ),
    Case(
        "subprocess-without-inheritance",
        """
        import os, subprocess, sys
        r, w = os.pipe()
        show = 'import os; print(sorted(os.listdir("/proc/self/fd")))'
        subprocess.run([sys.executable, '-c', show])
        subprocess.run([sys.executable, '-c', show], pass_fds=[w])
        subprocess.run([sys.executable, '-c', show], close_fds=False)
        """,
    ),
    Case(
        "subprocess-as-another-user",
        """
        import os, subprocess
        for a in ({'user': 0}, {'group': 0}, {'extra_groups': [0]}):
            try:
                print(subprocess.run(['id', '-u'], **a))
            except Exception as e:
                print(repr(e))
        """,
    ),
    Case(
        "system-and-popen",
        """
        import os
        print(os.system('exit 3'), os.popen('echo hi').read())
        print(os.waitstatus_to_exitcode(os.system('kill -9 $$')), os.popen('exit 2').close())
        """,
    ),
    Case(
        "spawn-functions",
        """
        import os
        print(os.spawnlp(os.P_WAIT, 'sh', 'sh', '-c', 'exit 7'))
        p = os.posix_spawnp('echo', ['echo', 'spawned'], os.environ)
        print(os.waitpid(p, 0)[1])
        """,
    ),
    Case(
        "fork-and-pipes",
        """
        import os
        r, w = os.pipe()
        if os.fork() == 0:
            os.write(w, b'from child')
            os._exit(0)
        os.close(w)
        print(os.read(r, 100), os.wait()[1])
        """,
    ),
    Case(
        "fork-in-a-thread",
        """
        import os, threading
        def f():
            if os.fork() == 0:
                main = threading.main_thread()
                print('child', threading.current_thread() is main, threading.active_count(), flush=True)
                os._exit(0)
            os.wait()
        t = threading.Thread(target=f)
        t.start()
        t.join()
        print('end')
        """,
        volatile=(r"pid=\d+",),
    ),
    Case(
        "fork-hooks",
        """
        import os
        def say(what):
            return lambda: print(what, flush=True)
        os.register_at_fork(
            before=say('before'), after_in_parent=os.wait, after_in_child=say('child')
        )
        if os.fork() == 0: os._exit(0)
        print('parent')
        """,
    ),
    Case(
        "fork-random-state",
        """
        import os, random
        random.seed(1)
        r, w = os.pipe()
        if os.fork() == 0:
            os.write(w, repr(random.random()).encode())
            os._exit(0)
        os.wait()
        print(os.read(r, 100) == repr(random.random()).encode())
        """,
    ),
    Case(
        "children-are-waited-for",
        """
        import os
        try:
            os.wait()
        except ChildProcessError as e:
            print(e)
        if os.fork() == 0:
            if os.fork() == 0:
                os._exit(0)
            os._exit(1)
        print(os.wait()[1])
        try:
            os.wait()
        except ChildProcessError as e:
            print(e)
        """,
    ),
    Case(
        "pseudo-terminal",
        """
        import os, pty
        try:
            a, b = pty.openpty()
            print(os.isatty(b))
        except OSError as e:
            print(e)
        """,
    ),
    Case(
        "sockets-in-the-run",
        """
        import socket, threading
        s = socket.create_server(('127.0.0.1', 0)) if False else socket.socket(socket.AF_UNIX)
        s.bind('sock')
        s.listen()
        def f():
            c, _ = s.accept()
            c.sendall(b'hi')
            c.close()
        threading.Thread(target=f).start()
        c = socket.socket(socket.AF_UNIX)
        c.connect('sock')
        print(c.recv(10))
        """,
    ),
    Case(
        "named-pipe",
        """
        import os, threading
        os.mkfifo('fifo')
        threading.Thread(target=lambda: open('fifo', 'w').write('through')).start()
        print(open('fifo').read())
        """,
    ),
    Case(
        "file-locks",
        """
        import fcntl
        f = open('l', 'w')
        fcntl.flock(f, fcntl.LOCK_EX)
        g = open('l', 'w')
        try:
            fcntl.flock(g, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as e:
            print(e)
        """,
    ),
    Case(
        "too-many-threads",
        """
        import threading, time
        try:
            while True:
                threading.Thread(target=time.sleep, args=(3,), daemon=True).start()
        except RuntimeError as e:
            print(e)
        """,
    ),
    Case(
        "too-many-descriptors",
        """
        import os
        n = 0
        try:
            while True:
                os.open('main.py', 0)
                n += 1
        except OSError as e:
            print(e, n)
        """,
    ),
    Case(
        "resource-limits-lowered",
        """
        import resource, subprocess
        resource.setrlimit(resource.RLIMIT_NOFILE, (10, 20))
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (30, 30))
        except ValueError as e:
            print(e)
        subprocess.run('ulimit -n; ulimit -s; ulimit -c; ulimit -u', shell=True)
        """,
    ),
]
