"""All attacks on one tier, one after the other, on a thread of its own.

Much of an attack is waiting, for a limit or for a sleep. So the tiers are attacked side by side, and the
tests, one for each attack and tier, only ask how it went.
"""

import threading
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any

from tests.integration.sandbox.attacks.attack import Attack
from tests.integration.sandbox.attacks.attempt import changes, contain, look_around
from tests.integration.sandbox.attacks.node import Node, running_node
from tests.integration.sandbox.attacks.tiers import Tier, holds


class NotPromised(Exception):
    """Raised for an attack that this tier need not contain on this machine, so that it was not run."""


class Campaign:
    """Starts at once; :meth:`finish` ends its node, too."""

    def __init__(self, tier: Tier, attacks: Sequence[Attack]) -> None:
        self.tier = tier
        self._attacks = attacks
        self._outcomes: dict[str, Future[None]] = {attack.id: Future() for attack in attacks}
        self._node: Future[Node] = Future()
        self._over = threading.Event()
        self._end: Future[None] = Future()
        self._thread = threading.Thread(target=self._run, name=f"attacks on {tier.column}")
        self._thread.start()

    def outcome(self, attack: Attack) -> None:
        """Wait until the attack was made. Raises AssertionError where it was not contained, NotPromised where
        it was not made."""
        self._outcomes[attack.id].result()

    def node(self) -> Node:
        """The node, once all attacks are over."""
        return self._node.result()

    def finish(self) -> None:
        """End the node. Raises AssertionError where it leaves something behind."""
        self._over.set()
        self._thread.join()
        self._end.result()

    def _run(self) -> None:
        try:
            with running_node(self.tier) as node:
                self._attack(node)
                self._node.set_result(node)
                self._over.wait()
        except BaseException as error:  # noqa: BLE001 - the tests that wait must hear of it
            waiting: list[Future[Any]] = [self._end, self._node, *self._outcomes.values()]
            for future in waiting:
                if not future.done():
                    future.set_exception(error)
        else:
            self._end.set_result(None)

    def _attack(self, node: Node) -> None:
        seen = look_around(node)
        for attack in self._attacks:
            outcome = self._outcomes[attack.id]
            try:
                self._refuse_where_not_promised(attack, node)
                contain(attack, node)
                seen, before = look_around(node), seen
                assert changes(before, seen) == {}, "the next run does not find what the first one found"
            except Exception as error:  # noqa: BLE001 - it is for the test that asks
                outcome.set_exception(error)
            else:
                outcome.set_result(None)

    def _refuse_where_not_promised(self, attack: Attack, node: Node) -> None:
        if not holds(attack.promise, self.tier, node.has_cgroup):
            raise NotPromised(f"{self.tier.column}: '{attack.promise}' is not promised on this machine")
        if attack.throwaway_uid and not self.tier.is_throwaway_uid:
            raise NotPromised("a wall that fails would hit whoever runs the tests: runs as root only")
