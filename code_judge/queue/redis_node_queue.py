"""A worker node's side of the queue in Redis."""

import json
import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, cast

from pydantic import ValidationError

from code_judge.contract import NodeInfo, Result, Verdict
from code_judge.metrics import Tally, families
from code_judge.metrics.families import UNKNOWN_LANGUAGE
from code_judge.settings import Settings

from .connect import Client, open_client, redis_errors
from .keys import REPLIES_LIFETIME_S, Keys, dead_after_s, queue_lifetime_s
from .payload import ClaimedWork, WorkPayload
from .script import script_text
from .tell import tell_arguments

log = logging.getLogger(__name__)

CLAIM_AT_ONCE = 1000
"""Items in one claim, so that it does not hold Redis up."""

CONDEMNED = "every worker node that had this submission in hand was lost; it is not run again (MAX_ATTEMPTS)"
UNREADABLE = "this worker node cannot read the work item; run masters and nodes of one version"

_Answer = tuple[str, int, str, str]
"""Work id, attempt, the master that asked, result as JSON."""


class RedisNodeQueue:
    """Implements NodeQueue. Connects when it is first used."""

    def __init__(
        self,
        settings: Settings,
        node_name: str,
        open_client: Callable[..., Client] = open_client,
        tally: Tally | None = None,
    ) -> None:
        self._settings = settings
        self._tally = tally or Tally()
        self._node = node_name
        self._keys = Keys(settings.redis_key_prefix)
        self._held_key = self._keys.held(node_name)
        # A claim is never sent twice: what the first one leased would be forgotten.
        self._claims = open_client(settings, 1, repeatable=False)
        self._commands = open_client(settings, 1, repeatable=True)
        self._shared_args = (queue_lifetime_s(settings), settings.max_attempts)
        self._scripts = {"claim": self._claims.register_script(script_text("claim"))} | {
            name: self._commands.register_script(script_text(name))
            for name in ("complete", "give_back", "heartbeat", "reap", "deregister", "tell")
        }
        self._drain_asked = False
        self._languages: frozenset[str] = frozenset()
        """What this node offers, as of its latest heartbeat."""
        self._claiming = threading.Lock()
        self._known: set[str] = set()
        """Work ids that this process has claimed and not done with."""
        self._unknown: set[str] = set()
        """What Redis counted as this node's at the latest heartbeat, and was not known here."""

    @property
    def drain_asked(self) -> bool:
        return self._drain_asked

    def heartbeat(self, node: NodeInfo) -> Sequence[str]:
        interval_s, dead_after = self._settings.heartbeat_interval, dead_after_s(self._settings)
        args = (self._node, node.model_dump_json(), interval_s, dead_after)
        cancelled, leased, dead, drain_asked = self._run("heartbeat", args, self._held_key)
        self._drain_asked = bool(drain_asked)
        self._languages = frozenset(language.name for language in node.languages)
        self._known.difference_update(_decoded(cancelled))
        self._return_unknown(set(_decoded(leased)))
        for name in _decoded(dead):
            self._take_over(name, dead_after)
        self._tell_tally()
        return _decoded(cancelled)

    def claim(self, max_items: int, wait_s: float) -> Sequence[ClaimedWork]:
        deadline = time.monotonic() + wait_s
        with self._claiming:
            while True:
                work = self._try_claim(min(max_items, CLAIM_AT_ONCE))
                left_s = deadline - time.monotonic()
                if work or left_s <= 0:
                    return work
                self._sleep(left_s)

    def complete(self, results: Sequence[tuple[ClaimedWork, Result]]) -> None:
        answers = (
            (work.payload.work_id, work.attempt, work.payload.reply_to, result.model_dump_json())
            for work, result in results
        )
        self._answer(answers, self._node)
        for work, result in results:
            self._count(result, work.payload.submission.type)

    def give_back(self, work: Sequence[ClaimedWork]) -> None:
        work_ids = [item.payload.work_id for item in work]
        self._run("give_back", [self._node, *work_ids], self._held_key)
        self._known.difference_update(work_ids)

    def deregister(self) -> None:
        self._run("deregister", [self._node], self._held_key)
        self._known.clear()
        self._tell_tally()

    def close(self) -> None:
        self._claims.close()
        self._commands.close()

    # Claiming

    def _try_claim(self, max_items: int) -> list[ClaimedWork]:
        now, *items = self._run("claim", [self._node, max_items], self._held_key)
        return self._read_all(items, float(now))

    def _sleep(self, wait_s: float) -> None:
        """Block until there may be work, at most so many seconds."""
        # A command that blocks for longer than the socket may be silent would fail; 0 would be for ever.
        wait_s = min(max(wait_s, 0.001), self._settings.redis_socket_timeout / 2)
        with redis_errors():
            self._claims.blpop([self._keys.wake], timeout=cast("int", wait_s))

    def _return_unknown(self, leased: set[str]) -> None:
        """Give back leases that nobody here knows of: their claim's answer was lost with a connection, or
        their completion with a Redis that failed over. Who is alive keeps its leases; nobody else would.

        Only what was unknown at two heartbeats: the answer to a claim may be on its way.
        """
        unknown = leased - self._known
        if lost := unknown & self._unknown:
            log.warning("giving back %d items that this node does not know of", len(lost))
            self._run("give_back", [self._node, *lost], self._held_key)
        self._unknown = unknown

    # Reading and answering

    def _read_all(self, items: Sequence[Any], now: float) -> list[ClaimedWork]:
        work: list[ClaimedWork] = []
        for payload, attempt in _pairs(items):
            try:
                item = WorkPayload.from_json(payload)
            except ValidationError as error:
                log.error("a work item does not parse: %s", error)
                self._fail([payload, attempt], f"{UNREADABLE}: {error}", self._node)
            else:
                work.append(ClaimedWork(item, attempt, max(0.0, now - item.timestamp)))
        self._known.update(item.payload.work_id for item in work)
        self._count_claims(work)
        return work

    def _take_over(self, dead: str, dead_after: float) -> None:
        """Have a dead node's items go to others; answer those that have taken too many nodes down."""
        log.warning("node %s is dead: its items go back to the queue", dead)
        forgotten, taken_back, *items = self._run("reap", (dead, dead_after), self._keys.held(dead))
        self._fail(items, CONDEMNED, node=dead)
        self._tally.add(families.LEASE_EXPIRIES, by=taken_back + len(items) // 2)
        if forgotten:
            self._tally.add(families.NODES_LOST)

    def _fail(self, items: Sequence[Any], why: str, node: str) -> None:
        """Answer items that nobody can run, a flat list of payloads and attempts, in the name of a node."""
        self._answer((_failure(*item, why) for item in _pairs(items)), node)
        if items:
            self._tally.add(
                families.RESULTS, Verdict.INTERNAL_ERROR.value, UNKNOWN_LANGUAGE, by=len(items) // 2
            )

    def _answer(self, answers: Iterable[_Answer], node: str) -> None:
        masters: dict[str, int] = {}
        args: list[Any] = [node, REPLIES_LIFETIME_S]
        work_ids = []
        for work_id, attempt, master, result in answers:
            place = masters.setdefault(master, len(masters) + 1)
            args += (work_id, attempt, place, result)
            work_ids.append(work_id)
        if work_ids:
            replies = [self._keys.replies(master) for master in masters]
            self._run("complete", args, self._keys.held(node), *replies)
            self._known.difference_update(work_ids)

    # Counting

    def _count_claims(self, work: Sequence[ClaimedWork]) -> None:
        self._tally.add(families.CLAIMS, by=len(work))
        for item in work:
            self._tally.observe(families.QUEUE_SECONDS, item.queue_time_s, item.payload.work_class.value)
            if item.attempt > 1:
                self._tally.add(families.REDELIVERIES)

    def _count(self, result: Result, language: str) -> None:
        if language not in self._languages:
            language = UNKNOWN_LANGUAGE
        self._tally.add(families.RESULTS, result.verdict.value, language)
        if result.wall_time > 0:
            self._tally.observe(families.RUN_SECONDS, result.wall_time, language)

    def _tell_tally(self) -> None:
        """Add what this process has counted to what the cluster has."""
        if packet := self._tally.packet():
            self._run("tell", *tell_arguments(self._keys, self._tally.owner, packet))
            self._tally.told(packet)

    def _run(self, script: str, args: Sequence[Any], *own_keys: str) -> Any:
        started = time.perf_counter()
        with redis_errors():
            keys = [*self._keys.shared, *own_keys]
            answer = self._scripts[script](keys, [*self._shared_args, *args])
        self._tally.observe(families.REDIS_SECONDS, time.perf_counter() - started, script)
        return answer


def _decoded(names: Sequence[bytes]) -> list[str]:
    return [name.decode() for name in names]


def _pairs(items: Sequence[Any]) -> Iterator[tuple[bytes, int]]:
    """Payload and attempt of each item out of a flat list of them."""
    return zip(items[::2], items[1::2], strict=True)


def _failure(payload: bytes, attempt: int, why: str) -> _Answer:
    """Our own failure as the answer to an item, which may not parse as a WorkPayload."""
    item = json.loads(payload)
    sub_id = item["submission"]["sub_id"] or item["work_id"]
    result = Result.of(sub_id, Verdict.INTERNAL_ERROR, stderr=why, attempts=attempt)
    return item["work_id"], attempt, item["reply_to"], result.model_dump_json()
