"""Each tier that this machine allows is attacked once in a session, all of them side by side."""

from collections.abc import Iterator
from typing import Any

import pytest

pytest.register_assert_rewrite("tests.integration.sandbox.attacks.attempt")

from tests.integration.sandbox.attacks.attack import attacks  # noqa: E402
from tests.integration.sandbox.attacks.campaign import Campaign  # noqa: E402
from tests.integration.sandbox.attacks.node import Node  # noqa: E402
from tests.integration.sandbox.attacks.tiers import TIERS, Tier  # noqa: E402

EACH_TIER = [
    pytest.param(tier, id=tier.name, marks=[getattr(pytest.mark, marker) for marker in tier.markers])
    for tier in TIERS
]


@pytest.fixture(scope="session")
def campaigns(request: pytest.FixtureRequest) -> Iterator[dict[str, Campaign]]:
    """By tier: every attack of which a test was selected."""
    selected: dict[str, set[str]] = {tier.name: set() for tier in TIERS if tier.can_be_started}
    for item in request.session.items:
        parameters: dict[str, Any] = getattr(getattr(item, "callspec", None), "params", {})
        if {"campaign", "attack"} <= parameters.keys() and parameters["campaign"].name in selected:
            selected[parameters["campaign"].name].add(parameters["attack"].id)
    running = {
        tier.name: Campaign(tier, [attack for attack in attacks() if attack.id in selected[tier.name]])
        for tier in TIERS
        if tier.name in selected
    }
    yield running
    for campaign in running.values():
        campaign.finish()


@pytest.fixture(scope="session", params=EACH_TIER)
def campaign(request: pytest.FixtureRequest, campaigns: dict[str, Campaign]) -> Campaign:
    """The attacks on one tier."""
    tier: Tier = request.param
    return campaigns[tier.name]


@pytest.fixture
def node(campaign: Campaign) -> Node:
    """A node of each tier, after all attacks on it."""
    return campaign.node()
