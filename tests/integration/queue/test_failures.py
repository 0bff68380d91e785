"""The latest failures of the judge, as all masters remember them together."""

import time

from code_judge.contract import Failure, Verdict
from code_judge.queue.keys import KEPT_FAILURES
from tests.support.redis_queue import QueueCluster


def failures(count: int) -> list[Failure]:
    return [
        Failure(
            work_id=f"{{a}}:{number}-0",
            verdict=Verdict.INTERNAL_ERROR,
            node="n",
            attempts=1,
            why='a "reason"',
        )
        for number in range(count)
    ]


async def test_every_master_sees_what_any_master_noted(cluster: QueueCluster) -> None:
    one, other = cluster.master(), cluster.master()
    noted = failures(2)

    await one.note_failures(noted[:1])
    await other.note_failures(noted[1:])

    found = await one.failures()
    assert [failure.model_copy(update={"at": 0.0}) for failure in found] == noted[::-1]
    assert abs(found[0].at - time.time()) < 60


async def test_only_the_latest_are_kept(cluster: QueueCluster) -> None:
    master = cluster.master()

    await master.note_failures(failures(KEPT_FAILURES))
    await master.note_failures([failure.model_copy(update={"why": "new"}) for failure in failures(3)])

    found = await master.failures()
    assert len(found) == KEPT_FAILURES
    assert [failure.why for failure in found[:4]] == ["new"] * 3 + ['a "reason"']
