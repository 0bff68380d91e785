"""Background tasks that outlive Redis's absences."""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Collection
from typing import Any, NoReturn

from code_judge.errors import RetryLater

log = logging.getLogger(__name__)

FIRST_PAUSE_S = 0.1
LONGEST_PAUSE_S = 2.0


async def repeat(step: Callable[[], Awaitable[object]], name: str) -> NoReturn:
    """Call ``step`` for ever; while it fails, with pauses that grow and are jittered.

    The jitter keeps many masters from coming back to a restarted Redis in the same instant.
    """
    pause_s = FIRST_PAUSE_S
    while True:
        try:
            await step()
        except RetryLater as error:
            if pause_s == FIRST_PAUSE_S:
                log.warning("%s: %s; trying again until it works", name, error)
        except Exception:  # a task that died of a bug would leave every caller waiting
            log.exception("%s: unexpected failure; trying again", name)
        else:
            if pause_s != FIRST_PAUSE_S:
                log.info("%s: works again", name)
            pause_s = FIRST_PAUSE_S
            continue
        await asyncio.sleep(pause_s * random.uniform(0.5, 1.0))
        pause_s = min(pause_s * 2, LONGEST_PAUSE_S)


async def end(tasks: Collection[asyncio.Task[Any]]) -> None:
    """Cancel these and wait until they are gone.

    More than once where it must be: Python 3.11's ``wait_for``, which the Redis client uses, loses a
    cancellation that comes just when what it waits for is done.
    """
    pending = set(tasks)
    while pending:
        for task in pending:
            task.cancel()
        _, pending = await asyncio.wait(pending, timeout=0.1)
