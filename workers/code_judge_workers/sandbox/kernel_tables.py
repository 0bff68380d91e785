"""The kernel's tables about a run, read without keeping what stood there.

A slot's memory is copied into its next run. What a program can put into these tables (its process's name,
the name of a socket) would be a word from one run to the next, so it is read into one buffer and wiped.
"""

from __future__ import annotations

import os

_buffer = bytearray(4096)


def stat_fields(process: int) -> list[bytes]:
    """The fields of /proc/PID/stat after the name: the first is proc(5)'s third. Raises OSError where the
    process is no more."""
    file = os.open(f"/proc/{process}/stat", os.O_RDONLY | os.O_CLOEXEC)
    try:
        count = os.readv(file, [_buffer])
        # The name stands in brackets and may hold brackets, too.
        start = _buffer.rfind(b")", 0, count) + 1
        return bytes(_buffer[start:count]).split()
    finally:
        os.close(file)
        _buffer[:] = bytes(len(_buffer))


def count_lines(file: int) -> int:
    """Lines of an open table, or of its first 4,096 bytes."""
    count = os.preadv(file, [_buffer], 0)
    try:
        return _buffer.count(b"\n", 0, count)
    finally:
        _buffer[:count] = bytes(count)
