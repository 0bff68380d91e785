"""An API key, where one is set, keeps everybody else out."""

import httpx
import pytest

from tests.support.http_master import OpenMaster

PATHS = ["/run", "/judge/long-batch", "/status", "/cluster", "/admin/state", "/admin/pause", "/nowhere"]


@pytest.fixture
async def locked(open_master: OpenMaster) -> httpx.AsyncClient:
    return await open_master(api_key="s3cret")


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"x-api-key": "wrong"},
        {"Authorization": "Bearer s3cre"},
        {"Authorization": "Basic s3cret"},
        {"x-api-key": ""},
    ],
)
async def test_without_the_key_everything_is_401(
    locked: httpx.AsyncClient, path: str, headers: dict[str, str]
) -> None:
    answer = await locked.post(path, headers=headers)

    assert answer.status_code == 401
    assert "API key" in answer.json()["detail"]
    assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize(
    "headers",
    [{"x-api-key": "s3cret"}, {"Authorization": "Bearer s3cret"}, {"authorization": "bearer s3cret"}],
)
async def test_the_key_is_taken_from_either_header(
    locked: httpx.AsyncClient, headers: dict[str, str]
) -> None:
    assert (await locked.get("/status", headers=headers)).status_code == 200


@pytest.mark.parametrize("path", ["/ping", "/healthz"])
async def test_probes_need_no_key(locked: httpx.AsyncClient, path: str) -> None:
    assert (await locked.get(path)).status_code == 200
