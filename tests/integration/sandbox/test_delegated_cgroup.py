"""In a cgroup v2 that a service manager hands over, a node can give each slot one of its own.

By the kernel itself, with whatever controller the unified hierarchy has here: the rule is the same for all.
"""

import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from code_judge_workers.sandbox.cgroups import make_room

pytestmark = pytest.mark.needs_root

MOUNTS = [Path("/sys/fs/cgroup"), Path("/sys/fs/cgroup/unified")]
THREADED = {"cpu", "cpuset", "perf_event", "pids"}
"""Controllers to which the rule does not apply."""


def hierarchy() -> tuple[Path, str]:
    """Where cgroup v2 is mounted, and one of its controllers."""
    for mount in MOUNTS:
        file = mount / "cgroup.controllers"
        if file.exists() and (controllers := set(file.read_text().split()) - THREADED):
            return mount, "memory" if "memory" in controllers else controllers.pop()
    pytest.skip("no cgroup v2 with a controller is mounted here")


@pytest.fixture
def group() -> Iterator[tuple[Path, str]]:
    """A group with one process in it, as a service manager leaves it, and a controller for its children."""
    mount, controller = hierarchy()
    group = mount / f"test-{secrets.token_hex(4)}"
    enabled = controller in (mount / "cgroup.subtree_control").read_text().split()
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        (mount / "cgroup.subtree_control").write_text(f"+{controller}")
        group.mkdir()
        (group / "cgroup.procs").write_text(str(process.pid))
    except OSError as error:
        process.communicate()
        pytest.skip(f"cgroups cannot be made here: {error}")
    yield group, controller
    process.communicate()
    for folder in (group / "node", group):
        if folder.exists():
            folder.rmdir()
    if not enabled:
        (mount / "cgroup.subtree_control").write_text(f"-{controller}")


def test_what_is_in_a_delegated_group_makes_room_for_controllers(group: tuple[Path, str]) -> None:
    folder, controller = group
    os.setxattr(folder, "trusted.delegate", b"1")

    make_room(str(folder), f"+{controller}")

    assert controller in (folder / "cgroup.subtree_control").read_text().split()
    assert (folder / "cgroup.procs").read_text() == ""
    assert (folder / "node" / "cgroup.procs").read_text() != ""


def test_a_group_that_is_not_ours_is_left_as_it_is(group: tuple[Path, str]) -> None:
    folder, controller = group

    with pytest.raises(OSError):
        make_room(str(folder), f"+{controller}")

    assert not (folder / "node").exists()
    assert (folder / "cgroup.procs").read_text() != ""
