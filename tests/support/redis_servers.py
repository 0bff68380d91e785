"""Redis servers beyond a single one: a Redis Cluster, and a pair with a sentinel."""

import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from redis import Redis
from redis.exceptions import RedisError

from code_judge.bound_child import bound_to_this_process
from code_judge_cli.embedded_redis import find_server

START_S = 60.0
HIGHEST_PORT = 32_000
"""Below the ports that the kernel hands out by itself; a cluster's own bus is 10,000 above."""
SLOTS = 16_384


@contextmanager
def redis_cluster(size: int = 3) -> Iterator[str]:
    """A Redis Cluster without replicas; its REDIS_URI."""
    with ExitStack() as stack:
        nodes = [stack.enter_context(_server("--cluster-enabled", "yes")) for _ in range(size)]
        clients = [stack.enter_context(Redis(port=port)) for port in nodes]
        for i, client in enumerate(clients):
            slots = range(SLOTS * i // size, SLOTS * (i + 1) // size)
            client.execute_command("CLUSTER ADDSLOTS", *slots)
            client.execute_command("CLUSTER MEET", "127.0.0.1", nodes[0])
        for client in clients:
            _wait_until(lambda client=client: _is_whole(client, size))  # type: ignore[misc]
        yield f"redis+cluster://127.0.0.1:{nodes[0]}"


def _is_whole(client: Redis, size: int) -> bool:
    state = client.execute_command("CLUSTER INFO")  # type: ignore[no-untyped-call]
    return bool(state["cluster_state"] == "ok" and state["cluster_known_nodes"] == str(size))


@contextmanager
def redis_with_sentinel(service: str) -> Iterator[tuple[str, Redis]]:
    """A master and its replica, watched by one sentinel; REDIS_URI, and a client of the sentinel."""
    with ExitStack() as stack:
        master = stack.enter_context(_server())
        replica = stack.enter_context(_server("--replicaof", "127.0.0.1", str(master)))
        watch = f"sentinel monitor {service} 127.0.0.1 {master} 1\n"
        port = stack.enter_context(_server("--sentinel", config=watch))
        sentinel = stack.enter_context(Redis(port=port))
        with Redis(port=replica) as client:
            _wait_until(lambda: client.info("replication")["master_link_status"] == "up")
        _wait_until(lambda: sentinel.sentinel_master(service)["num-slaves"] == 1)
        yield f"redis+sentinel://127.0.0.1:{port}/{service}", sentinel


@contextmanager
def _server(*options: str, config: str = "") -> Iterator[int]:
    """A server with these options; its port."""
    folder = Path(tempfile.mkdtemp(prefix="code-judge-"))
    port = _free_port()
    (folder / "redis.conf").write_text(f'port {port}\nbind 127.0.0.1\ndir {folder}\nsave ""\n{config}')
    process = subprocess.Popen(
        bound_to_this_process([str(find_server()), str(folder / "redis.conf"), *options]),
        stdout=subprocess.DEVNULL,
    )
    try:
        with Redis(port=port) as client:
            _wait_until(client.ping)
        yield port
    finally:
        process.kill()
        process.wait()
        shutil.rmtree(folder)


def _free_port() -> int:
    for port in range(HIGHEST_PORT, HIGHEST_PORT - 2000, -1):
        with socket.socket() as one, socket.socket() as two:
            try:
                one.bind(("127.0.0.1", port))
                two.bind(("127.0.0.1", port + 10_000))
            except OSError:
                continue
            return port
    raise OSError("no free port")


def _wait_until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + START_S
    while True:
        try:
            if condition():
                return
        except RedisError:
            pass  # not up yet
        assert time.monotonic() < deadline, "the servers did not come up"
        time.sleep(0.02)
