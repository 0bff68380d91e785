"""What a program learns of itself and its surroundings: names, paths, flags, limits, environment."""

from tests.integration.sandbox.differential.case import Case

CASES = [
    Case(
        "arguments-and-flags",
        """
        import sys
        print(sys.argv, vars(sys).get("orig_argv"), sys.path)
        print(sys.flags, sys.warnoptions, sys._xoptions, sys.dont_write_bytecode, sys.pycache_prefix)
        print(sys.executable, sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix)
        print(sys.version, sys.implementation, sys.hexversion, sys.api_version, sys.platform)
        print(sys.getrecursionlimit(), sys.getswitchinterval(), sys.get_int_max_str_digits())
        print(sys.getfilesystemencoding(), sys.getfilesystemencodeerrors(), sys.getdefaultencoding())
        print(sys.gettrace(), sys.getprofile(), sys.is_finalizing(), sys.float_repr_style)
        print(sys.displayhook, sys.excepthook, sys.unraisablehook, sys.breakpointhook)
        print(sys.get_asyncgen_hooks(), sys.get_coroutine_origin_tracking_depth(), sys.getdlopenflags())
        print(sys.platlibdir, sys.thread_info, sys.float_info, sys.int_info, sys.hash_info, sys.maxunicode)
        print(hasattr(sys, "ps1"), hasattr(sys, "last_type"), hasattr(sys, "tracebacklimit"))
        print(sorted(dir(sys)))
        """,
    ),
    Case(
        "import-machinery",
        """
        import sys
        print(sys.meta_path, sys.path_hooks)
        print(sorted(sys.path_importer_cache))
        print([type(f) for f in sys.path_importer_cache.values()])
        """,
    ),
    Case(
        "main-module",
        """
        print(list(globals()), __name__, __file__, __doc__, __package__, __spec__, __loader__, __cached__)
        print(__builtins__, __annotations__)
        import __main__, sys
        print(__main__, __main__.__dict__ is globals(), sys.modules["__main__"] is __main__)
        x: int = 5
        print(__annotations__, vars().keys(), locals() is globals())
        """,
    ),
    Case("main-docstring", '"""The docstring."""\nprint(__doc__)\n'),
    Case(
        "builtins",
        """
        import builtins
        print(sorted(dir(builtins)))
        print(exit, quit, copyright, credits, license, help, _ if "_" in dir(builtins) else None)
        print(type(exit), type(help), repr(__import__), repr(open), repr(input))
        """,
    ),
    Case(
        "main-is-imported-again",
        """
        print(__name__)
        if __name__ == '__main__':
            import main
            print(main.__file__, main.__spec__.origin)
        """,
    ),
    Case(
        "main-guard",
        """
        def main():
            print('ran')

        if __name__ == '__main__':
            main()
        """,
    ),
    Case(
        "environment",
        """
        import os
        print(dict(os.environ), os.environb == os.environ)
        os.system('env | sort')
        """,
    ),
    Case(
        "environment-of-the-process", "print(open('/proc/self/environ').read().rstrip('\\0').split('\\0'))\n"
    ),
    Case(
        "environment-changed",
        """
        import os, subprocess
        os.environ['A'] = 'b'
        del os.environ['HOME']
        os.putenv('C', 'd')
        os.system('echo $A $HOME $C')
        print(os.getenv('HOME'), os.path.expanduser('~'))
        """,
    ),
    Case(
        "environment-in-c",
        """
        import ctypes, os
        g = ctypes.CDLL(None).getenv
        g.restype = ctypes.c_char_p
        print([g(n.encode()) for n in sorted(os.environ)], g(b'PYTHONPATH'), g(b'CODE_JUDGE_CONTROL'))
        """,
    ),
    Case(
        "command-line-of-the-process",
        r"""
        print(open('/proc/self/cmdline').read().split('\0'), open('/proc/self/comm').read())
        import os
        print(os.readlink('/proc/self/exe'), os.readlink('/proc/self/cwd'))
        """,
    ),
    Case(
        "working-directory",
        """
        import os, pathlib, stat
        print(os.getcwd(), os.listdir(), pathlib.Path.cwd(), pathlib.Path(__file__).resolve(), __file__)
        for name in (".", "main.py", "..", "/tmp", "/dev/shm"):
            status = os.stat(name)
            print(name, oct(status.st_mode), status.st_uid == os.getuid())
        print(open("main.py").read() == open(__file__).read(), os.path.getsize("main.py"))
        """,
    ),
    Case(
        "files-given",
        """
        import os
        print(sorted((d, sorted(f)) for d, _, f in os.walk('.')), open('data/a.txt').read())
        print(oct(os.stat('data').st_mode))
        """,
        files={"data/a.txt": "text ü\n", "data/deep/b": "", "c.py": "x"},
    ),
    Case(
        "umask-and-created-files",
        """
        import os
        open('f', 'w').close()
        os.mkdir('d')
        print(oct(os.stat('f').st_mode), oct(os.stat('d').st_mode), oct(os.umask(0)))
        """,
    ),
    Case(
        "temporary-folder",
        """
        import os, tempfile
        print(tempfile.gettempdir(), os.path.expanduser("~"), sorted(os.listdir("/tmp")))
        with tempfile.TemporaryDirectory() as folder, tempfile.NamedTemporaryFile("w+") as file:
            file.write("x")
            print(os.path.isdir(folder), os.path.dirname(folder) == tempfile.gettempdir())
        """,
        volatile=(r"\.shm",),
    ),
    Case(
        "identity-of-the-process",
        """
        import getpass, os
        print(os.getuid() == os.geteuid() == os.getgid(), os.getuid() == 0, os.getgroups())
        print(os.getpid() == os.getpgrp() == os.getsid(0), os.getppid(), os.getpid() > 1)
        for f in (os.getlogin, getpass.getuser, os.ctermid):
            try:
                print(f.__name__, f())
            except Exception as error:
                print(f.__name__, type(error))
        for line in open("/proc/self/status"):
            if line.startswith(("Cap", "NoNewPrivs", "Seccomp", "Groups", "Umask", "Threads", "Tracer")):
                print(line, end="")
        print(open("/proc/self/oom_score_adj").read())
        print(open("/proc/self/timerslack_ns").read() if os.path.exists("/proc/self/timerslack_ns") else "")
        print(open("/proc/self/personality").read(), open("/proc/self/coredump_filter").read())
        """,
    ),
    Case(
        "resource-limits",
        """
        import os, resource
        for name in sorted(n for n in dir(resource) if n.startswith("RLIMIT_")):
            print(name, resource.getrlimit(getattr(resource, name)))
        print(os.nice(0), os.getpriority(os.PRIO_PROCESS, 0), os.sched_getscheduler(0))
        print(os.sched_getaffinity(0))
        print(os.cpu_count(), os.sched_getparam(0), os.sysconf("SC_OPEN_MAX"))
        """,
    ),
    Case(
        "resource-usage-starts-small",
        """
        import resource, time
        u = resource.getrusage(resource.RUSAGE_SELF)
        print(time.process_time() < 1, time.thread_time() < 1, u.ru_utime < 1)
        print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime)
        """,
    ),
    Case(
        "open-descriptors",
        """
        import os
        print(sorted(os.listdir('/proc/self/fd')), os.open('main.py', 0))
        print(sorted(os.listdir('/proc/self/fdinfo')))
        """,
    ),
    Case(
        "processes-in-sight",
        """
        import os
        print(sorted(n for n in os.listdir('/proc') if n.isdigit()) == [str(os.getpid())])
        print(len(os.listdir('/proc/self/task')))
        """,
    ),
    Case(
        "threads-at-the-start",
        """
        import os, threading, _thread
        main = threading.main_thread()
        print(main, main is threading.current_thread(), threading.enumerate(), threading.active_count())
        print(main.ident == threading.get_ident(), main.native_id == os.getpid() == threading.get_native_id())
        print(_thread._count(), threading.stack_size(), main.daemon, threading._dangling.__len__())
        t = threading.Thread(target=lambda: print(threading.current_thread().name))
        t.start(); t.join()
        print(t)
        """,
        volatile=(r"started \d+", r"stopped \d+"),
    ),
    Case(
        "locale-and-time-zone",
        """
        import locale, os, time
        print(locale.getlocale(), locale.setlocale(locale.LC_ALL), locale.getpreferredencoding())
        print(locale.localeconv())
        print(time.tzname, time.timezone, time.localtime(0), os.path.exists("/etc/localtime"))
        print(locale.setlocale(locale.LC_ALL, ""), f"{1234567.891:n}")
        """,
    ),
    Case(
        "platform",
        """
        import platform, sysconfig
        print(platform.python_implementation(), platform.python_build(), platform.machine())
        print(platform.node(), platform.system())
        print(sysconfig.get_paths(), sysconfig.get_platform())
        """,
    ),
    Case(
        "site",
        """
        import site, sys
        print(site.ENABLE_USER_SITE, site.PREFIXES, site.getsitepackages(), site.USER_SITE)
        print(site.getusersitepackages())
        """,
    ),
    Case(
        "site-customisation",
        """
        import sys
        print('usercustomize' in sys.modules)
        for n in ('sitecustomize', 'usercustomize'):
            try:
                print(__import__(n).__file__)
            except ImportError as e:
                print(repr(e), e.name, e.path)
        """,
    ),
    Case(
        "sandbox-is-not-importable",
        """
        for n in ('code_judge_workers', 'code_judge'):
            try:
                __import__(n)
            except ImportError as e:
                print(repr(e))
        """,
    ),
    Case(
        "loaded-modules",
        r"""
        import sys
        print(*sorted(sys.modules), sep='\n')
        """,
    ),
    Case(
        "submodules-without-import",
        """
        import importlib, xml, os, concurrent
        for m, n in ((xml, 'etree'), (importlib, 'util'), (concurrent, 'futures')):
            print(m.__name__, hasattr(m, n))
        """,
    ),
    Case(
        "collector-state",
        """
        import gc
        print(gc.isenabled(), gc.get_threshold(), gc.get_debug(), gc.callbacks, gc.garbage)
        """,
    ),
    Case(
        "collector-frozen-objects",
        """
        import gc
        print(gc.get_freeze_count())
        """,
    ),
    Case(
        "collector-collects",
        """
        import gc, weakref
        class A: pass
        a = A(); a.a = a
        r = weakref.ref(a)
        del a
        print(gc.collect() > 0, r(), gc.collect(), gc.garbage)
        """,
    ),
    Case(
        "references-to-small-objects",
        """
        import sys
        x = object()
        print(sys.getrefcount(x), sys.getsizeof([]), sys.getsizeof(globals()) > 0)
        """,
    ),
    Case(
        "warning-filters",
        """
        import warnings
        print(warnings.filters, warnings._showwarnmsg_impl.__name__)
        """,
    ),
    Case(
        "decimal-context",
        """
        import decimal
        print(decimal.getcontext(), decimal.Decimal(1) / 7, decimal.MAX_PREC)
        """,
    ),
    Case(
        "time-of-start",
        """
        import os, time
        print(time.monotonic() > 0, abs(time.time() - os.stat('main.py').st_mtime) < 60)
        print(time.get_clock_info('monotonic'))
        fields = open('/proc/self/stat').read().rpartition(')')[2].split()
        started = int(fields[19]) / os.sysconf('SC_CLK_TCK')
        print(abs(float(open('/proc/uptime').read().split()[0]) - started) < 60)
        """,
    ),
    Case(
        "network",
        """
        import socket
        print(socket.gethostname(), [n for _, n in socket.if_nameindex()])
        s = socket.socket()
        try:
            s.connect(('127.0.0.1', 9))
        except OSError as e:
            print(e)
        a, b = socket.socketpair()
        a.send(b'x')
        print(b.recv(1))
        """,
    ),
    Case(
        "frames-and-code",
        """
        import sys
        f = sys._getframe()
        print(f.f_back, f.f_code.co_name, f.f_code.co_filename, f.f_lineno, f.f_globals is globals())
        print(list(sys._current_frames()).__len__())
        """,
    ),
    Case(
        "monitoring-hooks",
        """
        import sys, threading
        print(threading._trace_hook, threading._profile_hook, sys.settrace(None))
        print(sys._clear_type_cache() if hasattr(sys, '_clear_type_cache') else None)
        """,
    ),
]
