"""REDIS_URI, taken apart as far as the Redis library does not do it."""

from dataclasses import dataclass
from enum import Enum
from typing import Self
from urllib.parse import unquote, urlsplit

SENTINEL_PORT = 26379


class Topology(Enum):
    """What stands at the other end."""

    SERVER = "server"
    SENTINEL = "sentinel"
    CLUSTER = "cluster"


_TOPOLOGIES = {
    "redis": Topology.SERVER,
    "rediss": Topology.SERVER,
    "unix": Topology.SERVER,
    "redis+sentinel": Topology.SENTINEL,
    "rediss+sentinel": Topology.SENTINEL,
    "redis+cluster": Topology.CLUSTER,
    "rediss+cluster": Topology.CLUSTER,
}


@dataclass(frozen=True, slots=True)
class RedisUri:
    """One value of REDIS_URI."""

    topology: Topology
    plain: str
    """The same without the topology in its scheme, as the Redis library reads it."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Raises ValueError saying what is wrong, without quoting what may be a password."""
        scheme, separator, rest = text.partition("://")
        if scheme not in _TOPOLOGIES or not separator:
            raise ValueError(f"it must begin with one of {', '.join(f'{name}://' for name in _TOPOLOGIES)}")
        return cls(_TOPOLOGIES[scheme], f"{scheme.partition('+')[0]}://{rest}")

    @property
    def tls(self) -> bool:
        return self.plain.startswith("rediss://")

    @property
    def credentials(self) -> dict[str, str]:
        """User name and password, as far as they are given."""
        parts = urlsplit(self.plain)
        given = {"username": parts.username, "password": parts.password}
        return {name: unquote(value) for name, value in given.items() if value}

    @property
    def hosts(self) -> list[tuple[str, int]]:
        """The hosts of a list ``HOST[:PORT],HOST[:PORT],…``, for sentinels. Raises ValueError."""
        hosts = []
        for host in urlsplit(self.plain).netloc.rpartition("@")[2].split(","):
            name, _, port = host.partition(":")
            if not name or not (port.isdecimal() or port == ""):
                raise ValueError("it must name hosts as HOST:PORT, apart by commas")
            hosts.append((name, int(port or SENTINEL_PORT)))
        return hosts

    @property
    def service(self) -> tuple[str, int]:
        """Name and database of a service ``/SERVICE[/DATABASE]`` that sentinels watch. Raises ValueError."""
        name, _, database = urlsplit(self.plain).path.strip("/").partition("/")
        if not name or not (database.isdecimal() or database == ""):
            raise ValueError("the hosts must be followed by /SERVICE or /SERVICE/DATABASE")
        return unquote(name), int(database or 0)
