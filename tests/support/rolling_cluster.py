"""A batch on its way through a cluster whose nodes are drained and replaced meanwhile."""

import json
import threading
from typing import Any

import httpx

PROGRAM = "import time; time.sleep(0.2); print(int(input()) ** 2)"
PATIENCE_S = 120.0


class BatchUnderWay:
    """Sends a long batch of small programs, and collects its results as they come."""

    def __init__(self, url: str, size: int) -> None:
        self._url = url
        self._size = size
        self.results: dict[int, dict[str, Any]] = {}
        self.closing: dict[str, Any] = {}
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._send)
        self._thread.start()

    def wait_for(self, count: int) -> None:
        """Wait until so many have been answered."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.results) >= count, PATIENCE_S), self.closing

    def wait(self) -> None:
        """Wait for the end."""
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive()

    def assert_no_call_lost(self) -> None:
        assert self.closing == {"done": True, "sub_id": "rolling", "count": self._size}
        assert {index: result["stdout"] for index, result in self.results.items()} == {
            index: f"{index**2}\n" for index in range(self._size)
        }

    @property
    def nodes(self) -> set[str]:
        """The nodes that have answered something."""
        return {result["node"] for result in self.results.values()}

    def _send(self) -> None:
        submissions = [{"type": "python", "solution": PROGRAM, "input": str(i)} for i in range(self._size)]
        with httpx.stream(
            "POST",
            f"{self._url}/run/long-batch?detail=full",
            json={"sub_id": "rolling", "submissions": submissions},
            headers={"Accept": "application/x-ndjson"},
            timeout=PATIENCE_S,
        ) as answer:
            for line in answer.iter_lines():
                self._take(json.loads(line))

    def _take(self, line: dict[str, Any]) -> None:
        with self._changed:
            if "index" in line:
                self.results[line.pop("index")] = line
            else:
                self.closing = line
            self._changed.notify_all()


def live_nodes(url: str) -> set[str]:
    """The names of the nodes that the master sees; none while it does not answer."""
    try:
        answer = httpx.get(f"{url}/cluster", timeout=10)
    except httpx.TransportError:
        return set()
    return {node["name"] for node in answer.json()["nodes"]} if answer.status_code == 200 else set()
