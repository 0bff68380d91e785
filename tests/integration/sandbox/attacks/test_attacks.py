"""Every attack of the table is contained in every tier that ``docs/security.md`` promises it for.

After each one the node must be as it was: a harmless program, as likely as not in the same slot, must find
exactly what it found before any attack.
"""

import json
from typing import Any

import pytest

from tests.integration.sandbox.attacks.attack import ESCAPED, HELD, Attack, attacks
from tests.integration.sandbox.attacks.node import MAX_OUTPUT_MB, Node
from tests.integration.sandbox.attacks.tiers import holds

LOOK_AROUND = """
import resource
def marked(folder):
    try:
        return [name for name in os.listdir(folder) if MARK in name]
    except OSError:
        return []
print(json.dumps({
    "answer": sum(range(10)),
    "files": sorted(os.listdir(".")),
    "left": [marked(folder) for folder in ("/tmp", "/var/tmp", "/dev/shm")],
    "descriptors": sorted(int(name) for name in os.listdir("/proc/self/fd"))[:3],
    "environment": {name: value for name, value in os.environ.items() if name != "TMPDIR"},
    "groups": os.getgroups(),
    "limits": [resource.getrlimit(kind) for kind in range(16)],
    "nice": os.getpriority(os.PRIO_PROCESS, 0),
    "scheduler": os.sched_getscheduler(0),
    "cores": sorted(os.sched_getaffinity(0)),
    "mask": oct(os.umask(0o22)),
    "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])),
    "handlers": [str(signal.getsignal(number)) for number in sorted(signal.valid_signals())],
    "host": os.uname().nodename,
    "family": len(other_processes()) if os.getppid() == 1 else 0,
    "score": open("/proc/self/oom_score_adj").read(),
}))
"""

ATTACKS = [
    pytest.param(attack, id=attack.id, marks=[pytest.mark.needs_gxx] if attack.language == "cpp" else [])
    for attack in attacks()
]

_seen: dict[str, dict[str, Any]] = {}
"""What a harmless program found in each tier when it looked last."""


def look_around(node: Node) -> dict[str, Any]:
    """What a harmless program finds now."""
    result = node.run("python", LOOK_AROUND)
    assert result["verdict"] == "ran", f"{result['verdict']}: {result['stderr']}"
    found: dict[str, Any] = json.loads(result["stdout"])
    return found


def changes(node: Node) -> dict[str, Any]:
    """What is not as it was when a harmless program looked last."""
    before = _seen[node.tier.column]
    after = _seen[node.tier.column] = look_around(node)
    return {name: (was, after[name]) for name, was in before.items() if after[name] != was}


@pytest.mark.parametrize("attack", ATTACKS)
def test_contained(attack: Attack, node: Node) -> None:
    if not holds(attack.promise, node.tier, node.has_cgroup):
        pytest.skip(f"{node.tier.column}: '{attack.promise}' is not promised on this machine")
    if attack.throwaway_uid and not node.tier.is_throwaway_uid:
        pytest.skip("a wall that fails would hit whoever runs the tests: runs as root only")

    _seen.setdefault(node.tier.column, look_around(node))

    run(attack, node)

    assert node.bait.visitors() == []
    assert node.runs_alive() == []
    assert changes(node) == {}


def run(attack: Attack, node: Node) -> None:
    beside = node.start("python", attack.meanwhile, time_limit=20) if attack.meanwhile else None
    try:
        check(
            node,
            attack.verdicts,
            node.run(
                attack.language,
                attack.source,
                input=attack.input,
                expected_output=attack.expected_output,
                checker=attack.checker,
                files=attack.files or None,
                time_limit=attack.time_limit,
                memory_limit=attack.memory_limit,
            ),
        )
    finally:
        if beside is not None:
            node.cancel(beside)
            assert node.result(beside)["verdict"] == "cancelled"
    if attack.then:
        check(node, ("ran",), node.run("python", attack.then))


def check(node: Node, verdicts: tuple[str, ...], result: dict[str, Any]) -> None:
    """An attack is contained where it ended as it should and neither it nor the test saw a wall give way."""
    said = result["stdout"] + result["stderr"]
    assert ESCAPED not in said, said
    assert node.secrets_in(said) == [], said
    assert node.victim not in said, said
    assert result["verdict"] in verdicts, f"{result['verdict']} after {result['cost']} s: {said[:2000]}"
    if result["verdict"] == "ran":
        assert HELD in said, "it ended before it tried everything"


def test_the_nodes_memory_stayed_within_bounds(node: Node) -> None:
    """Runs last: no output or program of an attack was held in the manager many times over."""
    assert node.peak_memory_mb() < 120 + 8 * MAX_OUTPUT_MB
