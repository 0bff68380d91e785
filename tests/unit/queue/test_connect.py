"""REDIS_URI becomes clients, or an error that says what is wrong with it."""

from collections.abc import Callable

import pytest

from code_judge.errors import SettingsError
from code_judge.queue.connect import open_async_client, open_client
from code_judge.settings import Settings


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "localhost:6379",
        "http://:secret@host:1",
        "redis://:secret@host?db=x",
        "redis+sentinel://:secret@host",
    ],
)
@pytest.mark.parametrize("opener", [open_client, open_async_client])
def test_a_bad_uri_is_named_without_its_password(uri: str, opener: Callable[..., object]) -> None:
    with pytest.raises(SettingsError, match="REDIS_URI: ") as error:
        opener(Settings(redis_uri=uri), 1, repeatable=True)

    assert "secret" not in str(error.value)


@pytest.mark.parametrize("uri", ["redis://host:6379/1", "rediss://:word@host:1", "unix:///tmp/redis.sock"])
def test_opening_a_client_connects_to_nothing(uri: str) -> None:
    open_client(Settings(redis_uri=uri), 1, repeatable=True).close()
