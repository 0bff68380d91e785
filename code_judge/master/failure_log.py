"""Remembers, for the page and for operators, what the judge itself failed at lately.

Kept in Redis, since a page's next question may be answered by another process, or another master, than the
one that saw the failure. Only the latest are kept, and nothing of a submission's own text.
"""

import asyncio
import re
from collections import deque

from code_judge.contract import Failure, Result
from code_judge.queue import MasterQueue

FAILED = re.compile(rb'"verdict":"(?:internal_error|queue_timeout)"')
"""In a result as JSON. No text of a program's can look like this there: its quotes are escaped."""
HELD = 100
"""Failures that wait to be noted; of more only the latest."""
LONGEST_WHY = 200
"""Characters of a reason."""


class FailureLog:
    """Notes failures in the background, since Redis may be away: it then is what fails."""

    def __init__(self, queue: MasterQueue) -> None:
        self._queue = queue
        self._held: deque[Failure] = deque(maxlen=HELD)
        self._news = asyncio.Event()

    def look_at(self, work_id: str, result: bytes) -> None:
        """Remember this result if it says that the judge failed; costs next to nothing if not."""
        if FAILED.search(result):
            self._held.append(_failure(work_id, Result.model_validate_json(result)))
            self._news.set()

    async def work_off(self) -> None:
        """Wait for something to note, and note it. What fails stays for the next time."""
        await self._news.wait()
        await self.flush()
        self._news.clear()

    async def flush(self) -> None:
        """Note what there is to note. Raises QueueUnavailable."""
        while self._held:
            noting = list(self._held)
            await self._queue.note_failures(noting)
            self._held = deque((one for one in self._held if one not in noting), maxlen=HELD)


def _failure(work_id: str, result: Result) -> Failure:
    # What follows a colon in our own messages may quote what a submission chose, such as a file's name.
    why = result.stderr.partition(": ")[0][:LONGEST_WHY]
    return Failure(
        work_id=work_id, verdict=result.verdict, node=result.node, attempts=result.attempts, why=why
    )
