"""The root that programs of the ``namespaces`` tier see: the system read-only, nobody's home, no secrets.

Built by a template's process before its exec, in a mount namespace of its own: it ends with that
process and its slots, and leaves nothing on the node.
"""

from __future__ import annotations

import os
import shutil
import struct
from typing import Any

from . import syscalls
from .walls import RUN_DIRECTORY, SHARED_MEMORY_DIRECTORY

_BUILD_AT = "/sys"
"""Covered by the new root while it is built: no program needs /sys, and nothing of use lies below it."""

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store")
_CONFIGURATION = [
    "alternatives",
    "fonts",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "localtime",
    "timezone",
    "mime.types",
    "magic",
    "nsswitch.conf",
    "host.conf",
    "protocols",
    "services",
    "ssl/openssl.cnf",
    "java-17-openjdk",
    "java-21-openjdk",
    "gai.conf",
]  # fmt: skip
"""What programs read in /etc. The rest of it stays out: operators keep secrets there."""
_DEVICES = ("null", "zero", "full", "random", "urandom")
_USERS = "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/sh\n"
_GROUPS = "root:x:0:\nnogroup:x:65534:\n"

_MOUNT_SETATTR = 442
_AT_EMPTY_PATH, _AT_RECURSIVE = 0x1000, 0x8000
_ATTR_READ_ONLY, _ATTR_NO_SETUID, _ATTR_NO_DEVICES = 0x1, 0x2, 0x4
_AT_CWD = -100


class RootStep(Exception):
    """Raised where a step of the building fails; names it."""


def build(config: dict[str, Any]) -> None:
    """Move this process into a new root. Raises RootStep."""
    step = "start"
    try:
        step = "unshare"
        _unshare(config["user_namespace"])
        step = "private mounts"
        syscalls.mount("", "/", "", syscalls.MS_REC | syscalls.MS_PRIVATE)
        step = "new root"
        syscalls.mount("tmpfs", _BUILD_AT, "tmpfs", syscalls.MS_NOSUID, "size=1m,mode=755")
        for name, action in (
            ("system folders", _bind_system),
            ("interpreter", lambda: _bind_all(config["bind"])),
            ("/etc", _make_etc),
            ("/dev", _make_devices),
            ("/proc", _bind_proc),
            ("working area", lambda: _make_working_area(config["rebind"])),
            ("enter the new root", _enter),
            (
                "keep capabilities",
                syscalls.keep_capabilities_over_exec if config["user_namespace"] else _nothing,
            ),
        ):
            step = name
            action()
    except OSError as error:
        raise RootStep(f"{step}: {error}") from error


def _unshare(user_namespace: bool) -> None:
    uid, gid = os.geteuid(), os.getegid()
    if user_namespace:
        syscalls.unshare(syscalls.CLONE_NEWUSER)
        for path, text in (
            ("/proc/self/setgroups", "deny"),
            ("/proc/self/uid_map", f"{uid} {uid} 1"),
            ("/proc/self/gid_map", f"{gid} {gid} 1"),
        ):
            with open(path, "w") as file:
                file.write(text)
    syscalls.unshare(syscalls.CLONE_NEWNS)


def _bind_system() -> None:
    for path in _SYSTEM:
        if os.path.islink(path):
            os.symlink(os.readlink(path), _BUILD_AT + path)
        elif os.path.isdir(path):
            _bind(path, path)


def _bind_all(pairs: list[list[str]]) -> None:
    for source, target in pairs:
        _bind(source, target)


def _bind(source: str, target: str) -> None:
    """Show ``source``, folder or file, read-only at ``target`` of the new root."""
    place = _BUILD_AT + target
    if os.path.isdir(source):
        os.makedirs(place, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "w"):
            pass
    syscalls.mount(source, place, "", syscalls.MS_BIND | syscalls.MS_REC)
    _set_attributes(place, _ATTR_READ_ONLY | _ATTR_NO_SETUID | _ATTR_NO_DEVICES)


