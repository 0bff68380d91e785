"""What a request processor counts."""

from collections import Counter, deque
from typing import Any

REMEMBERED_SIZES = 10_000
"""Batch sizes that are kept one by one; a trainer may run for weeks."""


class Statistics:
    """Counts since the start or the last reset. The names are those that people's dashboards read."""

    def __init__(self) -> None:
        self._submitted = self._successful = self._failed = 0
        self._items = self._failed_items = self._dropped_items = 0
        self._duration_s = self._successful_s = 0.0
        self._sizes: deque[int] = deque(maxlen=REMEMBERED_SIZES)

    def batch_begins(self, size: int) -> None:
        self._submitted += 1
        self._items += size
        self._sizes.append(size)

    def batch_ends(self, duration_s: float, *, failed: int, dropped: int) -> None:
        """``failed`` items got an error and no result; ``dropped`` ones had nobody waiting any more."""
        self._duration_s += duration_s
        self._failed_items += failed
        self._dropped_items += dropped
        if failed:
            self._failed += 1
        else:
            self._successful += 1
            self._successful_s += duration_s

    def as_dict(self) -> dict[str, Any]:
        ended = self._successful + self._failed
        return {
            "num_batches_submitted": self._submitted,
            "num_successful_batches": self._successful,
            "num_failed_batches": self._failed,
            "total_items_processed_in_batches": self._items,
            "num_failed_items": self._failed_items,
            "num_dropped_items": self._dropped_items,
            "actual_batch_sizes": list(self._sizes),
            "avg_actual_batch_size": _ratio(self._items, self._submitted),
            "total_batch_submission_duration_seconds": self._duration_s,
            "avg_overall_batch_submission_duration_seconds": _ratio(self._duration_s, ended),
            "avg_successful_batch_submission_duration_seconds": _ratio(self._successful_s, self._successful),
        }

    def as_text(self) -> str:
        lines = ["RequestProcessor statistics"]
        for name, value in self.as_dict().items():
            if isinstance(value, list):
                value = sorted(Counter(value).items())  # (size, how many batches)
            lines.append(f"  {name}: {value:.4f}" if isinstance(value, float) else f"  {name}: {value}")
        return "\n".join(lines)


def _ratio(total: float, count: int) -> float:
    return total / count if count else 0.0
