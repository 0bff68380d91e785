"""Every attack of the table is contained in every tier that ``docs/security.md`` promises it for.

After each one the node must be as it was: a harmless program, as likely as not in the same slot, must find
exactly what it found before.
"""

import pytest

from tests.integration.sandbox.attacks.attack import Attack, attacks
from tests.integration.sandbox.attacks.campaign import Campaign, NotPromised

ATTACKS = [
    pytest.param(attack, id=attack.id, marks=[pytest.mark.needs_gxx] if attack.language == "cpp" else [])
    for attack in attacks()
]


@pytest.mark.parametrize("attack", ATTACKS)
def test_contained(attack: Attack, campaign: Campaign) -> None:
    try:
        campaign.outcome(attack)
    except NotPromised as reason:
        pytest.skip(str(reason))
