"""A run's stdout and stderr, drained while it runs.

They are pipes, as most programs know them: a program can neither read back nor cut off what it wrote, and
opening /dev/stdout again appends (in a memory file it would truncate; a test shows the difference).
"""

import os
import select
from dataclasses import dataclass, field

CHUNK_BYTES = 1 << 16


@dataclass(slots=True)
class Stream:
    """One pipe's reading end and what came out of it."""

    reader: int
    keep_bytes: int
    """Bytes kept from the start; what comes later is counted and dropped."""
    limit_bytes: int
    kept: bytearray = field(default_factory=bytearray)
    total_bytes: int = 0
    open: bool = True

    @property
    def over(self) -> bool:
        """Whether more came out than a run may write."""
        return self.total_bytes > self.limit_bytes

    def drain(self) -> None:
        """Read what is there now, without waiting."""
        while self.open:
            try:
                chunk = os.read(self.reader, CHUNK_BYTES)
            except BlockingIOError:
                return
            self.open = bool(chunk)
            self.total_bytes += len(chunk)
            space = self.keep_bytes - len(self.kept)
            if space > 0:
                self.kept += chunk[:space]
            if len(chunk) < CHUNK_BYTES:
                return

    def finish(self) -> bytes:
        """Read what is left and close; call it when the run is over."""
        while self.open:
            before = self.total_bytes
            self.drain()
            if self.total_bytes == before:
                break
        os.close(self.reader)
        return bytes(self.kept)


def open_stream(keep_bytes: int, limit_bytes: int) -> tuple[Stream, int]:
    """A stream and the descriptor that the run writes to."""
    reader, writer = os.pipe2(os.O_CLOEXEC)
    os.set_blocking(reader, False)
    return Stream(reader, keep_bytes, limit_bytes), writer


class Drain:
    """Waits for a run's answer while its streams are emptied."""

    def __init__(self, answer: int, streams: list[Stream]) -> None:
        self._answer = answer
        self._streams = {stream.reader: stream for stream in streams}
        self._poll = select.poll()
        self._poll.register(answer, select.POLLIN)
        for stream in streams:
            self._poll.register(stream.reader, select.POLLIN)

    def wait(self, timeout_s: float) -> bool:
        """Empty what there is; True where the answer can be read."""
        answered = False
        for descriptor, _ in self._poll.poll(max(0.0, timeout_s) * 1000):
            if descriptor == self._answer:
                answered = True
                continue
            stream = self._streams[descriptor]
            stream.drain()
            if not stream.open:
                self._poll.unregister(descriptor)
        return answered

    def over(self) -> bool:
        """Whether a stream went over its limit."""
        return any(stream.over for stream in self._streams.values())
