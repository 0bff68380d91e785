"""Pauses between tries while Redis is away."""

import random

FIRST_S = 0.1
LONGEST_S = 5.0


class Backoff:
    """Pauses that double, each spread by ±50 %, so that a returning Redis is not met by all nodes at once."""

    def __init__(self) -> None:
        self._next_s = FIRST_S

    def next_s(self) -> float:
        """How long to wait before the next try, in seconds."""
        pause = self._next_s * random.uniform(0.5, 1.5)
        self._next_s = min(self._next_s * 2, LONGEST_S)
        return pause

    def reset(self) -> None:
        """A try went well: the next pause is the first again."""
        self._next_s = FIRST_S
