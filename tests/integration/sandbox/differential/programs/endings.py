"""What still happens after the last line: exit handlers, threads, buffers, children."""

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
        "atexit-order",
        """
        import atexit
        for n in range(3):
            atexit.register(print, "handler", n)
        @atexit.register
        def last():
            print("first of all")
            atexit.register(print, "late")
        atexit.unregister(last)
        atexit.register(last)
        print("end")
        """,
    ),
    Case(
        "atexit-errors",
        """
        import atexit
        atexit.register(lambda: 1/0)
        atexit.register(print, 'goes on')
        @atexit.register
        def f():
            raise KeyError('x')
        """,
    ),
    Case(
        "atexit-after-error",
        """
        import atexit
        atexit.register(print, 'handler')
        1/0
        """,
        ends=1,
    ),
    Case(
        "atexit-after-exit",
        """
        import atexit, sys
        atexit.register(print, 'handler')
        sys.exit(2)
        """,
        ends=2,
    ),
    Case(
        "atexit-raises-keyboard-interrupt",
        """
        import atexit
        @atexit.register
        def f():
            raise KeyboardInterrupt
        """,
    ),
    Case(
        "atexit-run-by-hand",
        """
        import atexit
        atexit.register(print, 'handler')
        atexit._run_exitfuncs()
        print('after')
        """,
    ),
    Case(
        "atexit-cleared",
        """
        import atexit
        atexit.register(print, 'handler')
        atexit._clear()
        print('x')
        """,
    ),
    Case(
        "atexit-count",
        """
        import atexit
        print(atexit._ncallbacks())
        """,
    ),
    Case(
        "atexit-in-a-thread-and-after-threads",
        """
        import atexit, threading
        def work():
            atexit.register(print, "registered in thread")
            threading.main_thread().join()
            print("thread ends")
        atexit.register(lambda: print("threads", threading.active_count(), threading.current_thread().name))
        threading.Thread(target=work).start()
        print("main ends")
        """,
    ),
    Case(
        "threads-are-joined",
        """
        import threading
        def work(before, n):
            before.join()
            print("thread", n)
            if n == 3:
                threading.Thread(target=work, args=(before, 4)).start()
        last = threading.main_thread()
        for n in range(1, 4):
            last = threading.Thread(target=work, args=(last, n))
            last.start()
        print("main", threading.main_thread().is_alive())
        """,
    ),
    Case(
        "daemon-threads-are-dropped",
        """
        import threading, time
        def work():
            time.sleep(60)
            print("never")
        threading.Thread(target=work, daemon=True).start()
        print("main")
        """,
    ),
    Case(
        "daemon-threads-that-spin",
        """
        import threading
        started = threading.Event()
        def work():
            started.set()
            while True:
                pass
        for _ in range(3):
            threading.Thread(target=work, daemon=True).start()
        started.wait()
        print("main")
        """,
    ),
    Case(
        "timer-fires-after-the-end",
        """
        import threading
        threading.Timer(0.5, print, ['timer']).start()
        print('main')
        """,
    ),
    Case(
        "low-level-threads-are-dropped",
        """
        import _thread, time
        _thread.start_new_thread(time.sleep, (60,))
        print('main')
        """,
    ),
    Case(
        "executor-left-open",
        """
        from concurrent.futures import ThreadPoolExecutor
        import threading
        go = threading.Event()
        pool = ThreadPoolExecutor(1)
        pool.submit(go.wait)
        for n in range(4):
            pool.submit(print, "job", n)
        print("main")
        go.set()
        """,
    ),
    Case(
        "unclosed-file-is-flushed",
        """
        f = open('/dev/stdout', 'w')
        f.write('from file')
        print('from print')
        """,
    ),
    Case(
        "unclosed-file-in-a-function",
        """
        def f():
            g = open('/dev/stdout', 'w')
            g.write('x')
        f()
        print('after')
        """,
    ),
    Case(
        "unclosed-file-in-a-cycle",
        """
        f = open('/dev/stdout', 'w')
        l = [f]
        l.append(l)
        f.write('from file')
        """,
    ),
    Case(
        "unclosed-descriptor-one",
        """
        f = open(1, 'w', closefd=False)
        f.write('one')
        print('print')
        """,
    ),
    Case(
        "fdopen-of-one-closes-it",
        """
        import os
        f = os.fdopen(1, 'w')
        f.write('one')
        print('print')
        """,
        ends=0,
    ),
    Case(
        "c-stdio-is-flushed",
        r"""
        import ctypes
        libc = ctypes.CDLL(None)
        libc.printf(b'from c\n')
        print('from python')
        """,
    ),
    Case(
        "c-stdio-is-flushed-after-error",
        r"""
        import ctypes
        ctypes.CDLL(None).printf(b'from c\n')
        1/0
        """,
        ends=1,
    ),
    Case(
        "c-exit-handler",
        """
        import ctypes
        libc = ctypes.CDLL(None)
        libc.strdup.restype = ctypes.c_void_p
        text = ctypes.c_void_p(libc.strdup(b"from exit handler"))
        libc.__cxa_atexit(ctypes.cast(libc.puts, ctypes.c_void_p), text, None)
        print("end")
        """,
    ),
    Case(
        "temporary-files-are-removed",
        """
        import atexit, os, tempfile
        folder = tempfile.TemporaryDirectory()
        file = tempfile.NamedTemporaryFile()
        names = [folder.name, file.name]
        @atexit.register
        def look():
            print([os.path.exists(n) for n in names])
        """,
    ),
    Case(
        "logging-is-shut-down",
        """
        import logging, logging.handlers, sys
        handler = logging.handlers.MemoryHandler(100, target=logging.StreamHandler(sys.stdout))
        logging.getLogger().addHandler(handler)
        logging.warning("kept until the end")
        print("end")
        """,
    ),
    Case(
        "fork-child-ends-too",
        """
        import atexit, os
        atexit.register(lambda: print("handler in", name))
        class A:
            def __del__(self):
                print("del in", name)
        a = A()
        name = "parent"
        print("before", flush=True)
        if os.fork() == 0:
            name = "child"
            print("in child")
        else:
            print("child ended", os.wait()[1])
        """,
    ),
    Case(
        "fork-child-exit-codes",
        """
        import os, sys
        for code in (0, 3, "text", None):
            if os.fork() == 0:
                sys.exit(code)
            print(code, os.waitstatus_to_exitcode(os.wait()[1]), flush=True)
        if os.fork() == 0:
            1 / 0
        print(os.waitstatus_to_exitcode(os.wait()[1]))
        """,
    ),
    Case(
        "fork-copies-the-buffer",
        """
        import os
        print('twice')
        if os.fork():
            os.wait()
        """,
    ),
    Case(
        "child-outlives-the-program",
        """
        import subprocess, time
        subprocess.Popen(['sh', '-c', 'sleep 5; echo late'])
        print('main')
        """,
    ),
    Case(
        "popen-not-waited-for",
        """
        import subprocess
        p = subprocess.Popen(['true'])
        p2 = subprocess.Popen(['sleep', '5'])
        """,
    ),
    Case(
        "ends-with-a-running-profile",
        """
        import sys
        seen = []
        sys.setprofile(lambda f, e, a: seen.append(e))
        len('x')
        sys.setprofile(None)
        print(seen)
        """,
    ),
    Case(
        "profile-to-the-very-end",
        """
        import sys
        def see(frame, event, arg):
            print(event, frame.f_code.co_name)
        sys.setprofile(see)
        len('x')
        """,
    ),
    Case(
        "trace-to-the-very-end",
        """
        import atexit, sys
        def f():
            return 1
        atexit.register(f)
        def see(frame, event, arg):
            print(event, frame.f_code.co_name, frame.f_lineno)
            return see
        sys.settrace(see)
        f()
        """,
    ),
    Case(
        "audit-hook-to-the-very-end",
        """
        import sys
        def hook(event, args):
            if event.startswith('cpython'):
                print(event)
        sys.addaudithook(hook)
        print('end')
        """,
    ),
    Case(
        "del-of-the-exit-machinery",
        """
        import sys, gc
        for name in list(sys.modules):
            if name not in ('sys', 'builtins'):
                sys.modules[name] = None
        print('x')
        """,
    ),
]
