"""Landlock: a process gives up files by itself, without root (Linux 5.13 and newer).

Numbers and structures are from ``linux/landlock.h``; versions add rights that older kernels refuse.
"""

from __future__ import annotations

import ctypes
import os
import struct

from . import syscalls

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION_FLAG = 1
_RULE_PATH_BENEATH = 1

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_TRUNCATE, _IOCTL_DEV, _REFER = 1 << 14, 1 << 15, 1 << 13
_ALL_OF_VERSION_1 = (1 << 13) - 1
_SCOPE_ABSTRACT_SOCKETS, _SCOPE_SIGNALS = 1 << 0, 1 << 1
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_FILE_RIGHTS = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV


def version() -> int:
    """The kernel's Landlock version, 0 where there is none."""
    try:
        return syscalls.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint(_VERSION_FLAG))
    except OSError:
        return 0


def restrict(readable: list[str], writable: list[str]) -> None:
    """Leave this process these trees only. Paths that do not exist are skipped. Raises OSError."""
    have = version()
    handled = _ALL_OF_VERSION_1
    for needed, right in ((2, _REFER), (3, _TRUNCATE), (5, _IOCTL_DEV)):
        if have >= needed:
            handled |= right
    scoped = _SCOPE_ABSTRACT_SOCKETS | _SCOPE_SIGNALS if have >= 6 else 0
    attributes = struct.pack("=QQQ", handled, 0, scoped)
    size = 24 if have >= 6 else 16 if have >= 4 else 8
    ruleset = syscalls.syscall(_CREATE_RULESET, attributes[:size], ctypes.c_size_t(size), ctypes.c_uint(0))
    try:
        for path in readable:
            _add(ruleset, path, _READ & handled)
        for path in writable:
            _add(ruleset, path, handled)
        syscalls.syscall(_RESTRICT_SELF, ruleset, ctypes.c_uint(0))
    finally:
        os.close(ruleset)


def _add(ruleset: int, path: str, rights: int) -> None:
    try:
        target = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not os.path.isdir(path):
            rights &= _FILE_RIGHTS
        rule = struct.pack("=Qi", rights, target)
        syscalls.syscall(_ADD_RULE, ruleset, _RULE_PATH_BENEATH, rule, ctypes.c_uint(0))
    finally:
        os.close(target)
