"""A master process's side of the queue in Redis."""

import os
import secrets
import socket
import time
from collections.abc import Callable, Sequence
from typing import Any, cast

from code_judge.contract import Failure, NodeInfo
from code_judge.errors import QueueFull
from code_judge.metrics import Counts, Tally, families
from code_judge.settings import Settings

from .connect import AsyncClient, open_async_client, redis_errors
from .interface import ClusterView, Reply, WorkState
from .keys import CLASSES, FLOW_LIFETIME_S, KEPT_FAILURES, Keys, dead_after_s, queue_lifetime_s
from .lane import Lane
from .payload import WorkClass, WorkPayload
from .script import script_text
from .tell import read_counts, tell_arguments

REPLIES_AT_ONCE = 1000
"""Answers read in one command."""

SCRIPTS = ("submit", "head_score", "states", "cancel", "cluster", "length", "oldest", "tell", "note")


class RedisMasterQueue:
    """Implements MasterQueue. Connects when it is first used."""

    def __init__(
        self, settings: Settings, open_client: Callable[..., AsyncClient] = open_async_client
    ) -> None:
        self.tally = Tally()
        self.master_id = f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}"
        self._settings = settings
        self._keys = Keys(settings.redis_key_prefix)
        self._blocking = open_client(settings, 1, repeatable=False)
        # Two lanes: a large chunk on its way, and all that wait behind it, must not hold single runs up.
        self._commands, self._chunks = (
            Lane(open_client(settings, 1, repeatable=True), settings.redis_socket_timeout) for _ in range(2)
        )
        self._shared_args = (
            queue_lifetime_s(settings),
            settings.max_attempts,
        )
        self._scripts = {name: self._commands.client.register_script(script_text(name)) for name in SCRIPTS}

    async def submit(self, items: Sequence[WorkPayload]) -> float:
        first = items[0]
        single = first.work_class is WorkClass.INTERACTIVE
        flow, lane = (first.work_class, self._commands) if single else (first.batch, self._chunks)
        args: list[Any] = [
            self._settings.max_queue_length,
            CLASSES.index(first.work_class),
            FLOW_LIFETIME_S,
        ]
        for item in items:
            args += (item.work_id, item.to_json())
        score = await self._run("submit", args, self._keys.flow(flow), lane=lane)
        if score is None:
            raise QueueFull(
                f"the queue holds MAX_QUEUE_LENGTH={self._settings.max_queue_length} items, or would with "
                f"these {len(items)}; send them again later"
            )
        self.tally.add(families.SUBMISSIONS, first.work_class.value, by=len(items))
        return float(score)

    async def replies(self, wait_s: float) -> list[Reply]:
        replies = self._keys.replies(self.master_id)
        # A command that blocks for longer than the socket may be silent would fail; 0 would be for ever.
        wait_s = min(max(wait_s, 0.001), self._settings.redis_socket_timeout / 2)
        with redis_errors():
            first = await self._blocking.blpop([replies], timeout=cast("int", wait_s))
            if not first:
                return []
            others = await self._blocking.lpop(replies, REPLIES_AT_ONCE)
        return [_reply(entry) for entry in (first[1], *(others or ()))]

    async def head_score(self) -> float | None:
        score = await self._run("head_score")
        return None if score is None else float(score)

    async def states(self, work_ids: Sequence[str]) -> dict[str, WorkState]:
        states = await self._run("states", work_ids)
        return {work_id: WorkState(state.decode()) for work_id, state in zip(work_ids, states, strict=True)}

    async def cancel(self, work_ids: Sequence[str]) -> None:
        await self._run("cancel", work_ids)

    async def cluster(self) -> ClusterView:
        waiting, in_flight, infos = await self._run("cluster", [dead_after_s(self._settings)])
        return ClusterView(
            nodes=[NodeInfo.model_validate_json(info) for info in infos if info],
            queued=dict(zip(CLASSES, waiting, strict=True)),
            in_flight=in_flight,
        )

    async def length(self) -> int:
        return int(await self._run("length"))

    async def oldest_waits(self) -> dict[WorkClass, float]:
        waits = await self._run("oldest")
        return {work_class: wait / 1e6 for work_class, wait in zip(CLASSES, waits, strict=True)}

    async def tell_tally(self) -> None:
        if packet := self.tally.packet():
            await self._run("tell", *tell_arguments(self._keys, self.tally.owner, packet))
            self.tally.told(packet)

    async def counts(self) -> Counts:
        async with self._commands.turn() as client:
            fields = await client.hgetall(self._keys.counts)
        return read_counts(cast("dict[bytes, bytes]", fields))

    async def note_failures(self, failures: Sequence[Failure]) -> None:
        entries = [failure.model_dump_json(exclude={"at"}) for failure in failures]
        await self._run("note", [KEPT_FAILURES, *entries], self._keys.failures)

    async def failures(self) -> list[Failure]:
        async with self._commands.turn() as client:
            entries = cast("list[bytes]", await client.zrange(self._keys.failures, 0, -1))
        return [Failure.model_validate_json(entry) for entry in reversed(entries)]

    async def set_paused(self, paused: bool) -> None:
        async with self._commands.turn() as client:
            if paused:
                await client.set(self._keys.paused, 1, ex=self._shared_args[0])
            else:
                await client.delete(self._keys.paused)

    async def paused(self) -> bool:
        async with self._commands.turn() as client:
            return bool(await client.exists(self._keys.paused))

    async def drain(self, node: str) -> bool:
        async with self._commands.turn() as client:
            if await client.zscore(self._keys.beats, node) is None:
                return False
            await client.sadd(self._keys.draining, node)
        return True

    async def close(self) -> None:
        await self._blocking.aclose()
        for lane in (self._commands, self._chunks):
            await lane.client.aclose()

    async def _run(
        self, script: str, args: Sequence[Any] = (), *own_keys: str, lane: Lane | None = None
    ) -> Any:
        keys = [*self._keys.shared, *own_keys]
        async with (lane or self._commands).turn() as client:
            started = time.perf_counter()
            answer = await self._scripts[script](keys, [*self._shared_args, *args], client)
        self.tally.observe(families.REDIS_SECONDS, time.perf_counter() - started, script)
        return answer


def _reply(entry: bytes) -> Reply:
    work_id, _, result = entry.partition(b"\n")
    return Reply(work_id.decode(), result)
