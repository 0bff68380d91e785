"""Keeps submissions that the judge could not judge, with where and why, so that they can be sent later."""

import json
import logging
import os
import socket
import time
from pathlib import Path

from code_judge.contract import Submission

log = logging.getLogger(__name__)

MAX_FILE_MB = 256
"""A judge that is away for a night must not fill the trainer's disk."""


class FailedSubmissions:
    """Appends to a file of this process in ``folder``: one line of JSON each, with ``time``, ``judge``,
    ``tool``, ``why`` and the ``submission`` as it can be sent again."""

    def __init__(self, folder: Path) -> None:
        name = f"failed_submissions_{socket.gethostname()}_{os.getpid()}.jsonl"
        self.path = folder.expanduser() / name

    def save(self, submission: Submission, *, judge: str, tool: str, why: str) -> None:
        """Never raises: a full disk must not fail a training step on top of all."""
        entry = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
            "judge": judge,
            "tool": tool,
            "why": why,
            "submission": submission.model_dump(mode="json", exclude_defaults=True),
        }
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8") as file:
                if file.tell() < MAX_FILE_MB * 1_000_000:
                    file.write(json.dumps(entry, ensure_ascii=False) + "\n")
        except OSError as error:
            log.warning("a failed submission could not be saved to %s: %s", self.path, error)