def _set_attributes(path: str, attributes: int, recursive: bool = True) -> None:
    """mount_setattr(2), Linux 5.12: a remount would miss the mounts below."""
    packed = struct.pack("=QQQQ", attributes, 0, 0, 0)
    flags = _AT_RECURSIVE if recursive else 0
    syscalls.syscall(_MOUNT_SETATTR, _AT_CWD, path.encode(), flags, packed, len(packed))


def _make_etc() -> None:
    etc = f"{_BUILD_AT}/etc"
    os.makedirs(etc)
    for name in _CONFIGURATION:
        path = f"/etc/{name}"
        if os.path.exists(path):
            _bind(os.path.realpath(path), path)
    for name, text in (("passwd", _USERS), ("group", _GROUPS), ("hosts", "127.0.0.1 localhost\n")):
        with open(f"{etc}/{name}", "w") as file:
            file.write(text)


def _make_devices() -> None:
    dev = f"{_BUILD_AT}/dev"
    os.makedirs(dev)
    for name in _DEVICES:
        with open(f"{dev}/{name}", "w"):
            pass
        syscalls.mount(f"/dev/{name}", f"{dev}/{name}", "", syscalls.MS_BIND)
    for name, target in (
        ("fd", "/proc/self/fd"),
        ("stdin", "/proc/self/fd/0"),
        ("stdout", "/proc/self/fd/1"),
        ("stderr", "/proc/self/fd/2"),
        ("shm", SHARED_MEMORY_DIRECTORY),
    ):
        os.symlink(target, f"{dev}/{name}")


def _bind_proc() -> None:
    """For the template; each slot covers it with a /proc of its own namespace."""
    os.makedirs(f"{_BUILD_AT}/proc")
    syscalls.mount("/proc", f"{_BUILD_AT}/proc", "", syscalls.MS_BIND | syscalls.MS_REC)


def _make_working_area(rebind: list[list[str]]) -> None:
    """The empty folders that slots mount over, and a second place for interpreters that lie below them."""
    os.makedirs(_BUILD_AT + RUN_DIRECTORY)
    for stash, target in rebind:
        os.makedirs(_BUILD_AT + stash)
        syscalls.mount(_BUILD_AT + target, _BUILD_AT + stash, "", syscalls.MS_BIND | syscalls.MS_REC)
    for path in ("/var/tmp", "/root", "/home", "/sys"):
        os.makedirs(_BUILD_AT + path, exist_ok=True)


def _enter() -> None:
    os.chdir(_BUILD_AT)
    syscalls.pivot_root(".", ".")
    syscalls.umount(".")
    os.chdir("/")
    _set_attributes("/", _ATTR_READ_ONLY | _ATTR_NO_SETUID, recursive=False)
    os.chdir(RUN_DIRECTORY)


def _nothing() -> None:
    """Root keeps its capabilities over an exec anyway."""


def tool_folders(tools: list[str], prefixes: list[str]) -> list[str]:
    """Folders that interpreters and compilers need beside the system's, parents before children."""
    wanted = {os.path.realpath(prefix) for prefix in prefixes} | set(prefixes)
    for tool in tools:
        found = shutil.which(tool)
        if found is not None:
            bin_folder = os.path.dirname(os.path.realpath(found))
            # A tool in somebody's ~/bin must not bring the whole home along.
            lone = os.path.exists(os.path.join(os.path.dirname(bin_folder), ".profile"))
            wanted.add(bin_folder if lone else os.path.dirname(bin_folder))
    kept: list[str] = []
    for path in sorted(wanted, key=len):
        inside = [*_SYSTEM, *kept]
        if path != "/" and os.path.isdir(path) and not any(_below(path, other) for other in inside):
            kept.append(path)
    return kept


def _below(path: str, other: str) -> bool:
    return path == other or path.startswith(other.rstrip("/") + "/")
