"""One node per tier for the whole session, looked over after each module."""

from collections.abc import Iterator

import pytest

from tests.integration.sandbox.attacks.node import Node, running_node
from tests.integration.sandbox.attacks.tiers import TIERS, Tier


@pytest.fixture(
    scope="session",
    params=[
        pytest.param(
            tier,
            id=tier.column.replace(", ", "-").replace(" ", "-"),
            marks=[getattr(pytest.mark, m) for m in tier.markers],
        )
        for tier in TIERS
    ],
)
def node(request: pytest.FixtureRequest) -> Iterator[Node]:
    """A node in each tier that this machine allows."""
    tier: Tier = request.param
    with running_node(tier) as running:
        yield running
