"""The names of the keys, which masters, nodes, scripts and operators' access lists share."""

import re

from code_judge.queue import keys
from code_judge.queue.keys import DAY_S, SHARED, Keys, queue_lifetime_s
from code_judge.queue.script import script_text
from code_judge.settings import Settings


def test_a_key_begins_with_the_prefix_and_carries_it_as_hash_tag() -> None:
    names = Keys("js")

    assert names.wake == "js:{js}:wake"
    assert names.flow("{batch}") == "js:{js}:flow:{batch}"  # the first braces are the ones that count


def test_every_key_is_documented() -> None:
    documented = set(re.findall(r"^``([a-z_]+)", keys.__doc__ or "", re.MULTILINE))

    assert documented == {name.partition(":")[0] for name in SHARED} | {
        "held",
        "flow",
        "replies",
        "counts",
        "told",
        "failures",
    }


def test_scripts_and_python_agree_on_how_many_keys_are_shared() -> None:
    assert f"local OWN = {len(SHARED)}\n" in script_text("claim")


def test_the_queue_outlives_its_longest_wait() -> None:
    assert queue_lifetime_s(Settings()) == DAY_S
    assert queue_lifetime_s(Settings(long_batch_max_queue_wait_time=DAY_S)) == 2 * DAY_S
