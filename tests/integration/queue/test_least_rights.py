"""The access list of docs/redis.md is enough for all that masters and nodes do, and for nothing else."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from redis import Redis
from redis.exceptions import NoPermissionError

from code_judge.queue import WorkState
from code_judge.queue.connect import AsyncClient, Client, open_async_client, open_client
from code_judge.settings import Settings
from code_judge_cli.embedded_redis import EmbeddedRedis
from tests.support.redis_queue import QueueCluster, results

pytestmark = pytest.mark.needs_redis

PAGE = Path(__file__).parents[3] / "docs" / "redis.md"


@pytest.fixture
def as_user(key_prefix: str) -> Iterator[Callable[[str], str]]:
    """REDIS_URI of each user that the page makes, on a server where no other can do anything."""
    rules = re.findall(r"^ACL SETUSER (\S+) (.*)$", PAGE.read_text(), re.MULTILINE)
    assert len(rules) == 2
    with EmbeddedRedis() as server, Redis.from_url(server.uri) as admin:
        for user, rule in rules:
            admin.execute_command("ACL SETUSER", user, *rule.replace("~js:", f"~{key_prefix}:").split())
        yield lambda user: server.uri.replace(
            "unix://", f"unix://{user}:{user.removeprefix('judge-').upper()}_PASSWORD@"
        )


@pytest.fixture
async def users(as_user: Callable[[str], str], key_prefix: str) -> QueueCluster:
    def for_master(settings: Settings, connections: int, *, repeatable: bool) -> AsyncClient:
        uri = {"redis_uri": as_user("judge-master")}
        return open_async_client(settings.model_copy(update=uri), connections, repeatable=repeatable)

    def for_node(settings: Settings, connections: int, *, repeatable: bool) -> Client:
        uri = {"redis_uri": as_user("judge-node")}
        return open_client(settings.model_copy(update=uri), connections, repeatable=repeatable)

    return QueueCluster(Settings(redis_key_prefix=key_prefix, heartbeat_interval=60), for_node, for_master)


async def test_every_script_and_command_is_allowed(
    users: QueueCluster, as_user: Callable[[str], str]
) -> None:
    master, node, dead = users.master(), users.node(), users.node()
    items = await users.put(master, 4)
    assert await master.head_score()
    assert await master.length() == 4
    dead.claim(1)
    users.redis = Redis.from_url(as_user("judge-node"))
    users.redis.zadd(users.keys.beats, {dead.name: 0})
    users.redis.hset(users.keys.named("pulse"), "steady_since", 0)
    node.beat()
    work = node.claim(2)
    node.queue.give_back(work[1:])
    node.complete(work[0])
    assert len(await results(master, 5)) == 1
    assert WorkState.QUEUED in (await master.states([item.work_id for item in items])).values()
    await master.cancel([item.work_id for item in items])
    await master.set_paused(True)
    assert await master.paused()
    await master.set_paused(False)
    assert await master.drain(node.name)
    assert len((await master.cluster()).nodes) == 1
    node.queue.deregister()
    await master.close()
    for each in (node, dead):
        each.queue.close()
    users.redis.close()


@pytest.mark.parametrize("user", ["judge-master", "judge-node"])
def test_nothing_else_is(user: str, as_user: Callable[[str], str]) -> None:
    with Redis.from_url(as_user(user)) as client:
        for forbidden in (client.flushall, client.config_get, client.keys):
            with pytest.raises(NoPermissionError):
                forbidden()
        with pytest.raises(NoPermissionError):
            client.hget("stranger:{stranger}:payloads", "x")
