"""What cannot be judged gets a clear answer, spoils nothing else, and leaves the master well."""

import json
from typing import Any

import httpx
import pytest

from tests.support.http_master import OpenMaster
from tests.support.memory_queue import MemoryQueue

pytestmark = pytest.mark.usefixtures("node")

GOOD: dict[str, Any] = {"type": "python", "solution": "print(1)", "input": "1"}
SURROGATE = r'"\ud83d"'


def with_json(**raw: str) -> bytes:
    """A good submission as JSON text, with these fields replaced by raw JSON."""
    fields = {name: json.dumps(value) for name, value in GOOD.items()} | raw
    return ("{" + ", ".join(f'"{name}": {value}' for name, value in fields.items()) + "}").encode()


UNFIT_SUBMISSIONS = [
    pytest.param(b'{"type": "python"}', "solution: ", id="no solution"),
    pytest.param(b'{"solution": "x"}', "type: ", id="no type"),
    pytest.param(with_json(solution="5"), "solution: ", id="solution is a number"),
    pytest.param(with_json(input="[]"), "input: ", id="input is an array"),
    pytest.param(with_json(sub_id="7"), "sub_id: ", id="sub_id is a number"),
    pytest.param(with_json(type='"cobol"'), "type: no node offers 'cobol'", id="type that no node offers"),
    pytest.param(with_json(checker='"fuzzy"'), "checker: ", id="unknown checker"),
    pytest.param(with_json(tests="[]"), "tests: ", id="no tests in the list"),
    pytest.param(with_json(tests='[{"input": 4}]'), "tests.0.input: ", id="test with a wrong field"),
    pytest.param(with_json(files='{"/etc/passwd": ""}'), "/etc/passwd", id="file outside"),
    pytest.param(with_json(time_limit="-1"), "time_limit: ", id="negative time limit"),
    pytest.param(with_json(time_limit="1" + "0" * 400), "time_limit: ", id="endless time limit"),
    pytest.param(with_json(time_limit="61"), "MAX_TIME_LIMIT of 60 s", id="too long a time limit"),
    pytest.param(with_json(memory_limit="5000"), "MAX_MEMORY_LIMIT of 4096 MB", id="too much memory"),
    pytest.param(
        with_json(solution=SURROGATE), r"solution: not Unicode text: lone surrogate \ud83d", id="solution"
    ),
    pytest.param(with_json(input=SURROGATE), "input: not Unicode", id="surrogate in input"),
    pytest.param(with_json(sub_id=SURROGATE), "sub_id: not Unicode", id="surrogate in sub_id"),
    pytest.param(with_json(type=SURROGATE), "type: not Unicode", id="surrogate in type"),
    pytest.param(with_json(options=f'{{"a": [{SURROGATE}]}}'), "options.a[0]: not Unicode", id="in options"),
    pytest.param(
        with_json(files=f"{{{SURROGATE}: {SURROGATE}}}"), "files: a key: not Unicode", id="a file's name"
    ),
    pytest.param(with_json(options='{"a": NaN}'), "options.a: nan is not a JSON number", id="not a number"),
    pytest.param(with_json(options='{"a": -Infinity}'), "options.a: -inf is not a JSON", id="infinite"),
    pytest.param(
        with_json(options='{"a":' + "[" * 400 + "]" * 400 + "}"), "deeper than 200 levels", id="deep"
    ),
    pytest.param(b"[]", "must be a JSON object, not an array", id="array"),
    pytest.param(b'"x"', "must be a JSON object, not a string", id="string"),
    pytest.param(b"null", "must be a JSON object, not null", id="null"),
    pytest.param(b"true", "must be a JSON object, not a boolean", id="boolean"),
]


@pytest.mark.parametrize(("submission", "says"), UNFIT_SUBMISSIONS)
@pytest.mark.parametrize("path", ["/run", "/judge"])
async def test_a_single_submission_that_cannot_be_judged_is_422_and_names_the_field(
    client: httpx.AsyncClient, path: str, submission: bytes, says: str
) -> None:
    answer = await client.post(path, content=submission)

    assert answer.status_code == 422
    assert says in answer.json()["detail"]


@pytest.mark.parametrize(("submission", "says"), UNFIT_SUBMISSIONS)
async def test_in_a_batch_such_an_item_fails_alone(
    client: httpx.AsyncClient, submission: bytes, says: str
) -> None:
    body = b'{"submissions": [%b, %b, %b]}' % (with_json(), submission, with_json())

    answer = await client.post("/run/long-batch", content=body)

    assert answer.status_code == 200
    before, unfit, after = answer.json()["results"]
    assert before["success"]
    assert after["success"]
    assert (unfit["success"], unfit["run_success"], unfit["reason"]) == (False, False, "invalid_input")
    assert says in unfit["stderr"]
    assert unfit["sub_id"]


