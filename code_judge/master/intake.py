"""Checks what came in: a body's JSON, then each submission by itself."""

import asyncio
import json
import math
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails, from_json

from code_judge.contract import BatchSubmission, Result, Submission, Verdict
from code_judge.errors import InvalidRequest
from code_judge.settings import Settings

BREATH_SIZE = 200
"""Submissions checked before the event loop gets its turn."""
MAX_DEPTH = 200
"""Levels of arrays and objects in a submission: what pydantic's parser and writer both manage."""


@dataclass(frozen=True, slots=True)
class Document:
    """A request's JSON."""

    content: Any
    suspect: bool
    """It may hold strings or numbers that JSON cannot carry on: see :func:`_unfit`."""


def parse(body: bytes) -> Document:
    """Read a body as JSON. Raises InvalidRequest.

    pydantic's parser is three times as fast as the standard one, but refuses a whole document for one
    lone surrogate, which must fail its own submission only; it is read again by the other then.
    """
    try:
        return Document(from_json(body, allow_inf_nan=False), suspect=False)
    except ValueError:
        pass
    try:
        return Document(json.loads(body.decode()), suspect=True)
    except (ValueError, RecursionError) as error:
        raise InvalidRequest(f"the body is not JSON: {error}") from None


class Intake:
    """Turns raw submissions into ones that the cluster will take."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._turn = asyncio.Lock()

    def single(self, document: Document, offered: frozenset[str]) -> Submission:
        """The one submission of ``/run``. Raises InvalidRequest naming the field."""
        if not isinstance(document.content, dict):
            raise InvalidRequest(f"the body must be a JSON object, not {_json_type(document.content)}")
        return self._checked(document.content, document.suspect, offered)

    async def batch(
        self, document: Document, offered: frozenset[str]
    ) -> tuple[str, list[Submission | Result]]:
        """A batch's ``sub_id`` and, for each item, the submission or its ``invalid_input`` result.

        Raises InvalidRequest where the body is no batch or too long a one.
        """
        try:
            batch = BatchSubmission.model_validate(document.content)
            _refuse_unfit(batch.sub_id, "sub_id")
        except ValidationError as error:
            raise InvalidRequest(_describe(error)) from None
        limit = self._settings.max_batch_size
        if len(batch.submissions) > limit:
            raise InvalidRequest(
                f"submissions: {len(batch.submissions)} are over this judge's MAX_BATCH_SIZE of {limit}; "
                "send several batches"
            )
        items: list[Submission | Result] = []
        rest = iter(batch.submissions)
        while part := list(islice(rest, BREATH_SIZE)):
            # One part of one batch in each turn of the event loop: a single run that comes meanwhile must
            # not wait for a part of every caller's.
            async with self._turn:
                items += [self._item(raw, document.suspect, offered) for raw in part]
                await asyncio.sleep(0)
        return batch.sub_id or str(uuid.uuid4()), items

    def _item(self, raw: Any, suspect: bool, offered: frozenset[str]) -> Submission | Result:
        try:
            if not isinstance(raw, dict):
                raise InvalidRequest(f"a submission must be a JSON object, not {_json_type(raw)}")
            return self._checked(raw, suspect, offered)
        except InvalidRequest as error:
            return Result.of(_name_of(raw), Verdict.INVALID_INPUT, stderr=str(error))

    def _checked(self, raw: dict[str, Any], suspect: bool, offered: frozenset[str]) -> Submission:
        if suspect:
            _refuse_unfit(raw)
        if raw.get("sub_id") is None:
            raw["sub_id"] = str(uuid.uuid4())
        try:
            submission = Submission.model_validate(raw)
        except ValidationError as error:
            raise InvalidRequest(_describe(error)) from None
        self._refuse_beyond_limits(submission)
        if offered and submission.type not in offered:
            known = ", ".join(sorted(offered))
            raise InvalidRequest(f"type: no node offers {submission.type[:40]!r}; offered: {known}")
        return submission

    def _refuse_beyond_limits(self, submission: Submission) -> None:
        limits = self._settings
        if submission.time_limit is not None and submission.time_limit > limits.max_time_limit:
            raise InvalidRequest(
                f"time_limit: {submission.time_limit:g} s is over this judge's MAX_TIME_LIMIT of "
                f"{limits.max_time_limit:g} s"
            )
        if submission.memory_limit is not None and submission.memory_limit > limits.max_memory_limit:
            raise InvalidRequest(
                f"memory_limit: {submission.memory_limit:g} MB is over this judge's MAX_MEMORY_LIMIT of "
                f"{limits.max_memory_limit:g} MB"
            )


def _refuse_unfit(value: Any, name: str = "") -> None:
    """Raises InvalidRequest naming the first field whose value cannot be passed on as JSON in UTF-8."""
    for path, reason in _unfit(value, name, depth=0):
        raise InvalidRequest(f"{path}: {reason}")


def _unfit(value: Any, path: str, depth: int) -> Iterator[tuple[str, str]]:
    if depth > MAX_DEPTH:
        yield path[:80], f"nested deeper than {MAX_DEPTH} levels"
    elif isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError as error:
            code = ord(value[error.start])
            yield path, f"not Unicode text: lone surrogate \\u{code:04x} at character {error.start}"
    elif isinstance(value, float) and not math.isfinite(value):
        yield path, f"{value} is not a JSON number"
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from _unfit(key, f"{path}: a key", depth + 1)
            yield from _unfit(part, f"{path}.{key}" if path else key, depth + 1)
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from _unfit(part, f"{path}[{index}]", depth + 1)


def _describe(error: ValidationError) -> str:
    return "; ".join(_describe_one(problem) for problem in error.errors(include_url=False)[:5])


def _describe_one(problem: ErrorDetails) -> str:
    field = ".".join(str(part) for part in problem["loc"])
    return f"{field}: {problem['msg']}" if field else problem["msg"]


def _json_type(value: Any) -> str:
    return {list: "an array", dict: "an object", str: "a string", bool: "a boolean", type(None): "null"}.get(
        type(value), "a number"
    )


def _name_of(raw: Any) -> str:
    """The ``sub_id`` that an item's caller can know it by, or a made-up one."""
    name = raw.get("sub_id") if isinstance(raw, dict) else None
    return name if isinstance(name, str) and not any(_unfit(name, "sub_id", depth=0)) else str(uuid.uuid4())
