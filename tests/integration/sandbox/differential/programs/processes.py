"""Concurrency: multiprocessing, futures, asyncio, threads."""

from tests.integration.sandbox.differential.case import Case

_START_METHODS = ("fork", "spawn", "forkserver")


def _with_each_method(name: str, source: str, ends: int = 0, volatile: tuple[str, ...] = ()) -> list[Case]:
    return [
        Case(f"{name}-by-{method}", source.replace("METHOD", method), ends=ends, volatile=volatile)
        for method in _START_METHODS
    ]


CASES = [
    *_with_each_method(
        "process",
        """
        import multiprocessing as mp, os, sys
        class Point:
            def __init__(self, x): self.x = x
        def work(point, queue, number):
            queue.put((point.x, __name__, mp.current_process().name, mp.parent_process().name, sys.argv))
            print("in child", flush=True)
            sys.exit(number)
        if __name__ == "__main__":
            mp.set_start_method("METHOD")
            queue = mp.Queue()
            child = mp.Process(target=work, args=(Point(3), queue, 5))
            child.start()
            print(queue.get())
            child.join()
            print(child.exitcode, mp.get_start_method(), mp.active_children())
        """,
    ),
    *_with_each_method(
        "pool",
        """
        import multiprocessing as mp
        def square(x):
            return x * x
        if __name__ == "__main__":
            with mp.get_context("METHOD").Pool(2) as pool:
                print(pool.map(square, range(10)), pool.apply(square, (7,)))
        """,
    ),
    *_with_each_method(
        "child-that-fails",
        """
        import multiprocessing as mp
        def fail():
            raise ValueError("in child")
        if __name__ == "__main__":
            child = mp.get_context("METHOD").Process(target=fail, name="failing")
            child.start()
            child.join()
            print(child.exitcode)
        """,
    ),
    Case(
        "pool-error-reaches-the-parent",
        """
        from multiprocessing import Pool
        def fail(x):
            return 1 // x
        if __name__ == "__main__":
            with Pool(1) as pool:
                pool.map(fail, [1, 0])
        """,
        ends=1,
    ),
    Case(
        "default-start-method",
        """
        import multiprocessing as mp
        print(mp.get_start_method(), mp.get_all_start_methods(), mp.cpu_count() > 0, mp.current_process())
        print(mp.parent_process())
        """,
    ),
    Case(
        "shared-state-between-processes",
        """
        import multiprocessing as mp
        from multiprocessing import shared_memory
        def work(value, array, lock, connection, name):
            with lock:
                value.value += 1
                array[1] = 2.5
            memory = shared_memory.SharedMemory(name)
            memory.buf[0] = 9
            memory.close()
            connection.send("done")
        if __name__ == "__main__":
            memory = shared_memory.SharedMemory(create=True, size=10)
            value, array, lock = mp.Value("i", 1), mp.Array("d", 3), mp.Lock()
            ours, theirs = mp.Pipe()
            child = mp.Process(target=work, args=(value, array, lock, theirs, memory.name))
            child.start()
            print(ours.recv(), child.join(), value.value, array[:], memory.buf[0])
            memory.close()
            memory.unlink()
        """,
    ),
    Case(
        "shared-memory-left-behind",
        """
        from multiprocessing import shared_memory
        m = shared_memory.SharedMemory(create=True, size=10)
        print('end')
        """,
        volatile=(r"psm_\w+", r"wnsm_\w+"),
    ),
    Case(
        "manager",
        """
        from multiprocessing import Manager
        if __name__ == '__main__':
            with Manager() as m:
                d = m.dict(a=1)
                l = m.list([1])
                l.append(d['a'])
                print(d, l)
        """,
    ),
    Case(
        "daemon-process-at-the-end",
        """
        import multiprocessing as mp, time
        def f():
            time.sleep(30)
        if __name__ == '__main__':
            mp.Process(target=f, daemon=True).start()
            print('end')
        """,
    ),
    Case(
        "process-joined-at-the-end",
        """
        import multiprocessing as mp
        def f(told):
            told.recv()
            print('child')
        if __name__ == '__main__':
            told, tell = mp.Pipe()
            mp.Process(target=f, args=(told,)).start()
            print('end', flush=True)
            tell.send(None)
        """,
    ),
    Case(
        "process-terminated",
        """
        import multiprocessing as mp, time
        if __name__ == '__main__':
            p = mp.Process(target=time.sleep, args=(30,))
            p.start()
            p.terminate()
            p.join()
            print(p.exitcode)
        """,
    ),
    Case(
        "spawn-without-guard",
        """
        import multiprocessing as mp
        p = mp.get_context('spawn').Process(target=print)
        p.start()
        p.join()
        print(p.exitcode)
        """,
    ),
    Case(
        "process-pool-executor",
        """
        from concurrent.futures import ProcessPoolExecutor
        def f(x):
            if x == 3: raise ValueError(x)
            return x
        if __name__ == '__main__':
            with ProcessPoolExecutor(2) as p:
                print(list(p.map(f, [1, 2])))
                print(repr(p.submit(f, 3).exception()))
        """,
    ),
    Case(
        "process-pool-broken",
        """
        import os
        from concurrent.futures import ProcessPoolExecutor
        if __name__ == '__main__':
            with ProcessPoolExecutor(1) as p:
                try:
                    p.submit(os._exit, 1).result()
                except Exception as e:
                    print(type(e), e)
        """,
    ),
    Case(
        "thread-pool-executor",
        """
        from concurrent.futures import ThreadPoolExecutor, as_completed
        with ThreadPoolExecutor(3) as p:
            print(list(p.map(pow, range(5), [2] * 5)))
            print(sorted(f.result() for f in as_completed([p.submit(int, '3'), p.submit(int, '4')])))
            print(repr(p.submit(int, 'x').exception()))
        """,
    ),
    Case(
        "thread-pool-of-multiprocessing",
        """
        from multiprocessing.pool import ThreadPool
        with ThreadPool(2) as p:
            print(p.map(abs, [-1, -2]))
        """,
    ),
    Case(
        "asyncio-tasks",
        """
        import asyncio, sys
        async def work(n):
            await asyncio.sleep(0.01 * n)
            return n
        async def main():
            print(await asyncio.gather(work(2), work(1)))
            try:
                await asyncio.wait_for(asyncio.sleep(30), 0.01)
            except asyncio.TimeoutError as error:
                print(repr(error))
            print(await asyncio.to_thread(sum, [1, 2]))
            print(await asyncio.get_running_loop().run_in_executor(None, len, "abc"))
            print(type(asyncio.get_running_loop()).__name__, type(asyncio.get_event_loop_policy()).__name__)
            asyncio.create_task(asyncio.sleep(30))
        asyncio.run(main())
        """,
    ),
    Case(
        "asyncio-task-group",
        """
        import asyncio
        async def fail():
            raise ValueError('in task')
        async def main():
            async with asyncio.timeout(5), asyncio.TaskGroup() as group:
                group.create_task(asyncio.sleep(0))
                group.create_task(fail())
        asyncio.run(main())
        """,
        ends=1,
    ),
    Case(
        "asyncio-subprocess",
        """
        import asyncio
        async def main():
            p = await asyncio.create_subprocess_exec('cat', stdin=-1, stdout=-1)
            print(await p.communicate(b'hello'), p.returncode)
            q = await asyncio.create_subprocess_shell('exit 3')
            print(await q.wait())
        asyncio.run(main())
        """,
    ),
    Case(
        "asyncio-errors",
        """
        import asyncio
        async def fail():
            1/0
        async def main():
            t = asyncio.create_task(fail())
            await asyncio.sleep(0)
            del t
            await asyncio.sleep(0)
            raise KeyError('main')
        asyncio.run(main())
        """,
        ends=1,
    ),
    Case(
        "asyncio-interrupted",
        """
        import asyncio, os, signal
        async def main():
            try:
                os.kill(os.getpid(), signal.SIGINT)
                await asyncio.sleep(30)
            finally:
                print('cleaned')
        asyncio.run(main())
        """,
        ends="SIGINT",
    ),
    Case(
        "asyncio-signal-handler",
        """
        import asyncio, os, signal
        async def main():
            e = asyncio.Event()
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, e.set)
            os.kill(os.getpid(), signal.SIGTERM)
            await e.wait()
            print('handled')
        asyncio.run(main())
        """,
    ),
    Case(
        "asyncio-stdin",
        """
        import asyncio, sys
        async def main():
            r = asyncio.StreamReader()
            try:
                loop = asyncio.get_running_loop()
                await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(r), sys.stdin)
                print(await r.read())
            except Exception as e:
                print(repr(e))
        asyncio.run(main())
        """,
        stdin="x",
    ),
    Case(
        "asyncio-server-on-loopback",
        r"""
        import asyncio
        async def serve(r, w):
            w.write(await r.readline())
            w.close()
        async def main():
            s = await asyncio.start_unix_server(serve, 's')
            r, w = await asyncio.open_unix_connection('s')
            w.write(b'hi\n')
            print(await r.read())
            w.close()
            s.close()
        asyncio.run(main())
        """,
    ),
    Case(
        "thread-tools",
        """
        import queue, threading
        q = queue.Queue()
        b = threading.Barrier(3)
        l = threading.RLock()
        def f(n):
            b.wait()
            with l:
                q.put(n)
        ts = [threading.Thread(target=f, args=(n,)) for n in range(3)]
        [t.start() for t in ts]
        [t.join() for t in ts]
        print(sorted(q.queue), ts[0].name, threading.Event().wait(0.01))
        print(threading.Semaphore(0).acquire(timeout=0.01))
        """,
    ),
    Case(
        "many-threads",
        """
        import threading
        ts = [threading.Thread(target=threading.Event().wait, args=(0.1,)) for _ in range(50)]
        [t.start() for t in ts]
        print(threading.active_count())
        [t.join() for t in ts]
        """,
    ),
    Case(
        "scheduler",
        """
        import sched, time
        s = sched.scheduler()
        s.enter(0.02, 1, print, ('b',))
        s.enter(0.01, 1, print, ('a',))
        s.run()
        """,
    ),
]
