"""The page's files, and the policy that they are sent with."""

import re
from pathlib import Path

import httpx
import pytest

from code_judge.master.page_routes import FOLDER
from code_judge.metrics.families import FAMILIES
from tests.support.http_master import OpenMaster

TEXT = "\n".join(file.read_text() for file in FOLDER.iterdir())


async def test_the_page_and_its_parts_need_no_key_and_what_they_show_does(open_master: OpenMaster) -> None:
    locked = await open_master(api_key="s3cret")

    assert (await locked.get("/")).status_code == 200
    for file in FOLDER.iterdir():
        assert (await locked.get(f"/page/{file.name}")).status_code == 200
    for route in ("/cluster", "/metrics", "/cluster/failures"):
        assert (await locked.get(route)).status_code == 401


async def test_nothing_inline_and_nothing_from_elsewhere_is_allowed(client: httpx.AsyncClient) -> None:
    policy = (await client.get("/")).headers["content-security-policy"]

    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert not re.search(
        r"(?:src|href)=\"(?:https?:)?//|\sstyle=|\son\w+=|<script(?! type=\"module\" src)", TEXT
    )


@pytest.mark.parametrize("name", ["..%2Fapp.py", "%2e%2e/app.py", "nothing.js", ".", "main.js%00"])
async def test_no_other_file_can_be_had(client: httpx.AsyncClient, name: str) -> None:
    assert (await client.get(f"/page/{name}")).status_code == 404


def test_scripts_put_text_in_as_text_only() -> None:
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(", TEXT)


def test_every_figure_that_the_page_reads_is_counted() -> None:
    read = {
        name.removesuffix("_bucket")
        for name in re.findall(r"code_judge_\w+", Path(FOLDER, "figures.js").read_text())
    }

    assert read
    assert read <= {family.name for family in FAMILIES}
