"""LiveCodeBench: ``public_test_cases`` and ``private_test_cases``, lists of ``input``, ``output`` and
``testtype``; the private ones may be packed."""

import base64
import binascii
import io
import json
import pickle
import zlib
from collections.abc import Iterator
from typing import Any

from code_judge.contract import Submission, TestCase

from .._sample import SampleError
from ._fields import Row, parsed
from ._io_tests import call_tests, judged_by, method_or_function, stream_tests

NAME = "livecodebench"


def recognises(row: Row) -> bool:
    return "public_test_cases" in row


def submissions(row: Row) -> Iterator[Submission]:
    cases = [*(parsed(row, "public_test_cases") or []), *_private_cases(row)]
    yield from judged_by(row, lambda program: _tests(row, cases, program))


def _tests(row: Row, cases: list[dict[str, Any]], program: str) -> list[TestCase]:
    if not any(case.get("testtype") == "functional" for case in cases):
        return stream_tests([case["input"] for case in cases], [case["output"] for case in cases])
    name = (parsed(row, "metadata") or {}).get("func_name")
    if not name:
        raise SampleError("metadata should have the func_name of its functional tests")
    try:
        arguments = [[json.loads(line) for line in case["input"].splitlines()] for case in cases]
        values = [json.loads(case["output"]) for case in cases]
    except ValueError as error:
        raise SampleError(f"a functional test is not JSON: {error}") from None
    return call_tests(method_or_function(name, program), arguments, values)


def _private_cases(row: Row) -> list[dict[str, Any]]:
    packed = row.get("private_test_cases")
    if not isinstance(packed, str) or not packed or packed.lstrip().startswith("["):
        return parsed(row, "private_test_cases") or []
    try:
        unpacked = _TextOnly(io.BytesIO(zlib.decompress(base64.b64decode(packed)))).load()
        cases: list[dict[str, Any]] = json.loads(unpacked)
    except (binascii.Error, zlib.error, pickle.UnpicklingError, EOFError, TypeError, ValueError) as error:
        raise SampleError(f"private_test_cases cannot be unpacked: {error}") from None
    return cases


class _TextOnly(pickle.Unpickler):
    """The dataset pickles a text; a pickle that names anything else would run somebody's code here."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"it names {module}.{name}, and only text is expected")
