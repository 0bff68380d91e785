"""By the log alone, a submission can be followed from its request to its run and back."""

import json
import logging
from pathlib import Path

import httpx
import pytest

from code_judge.logs import Event
from tests.support.uvicorn_master import UvicornMaster

pytestmark = [pytest.mark.needs_redis, pytest.mark.usefixtures("node")]

SECRET = "4711-of-the-caller"


def events(caplog: pytest.LogCaptureFixture) -> list[tuple[str, dict[str, object]]]:
    return [(record.message, record.fields) for record in caplog.records if hasattr(record, "fields")]


async def test_every_step_of_a_submission_is_one_line_with_its_id(
    client: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "code_judge")
    caplog.set_level(logging.DEBUG, "code_judge_workers")
    submissions = [
        {"sub_id": f"mine-{i}", "type": "python", "solution": "echo", "input": SECRET} for i in range(2)
    ]

    answer = await client.post(
        "/run/long-batch", json={"submissions": submissions}, headers={"X-Request-ID": "step-17"}
    )

    assert answer.status_code == 200
    told = events(caplog)
    [work_id] = [ids["work_id"] for name, ids in told if name == "submitted" and ids["sub_id"] == "mine-1"]
    steps = [name for name, ids in told if ids.get("work_id") == work_id]
    assert sorted(steps) == sorted([Event.SUBMITTED, Event.CLAIMED, Event.JUDGED, Event.ANSWERED])
    [accepted] = [ids for name, ids in told if name == Event.ACCEPTED]
    assert accepted["request"] == "step-17"
    assert str(work_id).startswith(str(accepted["batch"]))
    assert [ids["cancelled"] for name, ids in told if name == Event.CLOSED] == [0]


async def test_no_line_holds_what_was_submitted(
    client: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)

    await client.post("/run", json={"type": "python", "solution": "echo", "input": SECRET})

    assert caplog.records
    assert SECRET not in caplog.text
    assert not any(SECRET in str(getattr(record, "fields", "")) for record in caplog.records)


def test_with_log_format_json_every_line_of_a_master_is_an_object(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    with UvicornMaster(tmp_path, 1, LOG_FORMAT="json", **environ) as master:
        httpx.get(master.url + "/status", timeout=60)

    lines = [json.loads(line) for line in master.log.read_text().splitlines()]
    assert any("GET /status" in line["message"] for line in lines)
    assert {"uvicorn.error", "uvicorn.access"} <= {line["logger"] for line in lines}