async def test_an_item_that_fails_alone_keeps_the_name_its_caller_gave_it(client: httpx.AsyncClient) -> None:
    answer = await client.post("/run/batch", json={"submissions": [{"sub_id": "mine", "type": "python"}]})

    assert answer.json()["results"][0]["sub_id"] == "mine"


UNFIT_BODIES = [
    pytest.param(b"", "not JSON", id="empty"),
    pytest.param(b"print(1)", "not JSON", id="no JSON"),
    pytest.param(b'{"submissions": [', "not JSON", id="cut off"),
    pytest.param(b'{"submissions": ["\xff"]}', "not JSON", id="not UTF-8"),
    pytest.param(b'{"submissions": ["\xed\xa0\xbd"]}', "not JSON", id="surrogate in UTF-8"),
    pytest.param(b"[" * 200_000, "not JSON", id="endlessly deep"),
    pytest.param(b"1" * 10_000, "", id="endless number"),
]


@pytest.mark.parametrize(("body", "says"), UNFIT_BODIES)
@pytest.mark.parametrize("path", ["/run", "/run/batch"])
async def test_a_body_that_is_not_json_is_422(
    client: httpx.AsyncClient, path: str, body: bytes, says: str
) -> None:
    answer = await client.post(path, content=body)

    assert answer.status_code == 422
    assert says in answer.json()["detail"]


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({}, "submissions: Field required"),
        ({"submissions": []}, "submissions: "),
        ({"submissions": {}}, "submissions: "),
        ({"submissions": [GOOD], "type": "single"}, "type: "),
        ({"submissions": [GOOD], "sub_id": 7}, "sub_id: "),
        ([GOOD], ""),
        (None, ""),
    ],
)
async def test_a_batch_that_is_none_is_422(client: httpx.AsyncClient, body: object, says: str) -> None:
    answer = await client.post("/run/batch", json=body)

    assert answer.status_code == 422
    assert says in answer.json()["detail"]


async def test_a_batchs_own_name_must_be_text(client: httpx.AsyncClient) -> None:
    answer = await client.post(
        "/run/batch", content=b'{"sub_id": "\\ud83d", "submissions": [%b]}' % with_json()
    )

    assert answer.status_code == 422
    assert "sub_id: not Unicode text" in answer.json()["detail"]


async def test_emoji_written_as_surrogate_pairs_pass(client: httpx.AsyncClient) -> None:
    answer = await client.post("/run", content=with_json(input=r'"\ud83d\ude00"'))

    assert answer.json()["stdout"] == "\N{GRINNING FACE}"


async def test_unknown_fields_are_ignored_as_existing_clients_expect(client: httpx.AsyncClient) -> None:
    answer = await client.post("/run", json={**GOOD, "math": True})

    assert answer.json()["success"]


async def test_a_batch_over_the_limit_is_422_and_names_the_setting(open_master: OpenMaster) -> None:
    client = await open_master(max_batch_size=3)

    assert (await client.post("/run/batch", json={"submissions": [GOOD] * 3})).status_code == 200
    answer = await client.post("/run/batch", json={"submissions": [GOOD] * 4})

    assert answer.status_code == 422
    assert "MAX_BATCH_SIZE of 3" in answer.json()["detail"]


async def test_a_body_over_the_limit_is_413_and_names_the_setting(open_master: OpenMaster) -> None:
    client = await open_master(max_body_mb=0.001)

    answer = await client.post("/run", json={**GOOD, "input": "x" * 1000})

    assert answer.status_code == 413
    assert "MAX_BODY_MB of 0.001" in answer.json()["detail"]


async def test_a_body_of_unknown_length_is_counted_as_it_comes(open_master: OpenMaster) -> None:
    client = await open_master(max_body_mb=0.001)

    async def chunks() -> Any:
        for _ in range(100):
            yield b"x" * 100

    answer = await client.post("/run", content=chunks())

    assert answer.status_code == 413


@pytest.mark.parametrize("value", ["soon", "-1", "0", "nan", "inf"])
async def test_a_deadline_that_is_none_is_422_and_names_the_header(
    client: httpx.AsyncClient, value: str
) -> None:
    answer = await client.post("/run", json=GOOD, headers={"X-Judge-Deadline-S": value})

    assert answer.status_code == 422
    assert "X-Judge-Deadline-S" in answer.json()["detail"]


async def test_an_unknown_detail_is_422(client: httpx.AsyncClient) -> None:
    answer = await client.post("/run", json=GOOD, params={"detail": "everything"})

    assert answer.status_code == 422
    assert "detail: " in answer.json()["detail"]


async def test_while_no_node_is_alive_any_type_may_wait_for_one(
    client: httpx.AsyncClient, queue: MemoryQueue
) -> None:
    queue.nodes = []

    answer = await client.post("/run", json={**GOOD, "type": "zig"})

    assert answer.status_code == 200
