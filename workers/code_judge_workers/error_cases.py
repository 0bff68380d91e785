"""Keeps the submissions that ended in ``internal_error``, so that somebody can find out why."""

import json
import logging
from pathlib import Path

from code_judge.contract import Result
from code_judge.queue import WorkPayload

log = logging.getLogger(__name__)

MAX_CASES = 1000
"""Cases kept per node: a node that fails at everything must not fill the disk, too."""


class ErrorCases:
    """Writes one JSON file per case into ERROR_CASE_SAVE_PATH; nothing where that is not set."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._left = MAX_CASES

    def save(self, payload: WorkPayload, result: Result) -> None:
        """Write the case down. A failure to do so is logged, no more: the answer matters, not its trace."""
        if not self._folder or self._left <= 0:
            return
        self._left -= 1
        case = {
            "submission": payload.submission.model_dump(mode="json"),
            "result": result.model_dump(mode="json"),
        }
        # Work ids hold what may not stand in file names: `{tag}:chunk-index`.
        name = "".join(char for char in payload.work_id if char.isalnum() or char == "-")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            file = self._folder / f"{name}.json"
            file.touch(mode=0o600)  # submissions are their senders' business
            file.write_text(json.dumps(case), encoding="utf-8")
        except (OSError, ValueError) as error:
            log.warning("could not save the failed case %s in %s: %s", payload.work_id, self._folder, error)
