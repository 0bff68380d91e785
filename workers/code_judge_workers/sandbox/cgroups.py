"""One cgroup per slot for memory and processes, v2 or v1, made and removed by the launcher.

The slot gets descriptors of the few files that it needs; it never sees the hierarchy.
"""

from __future__ import annotations

import os
import re
import time
from typing import NamedTuple

_NODE_GROUP = re.compile(r"code-judge-(\d+)-[0-9a-f]+\Z")
"""The name of a node's group, and in it the process id of its manager."""

_LEAF = "node"
"""Where the node's own processes go within a cgroup v2 that was handed to us: see :func:`make_room`."""

_SLOT_PROCESSES = 8
"""The slot itself and its helpers, on top of what a run may have."""

_V1_MOUNT = "/sys/fs/cgroup"
_V2_MOUNTS = ("/sys/fs/cgroup", "/sys/fs/cgroup/unified")

# name for the slot: file, open for writing
_V2_FILES = {
    "procs": ("cgroup.procs", True),
    "limit": ("memory.max", True),
    "usage": ("memory.current", False),
    "events": ("memory.events", False),
}
_V1_FILES = {
    "procs": ("memory/{}/cgroup.procs", True),
    "limit": ("memory/{}/memory.limit_in_bytes", True),
    "usage": ("memory/{}/memory.usage_in_bytes", False),
    "peak": ("memory/{}/memory.max_usage_in_bytes", True),
    "events": ("memory/{}/memory.oom_control", False),
}


class SlotFiles(NamedTuple):
    """What a slot's meter needs: see :class:`~code_judge_workers.sandbox.meter.Meter`."""

    layout: dict[str, object]
    descriptors: list[int]


class Cgroups:
    """The node's cgroups. Use :func:`open_cgroups`."""

    def __init__(self, version: int, parents: list[str], max_processes: int) -> None:
        self._version = version
        self._parents = parents
        self._max_processes = max_processes + _SLOT_PROCESSES

    def create(self, slot: int) -> SlotFiles:
        """A fresh cgroup for this slot. Raises OSError."""
        folders = [os.path.join(parent, f"slot-{slot}") for parent in self._parents]
        for folder in folders:
            if os.path.isdir(folder):
                os.rmdir(folder)
            os.mkdir(folder)
        for folder in folders:
            _write_if_there(folder, "pids.max", str(self._max_processes))
            _write_if_there(folder, "memory.swap.max", "0")
        table = _V2_FILES if self._version == 2 else _V1_FILES
        paths = {name: os.path.join(folders[0], file.rpartition("/")[2]) for name, (file, _) in table.items()}
        writable = {name for name, (_, write) in table.items() if write}
        if self._version == 2 and _can_reset_peak(folders[0]):
            paths["peak"] = os.path.join(folders[0], "memory.peak")
            writable.add("peak")
        for number, folder in enumerate(folders[1:]):
            paths[f"{number}.procs"] = os.path.join(folder, "cgroup.procs")
        counts = [os.path.join(folder, name) for folder in folders for name in ("cpuacct.usage", "cpu.stat")]
        cpu = next(filter(os.path.exists, counts), None)
        if cpu is not None:
            paths["cpu"] = cpu
        descriptors = [
            os.open(path, (os.O_RDWR if name in writable else os.O_RDONLY) | os.O_CLOEXEC)
            if not name.endswith("procs")
            else os.open(path, os.O_WRONLY | os.O_CLOEXEC)
            for name, path in paths.items()
        ]
        return SlotFiles({"files": list(paths)}, descriptors)

    def remove(self, slot: int) -> bool:
        """Remove a slot's cgroup; False while something still lives in it."""
        gone = True
        for parent in self._parents:
            gone = _remove(os.path.join(parent, f"slot-{slot}")) and gone
        return gone

    def close(self, patience_s: float = 5.0) -> None:
        """Remove everything of this node, waiting a little for processes that are ending."""
        deadline = time.monotonic() + patience_s
        for parent in self._parents:
            while os.path.isdir(parent):
                for name in os.listdir(parent):
                    if name.startswith("slot-"):
                        _remove(os.path.join(parent, name))
                if _remove(parent) or time.monotonic() > deadline:
                    break
                time.sleep(0.02)


def open_cgroups(name: str, max_processes: int) -> tuple[Cgroups | None, str]:
    """Make the node's own cgroup. Returns it and how, or None and why not."""
    problems = []
    for version, parents in ((2, _v2_parent(name)), (1, _v1_parents(name))):
        if not parents:
            problems.append(f"v{version}: no memory controller for us")
            continue
        made: list[str] = []
        try:
            if version == 2:
                make_room(os.path.dirname(parents[0]))
            for parent in parents:
                os.makedirs(parent, exist_ok=True)
                made.append(parent)
                if version == 2:
                    with open(os.path.join(parent, "cgroup.subtree_control"), "w") as file:
                        file.write("+memory +pids")
            cgroups = Cgroups(version, parents, max_processes)
            files = cgroups.create(0)
            for descriptor in files.descriptors:
                os.close(descriptor)
            cgroups.remove(0)
            _remove_stale(parents)
            return cgroups, f"cgroup v{version}"
        except OSError as error:
            problems.append(f"v{version}: {error}")
            for parent in made:
                _remove(os.path.join(parent, "slot-0"))
                _remove(parent)
    return None, "; ".join(problems)


