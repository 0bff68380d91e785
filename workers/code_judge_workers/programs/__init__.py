"""Harnesses: programs of ours that run inside the sandbox, around a submission's own code.

They are read as text here and never imported by the node. In the sandbox they run under the configured
interpreter (CPython 3.9 or newer, standard library only) and share one process with code that is hostile:
whatever they report is the submission's word, not ours. Verdicts come from what the slot measured.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

from ..sandbox.program import RunFile


def main_script(harness: str, order: dict[str, Any]) -> RunFile:
    """A main.py that runs a harness with its order.

    The harness has a namespace of its own, so that ``__main__`` is the submission's alone, and imports its
    modules before the working directory can offer others by the same names.
    """
    parts = {
        "__name__": "'harness'",
        "order": repr(json.dumps(order)),
        "folder": "__import__('sys').path.pop(0)",
        "namespace": "globals()",
    }
    space = ", ".join(f"{name!r}: {value}" for name, value in parts.items())
    return RunFile(f"exec({_source(harness)!r}, {{{space}}})\n".encode())


@cache
def _source(harness: str) -> str:
    text = Path(__file__).with_name(f"{harness}.py").read_text(encoding="utf-8")
    return f"{text}\nmain(order, folder, namespace)\n"
