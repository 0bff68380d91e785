"""How the counts of masters and nodes get into Redis, and out again."""

from collections.abc import Mapping
from typing import Any

from code_judge.metrics import Counts, Packet
from code_judge.metrics.tally import read_key, write_key

from .keys import TOLD_LIFETIME_S, Keys


def tell_arguments(keys: Keys, owner: str, packet: Packet) -> tuple[list[Any], str, str]:
    """What ``tell.lua`` wants: its own arguments, and its own keys."""
    args: list[Any] = [packet.number, TOLD_LIFETIME_S]
    for key, by in packet.counts.items():
        args += (write_key(key), by)
    return args, keys.counts, keys.told(owner)


def read_counts(fields: Mapping[bytes, bytes]) -> Counts:
    """The cluster's counts out of their hash."""
    return {read_key(key): float(value) for key, value in fields.items()}
