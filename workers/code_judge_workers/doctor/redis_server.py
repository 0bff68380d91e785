"""The Redis that the settings name: whether it is there, and whether it can hold a queue."""

import time
from collections.abc import Iterator
from typing import Any

from redis.exceptions import NoPermissionError

from code_judge.errors import QueueUnavailable
from code_judge.queue.connect import Client, open_client, redis_errors
from code_judge.settings import Settings

from .finding import Finding, Grade

TOPIC = "redis"
ANSWER_S = 5.0
"""Seconds after which a server that hangs counts as away."""
OLDEST = (6, 2)
"""Redis 6.2: see docs/redis.md."""
SLOW_S = 0.05
"""A round trip longer than this is felt in every claim and answer."""
LARGEST_SKEW_S = 5.0
"""Seconds by which clocks may differ before logs of several machines are hard to read side by side."""
NOEVICTION = "noeviction"


def examine_redis(settings: Settings) -> list[Finding]:
    """Look at the server. Raises SettingsError for a bad REDIS_URI."""
    if not settings.redis_uri:
        remedy = "export REDIS_URI=redis://HOST:6379"
        detail = "REDIS_URI is not set: only `code-judge up` works, with a Redis of its own"
        return [Finding(TOPIC, "server", Grade.WEAK, detail, remedy)]
    try:
        client = open_client(
            settings.model_copy(update={"redis_socket_timeout": ANSWER_S}), 1, repeatable=False
        )
        with client, redis_errors():
            return [*_reach(client), *_clock(client), *_configuration(client)]
    except QueueUnavailable as error:
        remedy = "start it, or correct REDIS_URI (docs/redis.md); `redis-cli -u $REDIS_URI ping` says PONG"
        return [Finding(TOPIC, "server", Grade.MISSING, str(error), remedy)]


def _reach(client: Client) -> Iterator[Finding]:
    client.ping()  # the first one connects
    started = time.monotonic()
    client.ping()
    took_s = time.monotonic() - started
    told = f"answers within {1000 * took_s:.1f} ms"
    if took_s > SLOW_S:
        remedy = "redis-cli SLOWLOG GET tells what keeps it busy; else move it nearer to nodes and masters"
        yield Finding(TOPIC, "server", Grade.WEAK, told, remedy)
    else:
        yield Finding(TOPIC, "server", Grade.FINE, told)


def _clock(client: Client) -> Iterator[Finding]:
    before = time.time()
    seconds, microseconds = client.time()
    there = seconds + microseconds / 1e6
    # What lies within the round trip is no skew.
    skew_s = min(there - before, 0) or max(there - time.time(), 0)
    told = f"Redis's is {abs(skew_s):.1f} s {'ahead' if skew_s > 0 else 'behind'}" if skew_s else "agree"
    if abs(skew_s) <= LARGEST_SKEW_S:
        yield Finding(TOPIC, "clocks", Grade.FINE, told)
    else:
        detail = f"{told}: verdicts do not suffer, since only Redis's clock counts, but logs do"
        yield Finding(TOPIC, "clocks", Grade.WEAK, detail, "timedatectl set-ntp true, on both machines")


def _configuration(client: Client) -> Iterator[Finding]:
    try:
        info = client.info()
    except NoPermissionError:
        detail = "version, memory and eviction are not shown to this user"
        yield Finding(TOPIC, "configuration", Grade.WEAK, detail, "ACL SETUSER NAME +info, or look by hand")
        return
    yield _version(info)
    yield _eviction(info)
    yield _memory(info)
    yield _persistence(info)


def _version(info: dict[str, Any]) -> Finding:
    version = str(info["redis_version"])
    name = f"Valkey {info['valkey_version']}" if "valkey_version" in info else f"Redis {version}"
    if tuple(map(int, version.split(".")[:2])) >= OLDEST:
        return Finding(TOPIC, "version", Grade.FINE, name)
    oldest = ".".join(map(str, OLDEST))
    return Finding(TOPIC, "version", Grade.MISSING, f"{name}: {oldest} or newer is needed", "upgrade Redis")


def _eviction(info: dict[str, Any]) -> Finding:
    policy = str(info.get("maxmemory_policy", "unknown"))
    if policy == NOEVICTION:
        return Finding(TOPIC, "eviction", Grade.FINE, policy)
    detail = f"{policy}: a full Redis would forget accepted work instead of refusing more"
    return Finding(
        TOPIC, "eviction", Grade.MISSING, detail, f"redis-cli CONFIG SET maxmemory-policy {NOEVICTION}"
    )


def _memory(info: dict[str, Any]) -> Finding:
    used, limit = int(info["used_memory"]), int(info.get("maxmemory", 0))
    told = f"{used / 1e6:.0f} MB used of " + (f"{limit / 1e6:.0f} MB" if limit else "what the machine has")
    if limit and used > 0.8 * limit:
        return Finding(TOPIC, "memory", Grade.WEAK, told, "redis-cli CONFIG SET maxmemory SIZE, a larger one")
    return Finding(TOPIC, "memory", Grade.FINE, told)


def _persistence(info: dict[str, Any]) -> Finding:
    """It is not needed: masters submit again what an emptied Redis has forgotten."""
    if info.get("rdb_last_bgsave_status", "ok") != "ok":
        detail = "snapshots fail, and Redis then refuses writes"
        return Finding(TOPIC, "persistence", Grade.MISSING, detail, "redis-cli CONFIG SET save ''")
    if info.get("aof_enabled"):
        detail = "append-only file: every item is written to disk, which the judge does not need"
        return Finding(TOPIC, "persistence", Grade.WEAK, detail, "redis-cli CONFIG SET appendonly no")
    return Finding(TOPIC, "persistence", Grade.FINE, "no append-only file; none is needed")
