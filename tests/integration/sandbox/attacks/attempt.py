"""One attack on one node, and what must be so afterwards."""

import json
from typing import Any

from tests.integration.sandbox.attacks.attack import ESCAPED, HELD, Attack
from tests.integration.sandbox.attacks.node import Node

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


def look_around(node: Node) -> dict[str, Any]:
    """What a harmless program finds in this node now, as likely as not in the slot of the last run."""
    result = node.run("python", LOOK_AROUND)
    assert result["verdict"] == "ran", f"{result['verdict']}: {result['stderr']}"
    found: dict[str, Any] = json.loads(result["stdout"])
    return found


def changes(before: dict[str, Any], after: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """What a harmless program found otherwise."""
    return {name: (was, after[name]) for name, was in before.items() if after[name] != was}


def contain(attack: Attack, node: Node) -> None:
    """Run the attack and see that it is contained. Raises AssertionError."""
    beside = node.start("python", attack.meanwhile, time_limit=20) if attack.meanwhile else None
    try:
        _check(node, attack.verdicts, _run(attack, node))
    finally:
        if beside is not None:
            node.cancel(beside)
            assert node.result(beside)["verdict"] == "cancelled"
    if attack.then:
        _check(node, ("ran",), node.run("python", attack.then))
    assert node.bait.visitors() == []
    assert node.runs_alive() == []


def _run(attack: Attack, node: Node) -> dict[str, Any]:
    return node.run(
        attack.language,
        attack.source,
        input=attack.input,
        expected_output=attack.expected_output,
        checker=attack.checker,
        files=attack.files or None,
        tests=attack.tests,
        time_limit=attack.time_limit,
        memory_limit=attack.memory_limit,
    )


def _check(node: Node, verdicts: tuple[str, ...], result: dict[str, Any]) -> None:
    """An attack is contained where it ended as it should and neither it nor the test saw a wall give way."""
    said = result["stdout"] + result["stderr"]
    assert ESCAPED not in said, said
    assert node.secrets_in(said) == [], said
    assert node.victim not in said, said
    assert result["verdict"] in verdicts, f"{result['verdict']} after {result['cost']} s: {said[:2000]}"
    if result["verdict"] == "ran":
        assert HELD in said, "it ended before it tried everything"