def make_room(group: str, controllers: str = "+memory +pids") -> None:
    """Let the children of a cgroup v2 have controllers. Raises OSError.

    The kernel gives them only below a group that holds no process itself. A service manager or a container
    starts the node in the very group that it hands over, so all that is in there moves into a leaf first.
    """
    if _handed_over(group):
        leaf = os.path.join(group, _LEAF)
        os.makedirs(leaf, exist_ok=True)
        while processes := _processes(group):
            for process in processes:
                try:
                    with open(os.path.join(leaf, "cgroup.procs"), "w") as file:
                        file.write(process)
                except ProcessLookupError:
                    pass  # it has ended meanwhile
    with open(os.path.join(group, "cgroup.subtree_control"), "w") as file:
        file.write(controllers)


def _processes(group: str) -> list[str]:
    with open(os.path.join(group, "cgroup.procs")) as file:
        return [process for process in file.read().split() if process != "0"]  # 0: of outside a container


def _handed_over(group: str) -> bool:
    """Whether it is ours to arrange: systemd marks what it delegates, and a container's topmost is all its
    own (the machine's topmost has no type)."""
    for mark in ("trusted.delegate", "user.delegate"):
        try:
            if os.getxattr(group, mark) == b"1":
                return True
        except OSError:
            continue
    return os.path.ismount(group) and os.path.exists(os.path.join(group, "cgroup.type"))


def remove_node_cgroups(name: str) -> None:
    """Remove what a launcher that was killed outright left of this node's cgroups."""
    for parent in (*_v2_parent(name), *_v1_parents(name)):
        Cgroups(1, [parent], 0).close()


def own_limit(controller: str, v2_file: str, v1_file: str = "") -> int | None:
    """The lowest limit that this process's cgroup and those above it set; None where none does.

    In a container the topmost one that can be seen is the container's.
    """
    groups = _own_groups()
    places = [(f"{_V1_MOUNT}/{controller}", groups.get(controller), v1_file or v2_file)]
    places += [(mount, groups.get(""), v2_file) for mount in _V2_MOUNTS]
    limits = []
    for mount, group, file in places:
        parts = (group or "").strip("/").split("/")
        for length in range(len(parts) + 1):
            try:
                with open(os.path.join(mount, *parts[:length], file)) as limit:
                    text = limit.read().strip()
            except OSError:
                continue
            # v1 writes "no limit" as the largest number of pages that there can be.
            if text.isdigit() and int(text) < 1 << 62:
                limits.append(int(text))
    return min(limits, default=None)


def _v2_parent(name: str) -> list[str]:
    own = _own_groups().get("")
    for mount in _V2_MOUNTS:
        try:
            with open(f"{mount}/cgroup.controllers") as file:
                if own is not None and "memory" in file.read().split():
                    # A node whose launcher was started anew is in its leaf already.
                    return [os.path.join(mount + own.removesuffix(f"/{_LEAF}"), name)]
        except OSError:
            continue
    return []


def _v1_parents(name: str) -> list[str]:
    groups = _own_groups()
    return [
        os.path.join(f"{_V1_MOUNT}/{controller}{groups[controller].rstrip('/')}", name)
        for controller in ("memory", "pids", "cpuacct")
        if controller in groups and os.path.isdir(f"{_V1_MOUNT}/{controller}{groups[controller]}")
    ]


def _own_groups() -> dict[str, str]:
    """This process's cgroup per controller; '' is the v2 hierarchy."""
    groups = {}
    with open("/proc/self/cgroup") as file:
        for line in file:
            _, controllers, path = line.rstrip("\n").split(":", 2)
            for controller in controllers.split(","):
                groups[controller] = path
    return groups


def _can_reset_peak(folder: str) -> bool:
    """Whether this kernel (6.12 and newer) lets one reset a v2 group's peak."""
    try:
        with open(os.path.join(folder, "memory.peak"), "w") as file:
            file.write("0")
        return True
    except OSError:
        return False


def _write_if_there(folder: str, name: str, text: str) -> None:
    path = os.path.join(folder, name)
    if os.path.exists(path):
        with open(path, "w") as file:
            file.write(text)


def _remove(folder: str) -> bool:
    try:
        os.rmdir(folder)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _remove_stale(parents: list[str]) -> None:
    """Remove what a node that was killed outright left: named after a process that is no more."""
    for parent in parents:
        folder, own = os.path.split(parent)
        for name in os.listdir(folder):
            match = _NODE_GROUP.match(name)
            if match and name != own and not os.path.exists(f"/proc/{match[1]}"):
                for child in os.scandir(os.path.join(folder, name)):
                    if child.is_dir():
                        _remove(child.path)
                _remove(os.path.join(folder, name))
