"""Calls one function of a submission and leaves its value as JSON, in a file that only it was told of.

What the submission prints goes where it always goes and is nobody's answer. What is expected of the value
never comes here.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import traceback
from typing import Any


def main(order: str, folder: str, namespace: dict[str, Any]) -> None:
    """Import, call and answer. Ends with exit code 1 where that raises."""
    wanted = json.loads(order)
    answer_path = os.path.abspath(wanted["answer"])
    os.unlink(namespace["__file__"])
    sys.path.insert(0, folder)
    try:
        answer = to_json(call(wanted))
    except SystemExit:
        raise
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is the submission's and is shown
        show_error(error, wanted["module"])
        sys.exit(1)
    file = os.open(answer_path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(file, "w") as writer:
        writer.write(answer)


def call(wanted: dict[str, Any]) -> Any:
    """The value of ``function``, or of ``Class.method`` of a new instance."""
    target: Any = load(wanted["module"])
    owner, _, name = wanted["function"].rpartition(".")
    if owner:
        target = getattr(target, owner)()
    return getattr(target, name)(*wanted["args"], **wanted["kwargs"])


def load(module: str) -> Any:
    """Import the submission, without leaving bytecode in its working directory."""
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        return importlib.import_module(module)
    finally:
        sys.dont_write_bytecode = before


def to_json(value: Any) -> str:
    return json.dumps(value, default=plain, separators=(",", ":"))


def plain(value: Any) -> Any:
    """What JSON has no word for: a set is a list in ascending order, numpy's values are Python's."""
    if isinstance(value, (set, frozenset)):
        try:
            return sorted(value)
        except TypeError:
            return sorted(value, key=to_json)
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"the call returned a {type(value).__name__}, which cannot be written as JSON")


def show_error(error: BaseException, module: str) -> None:
    """Print the traceback from the submission's first line on."""
    frames = error.__traceback__
    while frames is not None and frames.tb_frame.f_globals.get("__name__") != module:
        frames = frames.tb_next
    traceback.print_exception(type(error), error, frames)
