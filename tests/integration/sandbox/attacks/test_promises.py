"""``docs/security.md`` promises what the attack suite tests, and the suite tests what the page promises."""

import re

from code_judge.settings import Settings
from tests.integration.sandbox.attacks.attack import attacks
from tests.integration.sandbox.attacks.tiers import CONDITIONS, HEADING, NO, TIERS, YES, promises
from tests.support.pages import page

PAGE = page("docs/security.md")


def test_the_page_has_a_column_for_each_tier_that_is_tested() -> None:
    head = PAGE.split(f"\n## {HEADING}\n", 1)[1].split("\n|", 2)[1]

    assert [cell.strip() for cell in head.strip(" |").split("|")][2:] == [tier.column for tier in TIERS]


def test_every_cell_says_yes_no_or_what_it_takes() -> None:
    assert {cell for row in promises().values() for cell in row.values()} <= {YES, NO, *CONDITIONS}


def test_every_promise_is_put_to_the_test() -> None:
    assert set(promises()) == {attack.promise for attack in attacks()}


def test_every_attack_says_what_it_tries_and_how_its_failure_shows() -> None:
    names = [attack.id for attack in attacks()]

    assert len(names) == len(set(names)) >= 60
    assert {attack.language for attack in attacks()} == {"python", "cpp"}
    assert all(attack.tries and attack.shows for attack in attacks())


def test_a_stronger_tier_promises_no_less() -> None:
    strength = [NO, *CONDITIONS, YES]
    for name, row in promises().items():
        as_root, as_user, _, bare = (row[tier.column] for tier in TIERS)
        assert strength.index(as_root) >= strength.index(as_user) >= strength.index(bare), name


def test_settings_that_the_page_names_exist() -> None:
    named = set(re.findall(r"\b[A-Z]+(?:_[A-Z]+)+\b", PAGE))

    assert named <= {name.upper() for name in Settings.model_fields}
