"""REDIS_URI in all its forms."""

import pytest

from code_judge.queue.redis_uri import RedisUri, Topology


@pytest.mark.parametrize(
    ("text", "topology", "plain"),
    [
        ("redis://host:1/2", Topology.SERVER, "redis://host:1/2"),
        ("rediss://:word@host", Topology.SERVER, "rediss://:word@host"),
        ("unix:///run/redis.sock", Topology.SERVER, "unix:///run/redis.sock"),
        ("redis+cluster://host:1", Topology.CLUSTER, "redis://host:1"),
        ("rediss+sentinel://host/judge", Topology.SENTINEL, "rediss://host/judge"),
    ],
)
def test_the_scheme_names_the_topology(text: str, topology: Topology, plain: str) -> None:
    assert RedisUri.parse(text) == RedisUri(topology, plain)


def test_sentinels_are_listed_with_the_service_they_watch() -> None:
    uri = RedisUri.parse("redis+sentinel://me:w%40rd@one:1,two/judge/3")

    assert uri.hosts == [("one", 1), ("two", 26379)]
    assert uri.service == ("judge", 3)
    assert uri.credentials == {"username": "me", "password": "w@rd"}


@pytest.mark.parametrize(
    "text", ["redis+sentinel://host", "redis+sentinel:///judge", "redis+sentinel://h:x/judge"]
)
def test_an_incomplete_list_of_sentinels_is_refused(text: str) -> None:
    uri = RedisUri.parse(text)

    with pytest.raises(ValueError, match=r"HOST|SERVICE"):
        _ = uri.hosts, uri.service
