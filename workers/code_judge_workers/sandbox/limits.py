"""What a run may use."""

from dataclasses import dataclass

WALL_CEILING_FACTOR = 100
"""A run is killed after this many times its time limit on the wall clock, whatever it waited for."""

MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one run: seconds and bytes."""

    cpu_s: float
    """CPU seconds of all its processes together; also wall seconds less what it waited for a core."""
    memory_bytes: int
    """Resident memory of all its processes and files together."""
    output_bytes: int
    """What it may write to stdout, and to stderr."""
    file_bytes: int
    """Largest single file."""
    processes: int
    """Processes and threads at once."""
    open_files: int
    """Descriptors per process."""
    nice: int

    @property
    def wall_s(self) -> float:
        """Seconds on the wall clock after which the run is killed in any case."""
        return 30 + WALL_CEILING_FACTOR * self.cpu_s
