"""Cuts a batch into chunks of work items."""

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from code_judge.contract import Submission
from code_judge.queue import WorkClass, WorkPayload
from code_judge.settings import Settings


@dataclass(frozen=True, slots=True)
class Handling:
    """What a class of work means for its items."""

    work_class: WorkClass
    chunk_size: int
    max_wait_s: float

    @classmethod
    def of(cls, work_class: WorkClass, settings: Settings) -> "Handling":
        """As the settings say."""
        match work_class:
            case WorkClass.INTERACTIVE:
                return cls(work_class, 1, settings.max_queue_wait_time)
            case WorkClass.BATCH:
                return cls(work_class, settings.max_batch_chunk_size, settings.max_queue_work_life_time)
            case WorkClass.LONG_BATCH:
                return cls(
                    work_class,
                    settings.max_long_batch_chunk_size,
                    settings.long_batch_max_queue_wait_time,
                )


def chunked(
    submissions: Sequence[tuple[int, Submission]], handling: Handling, reply_to: str, traceparent: str
) -> Iterator[list[tuple[int, WorkPayload]]]:
    """Chunks of one batch, each submission with its index in the batch. One hash tag joins them all.

    Made one by one as they are asked for, so that the event loop has its turns between them.
    """
    tag = secrets.token_hex(8)
    rest = iter(submissions)
    number = 0
    while chunk := list(islice(rest, handling.chunk_size)):
        yield [
            (
                index,
                WorkPayload(
                    work_id=f"{{{tag}}}:{number}-{place}",
                    timestamp=0.0,
                    work_class=handling.work_class,
                    long_running=handling.work_class is WorkClass.LONG_BATCH,
                    max_wait_s=handling.max_wait_s,
                    reply_to=reply_to,
                    submission=submission,
                    traceparent=traceparent,
                ),
            )
            for place, (index, submission) in enumerate(chunk)
        ]
        number += 1
