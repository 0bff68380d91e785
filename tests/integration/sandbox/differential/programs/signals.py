"""Signals: dispositions, masks, handlers, and what ends a program."""

from tests.integration.sandbox.differential.case import Case

_DIE = """
import os, signal
print("before", flush=True)
print("lost")
os.kill(os.getpid(), signal.{})
print("after")
"""

CASES = [
    Case(
        "signal-dispositions",
        """
        import signal
        for number in sorted(signal.valid_signals()):
            print(number, signal.getsignal(number))
        print(signal.pthread_sigmask(signal.SIG_BLOCK, []), signal.sigpending())
        print(signal.getitimer(signal.ITIMER_REAL), signal.set_wakeup_fd(-1))
        for line in open("/proc/self/status"):
            if line.startswith(("Sig", "Shd")):
                print(line, end="")
        """,
        volatile=(r"SigQ:.*",),
    ),
    Case(
        "signal-dispositions-of-children",
        """
        import subprocess, sys
        show = "grep -E 'Sig(Blk|Ign|Cgt)' /proc/self/status"
        for arguments in ({}, {"restore_signals": False}, {"start_new_session": True}, {"preexec_fn": str}):
            subprocess.run(show, shell=True, **arguments)
        show = "import signal; print([signal.getsignal(n) for n in range(1, 32)])"
        subprocess.run([sys.executable, "-c", show])
        """,
    ),
    *(
        Case(f"dies-of-{name.lower()}", _DIE.format(name), ends=name)
        for name in (
            "SIGTERM",
            "SIGKILL",
            "SIGABRT",
            "SIGSEGV",
            "SIGFPE",
            "SIGHUP",
            "SIGUSR1",
            "SIGALRM",
            "SIGQUIT",
            "SIGXCPU",
            "SIGILL",
            "SIGBUS",
            "SIGTRAP",
            "SIGSYS",
        )
    ),
    *(
        Case(f"survives-{name.lower()}", _DIE.format(name))
        for name in ("SIGPIPE", "SIGXFSZ", "SIGCHLD", "SIGCONT", "SIGWINCH", "SIGURG")
    ),
    Case("dies-of-sigint", _DIE.format("SIGINT"), ends="SIGINT"),
    Case(
        "real-time-signal",
        """
        import os, signal
        os.kill(os.getpid(), signal.SIGRTMIN)
        """,
        ends="SIGRTMIN",
    ),
    Case(
        "keyboard-interrupt-caught",
        """
        import os, signal
        try:
            os.kill(os.getpid(), signal.SIGINT)
        except KeyboardInterrupt:
            print('caught')
        """,
    ),
    Case(
        "keyboard-interrupt-in-sleep",
        """
        import os, signal, threading, time
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            time.sleep(30)
        finally:
            print('finally')
        """,
        ends="SIGINT",
    ),
    Case(
        "keyboard-interrupt-runs-atexit",
        """
        import atexit
        atexit.register(print, 'handler')
        raise KeyboardInterrupt('with text')
        """,
        ends="SIGINT",
    ),
    Case(
        "keyboard-interrupt-with-own-handler",
        """
        import signal
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        raise KeyboardInterrupt
        """,
        ends="SIGINT",
    ),
    Case(
        "keyboard-interrupt-in-a-thread",
        """
        import threading
        def f(): raise KeyboardInterrupt
        t = threading.Thread(target=f)
        t.start()
        t.join()
        print('main')
        """,
    ),
    Case(
        "keyboard-interrupt-subclass",
        """
        class K(KeyboardInterrupt): pass
        raise K('x')
        """,
        ends=1,
    ),
    Case(
        "interrupt-main",
        """
        import _thread, threading
        threading.Thread(target=_thread.interrupt_main).start()
        import time
        time.sleep(30)
        """,
        ends="SIGINT",
    ),
    Case(
        "interrupt-joining-at-the-end",
        """
        import os, signal, threading, time
        def f():
            threading.main_thread().join()
            time.sleep(0.1)
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.5)
            print('thread ends', flush=True)
        threading.Thread(target=f).start()
        """,
    ),
    Case(
        "handler-runs",
        """
        import signal
        def h(n, frame):
            print('handler', n, frame.f_lineno, frame.f_code.co_name)
        print(signal.signal(signal.SIGUSR1, h))
        signal.raise_signal(signal.SIGUSR1)
        print(signal.getsignal(signal.SIGUSR1) is h)
        """,
    ),
    Case(
        "handler-raises",
        """
        import signal
        def h(*a):
            raise ValueError('from handler')
        signal.signal(signal.SIGUSR1, h)
        signal.raise_signal(signal.SIGUSR1)
        """,
        ends=1,
    ),
    Case(
        "alarm-interrupts-a-loop",
        """
        import signal, time
        class Late(Exception): pass
        def h(*a): raise Late
        signal.signal(signal.SIGALRM, h)
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        try:
            while True: time.sleep(0.001)
        except Late:
            print('late')
        """,
    ),
    Case(
        "virtual-alarm",
        """
        import signal
        signal.setitimer(signal.ITIMER_PROF, 0.05)
        while True: pass
        """,
        ends="SIGPROF",
    ),
    Case(
        "blocked-signal-waits",
        """
        import os, signal
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
        os.kill(os.getpid(), signal.SIGUSR1)
        print(signal.sigpending(), signal.sigwait([signal.SIGUSR1]))
        """,
    ),
    Case(
        "default-sigpipe",
        """
        import os, signal
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        r, w = os.pipe()
        os.close(r)
        os.write(w, b'x')
        """,
        ends="SIGPIPE",
    ),
    Case(
        "ignored-child-signal",
        """
        import os, signal
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        if os.fork() == 0: os._exit(3)
        try:
            print(os.wait())
        except ChildProcessError as e:
            print(e)
        """,
    ),
    Case(
        "child-handler",
        """
        import os, signal
        signal.signal(signal.SIGCHLD, lambda *a: print('child gone'))
        if os.fork() == 0: os._exit(3)
        print(os.wait()[1])
        """,
    ),
    Case(
        "child-killed-by-signal",
        """
        import signal, subprocess
        for s in ('TERM', 'KILL', 'INT', 'PIPE', 'HUP'):
            print(s, subprocess.run(['sh', '-c', f'kill -{s} $$']).returncode)
        """,
    ),
    Case(
        "child-terminated",
        """
        import subprocess
        p = subprocess.Popen(['sleep', '30'])
        p.terminate()
        print(p.wait())
        q = subprocess.Popen(['sleep', '30'])
        q.kill()
        print(q.wait(), p)
        """,
    ),
    Case(
        "python-child-interrupted",
        r"""
        import signal, subprocess, sys
        sleeper = 'print(1, flush=True)\nimport time; time.sleep(30)'
        p = subprocess.Popen([sys.executable, '-c', sleeper], stdout=-1, stderr=-1, text=True)
        print(p.stdout.readline())
        p.send_signal(signal.SIGINT)
        print(p.communicate()[1].splitlines()[-1], p.returncode)
        """,
    ),
    Case(
        "group-signal",
        """
        import os, signal
        signal.signal(signal.SIGUSR1, lambda *a: print('got it'))
        os.killpg(os.getpgrp(), signal.SIGUSR1)
        os.kill(0, signal.SIGUSR1)
        """,
    ),
    Case(
        "file-size-signal",
        """
        import os, resource, signal
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (10, hard))
        try:
            open('f', 'wb', 0).write(b'x' * 20); open('f', 'ab', 0).write(b'x')
        except OSError as e:
            print(e)
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        open('f', 'ab', 0).write(b'x')
        """,
        ends="SIGXFSZ",
    ),
    Case(
        "stop-and-continue",
        """
        import os, signal, subprocess
        p = subprocess.Popen(['sleep', '30'])
        p.send_signal(signal.SIGSTOP)
        print(os.WIFSTOPPED(os.waitpid(p.pid, os.WUNTRACED)[1]))
        p.kill()
        print(p.wait())
        """,
    ),
]
