"""The Linux calls that Python's ``os`` lacks (before 3.12), as functions that raise OSError."""

from __future__ import annotations

import ctypes
import os
import platform

CLONE_NEWNS = 0x00020000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_RDONLY = 1
MS_NOSUID = 2
MS_NODEV = 4
MS_NOEXEC = 8
MS_BIND = 4096
MS_REC = 16384
MS_PRIVATE = 1 << 18
MNT_DETACH = 2

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_CAPBSET_DROP = 24
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
PR_SET_SECCOMP = 22
PR_CAP_AMBIENT = 47
PR_CAP_AMBIENT_CLEAR_ALL = 4
PR_CAP_AMBIENT_RAISE = 2
SECCOMP_MODE_FILTER = 2
LAST_CAPABILITY = 63
"""Far above any real one: dropping stops at the first that the kernel does not know."""

_CAPABILITY_VERSION_3 = 0x20080522
_libc = ctypes.CDLL(None, use_errno=True)
# Held lock: a daemon thread of the program must not run Python while C's exit handlers do.
_libc_locked = ctypes.PyDLL(None)
_prctl = ctypes.CDLL(None, use_errno=True).prctl
_prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]

# System calls that glibc has no wrapper for, or none in the oldest glibc that we meet.
_NUMBERS = {
    "x86_64": {"capget": 125, "capset": 126, "pivot_root": 155, "close_range": 436},
    "aarch64": {"capget": 90, "capset": 91, "pivot_root": 41, "close_range": 436},
}
_EVERY_DESCRIPTOR = ctypes.c_uint(0xFFFFFFFF)
_here = _NUMBERS.get(platform.machine(), _NUMBERS["x86_64"])


def _check(result: int, what: str) -> int:
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)
    return result


def syscall(number: int, *arguments: object) -> int:
    """A raw system call. Raises OSError."""
    return _check(_libc.syscall(number, *arguments), f"system call {number}")


def prctl(option: int, argument: int = 0) -> None:
    """prctl(2). Raises OSError."""
    _check(_prctl(option, argument, 0, 0, 0), f"prctl {option}")


def prctl_pointer(option: int, argument: int, pointer: object) -> None:
    """prctl(2) with a pointer as third argument. Raises OSError."""
    _check(_libc.prctl(option, ctypes.c_ulong(argument), pointer, 0, 0), f"prctl {option}")


def unshare(flags: int) -> None:
    """unshare(2). Raises OSError."""
    _check(_libc.unshare(flags), "unshare")


def mount(source: str, target: str, kind: str = "", flags: int = 0, options: str = "") -> None:
    """mount(2). Raises OSError naming the target."""
    result = _libc.mount(
        source.encode(),
        target.encode(),
        kind.encode() or None,
        ctypes.c_ulong(flags),
        options.encode() or None,
    )
    _check(result, target)


def umount(target: str) -> None:
    """Detach whatever is mounted last on ``target``. Raises OSError."""
    _check(_libc.umount2(target.encode(), MNT_DETACH), target)


def pivot_root(new_root: str, old_root: str) -> None:
    """pivot_root(2). Raises OSError."""
    syscall(_here["pivot_root"], new_root.encode(), old_root.encode())


def close_from(first: int) -> None:
    """Close every descriptor from ``first`` up."""
    try:
        syscall(_here["close_range"], first, _EVERY_DESCRIPTOR, 0)
    except OSError:  # before Linux 5.9
        os.closerange(first, os.sysconf("SC_OPEN_MAX"))


def bound_capabilities() -> None:
    """Have no exec ever give a capability, in this process and its children. Raises OSError."""
    for capability in range(LAST_CAPABILITY + 1):
        try:
            prctl(PR_CAPBSET_DROP, capability)
        except OSError:
            break
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL)


def drop_capabilities() -> None:
    """Give up every capability of this process. Raises OSError."""
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    sets = (ctypes.c_uint32 * 6)()
    syscall(_here["capset"], header, sets)


def keep_capabilities_over_exec() -> None:
    """Hand this process's capabilities on to what it executes: a user that is not root loses them else.
    Raises OSError."""
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    sets = (ctypes.c_uint32 * 6)()  # effective, permitted, inheritable; then the same for 32 and up
    syscall(_here["capget"], header, sets)
    sets[2], sets[5] = sets[1], sets[4]
    syscall(_here["capset"], header, sets)
    for capability in range(LAST_CAPABILITY + 1):
        if sets[1 if capability < 32 else 4] >> capability % 32 & 1:
            _check(_prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0), "ambient capability")


def exit_process(code: int, exit_handlers: bool) -> None:
    """End, with C's streams flushed, and C's exit handlers called where wanted. Does not return."""
    if exit_handlers:
        _libc_locked.exit(code)
    _libc_locked.fflush(None)
    os._exit(code)
