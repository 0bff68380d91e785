"""System calls that runs may not make, as a seccomp filter put together by hand.

A deny list, since runs are whole programs of any language: refused is what reaches beyond the run's own
processes and files (other processes' memory, namespaces, mounts, keyrings, kernel interfaces that had
many holes). Most answer EPERM; those that C libraries try first and fall back from answer ENOSYS.
Numbers are from the kernel's ``unistd_64.h`` (x86-64) and ``asm-generic/unistd.h`` (aarch64).
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct

from . import syscalls

# name: (x86-64, aarch64); None where the machine has no such call.
_REFUSED: dict[str, tuple[int | None, int | None]] = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "setns": (308, 268),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "open_by_handle_at": (304, 265),
    "name_to_handle_at": (303, 264),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "reboot": (169, 142),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "syslog": (103, 116),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "vhangup": (153, 58),
    "iopl": (172, None),
    "ioperm": (173, None),
    "modify_ldt": (154, None),
    "uselib": (134, None),
    "lookup_dcookie": (212, 18),
    "nfsservctl": (180, 42),
    "fanotify_init": (300, 262),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    "memfd_secret": (447, 447),
}

# What a slot with namespaces goes on using itself; to runs the kernel refuses it for want of a capability.
_OF_SLOTS: dict[str, tuple[int | None, int | None]] = {
    "mount": (165, 40),
    "umount2": (166, 39),
}
_UNSHARE = (272, 97)

# Not there at all, as far as a program can tell.
_ABSENT: dict[str, tuple[int | None, int | None]] = {
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "mq_open": (240, 180),  # POSIX queues outlive a run, and no list shows them
    "clone3": (435, 435),  # its flags are behind a pointer, out of a filter's sight: libc falls back to clone
}

# Objects that outlive a run where it has no IPC namespace of its own.
_IPC: dict[str, tuple[int | None, int | None]] = {
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
}

# Calls by which a process changes another of the same user, and the argument that names it: 0 is itself.
_ON_OTHERS: dict[str, tuple[int, int, int]] = {
    "prlimit64": (302, 261, 0),
    "setpriority": (141, 140, 1),
    "sched_setscheduler": (144, 119, 0),
    "sched_setparam": (142, 118, 0),
    "sched_setattr": (314, 274, 0),
    "sched_setaffinity": (203, 122, 0),
    "ioprio_set": (251, 30, 1),
}

_CLONE = (56, 220)
_SOCKET = (41, 198)
_SOCKETPAIR = (53, 199)
_TIOCSTI = 0x5412
_IOCTL = (16, 29)

_NEW_NAMESPACE_FLAGS = (
    syscalls.CLONE_NEWNS
    | syscalls.CLONE_NEWUTS
    | syscalls.CLONE_NEWIPC
    | syscalls.CLONE_NEWUSER
    | syscalls.CLONE_NEWPID
    | syscalls.CLONE_NEWNET
    | 0x02000000  # CLONE_NEWCGROUP
)
_CLONE_PARENT = 0x00008000
"""Would hand the slot children that it never started."""
_AF_UNIX, _AF_INET, _AF_INET6, _AF_NETLINK = 1, 2, 10, 16
_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_X32_BIT = 0x40000000

# Classic BPF: operation codes of linux/bpf_common.h and return values of linux/seccomp.h.
_LOAD, _JUMP_EQUAL, _JUMP_GREATER_EQUAL, _JUMP_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL = 0x7FFF0000, 0x80000000
_EPERM, _ENOSYS = 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS
_AT_NUMBER, _AT_ARCHITECTURE, _AT_FIRST_ARGUMENT, _ARGUMENT_BYTES = 0, 4, 16, 8
_AT_SECOND_ARGUMENT = _AT_FIRST_ARGUMENT + _ARGUMENT_BYTES


class Filter(ctypes.Structure):
    """A filter as the kernel takes it."""

    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def supported() -> bool:
    """Whether there is a table for this machine."""
    return platform.machine() in _ARCHITECTURES


def compile_filter(*, own_namespaces: bool, own_user: bool) -> Filter:
    """The filter for this machine, for a slot and all its runs. A new one for each run would cost half a
    millisecond: the kernel tries it on every call that there is.

    Without namespaces of its own a run gets no sockets but unix ones, and no IPC objects; where its user is
    the judge's, too, it may not change other processes' limits or priorities.
    """
    column, architecture = _ARCHITECTURES[platform.machine()]
    code = [
        _op(_LOAD, _AT_ARCHITECTURE),
        _op(_JUMP_EQUAL, architecture, 1, 0),
        # Another ABI by the back door (int 0x80): its numbers mean other calls.
        _op(_RETURN, _KILL),
        _op(_LOAD, _AT_NUMBER),
    ]
    if column == 0:
        code += [_op(_JUMP_GREATER_EQUAL, _X32_BIT, 0, 1), _op(_RETURN, _ENOSYS)]
    absent = _ABSENT if own_namespaces else {**_ABSENT, **_IPC}
    refused = _REFUSED if own_namespaces else {**_REFUSED, **_OF_SLOTS}
    for table, answer in ((refused, _EPERM), (absent, _ENOSYS)):
        for numbers in table.values():
            number = numbers[column]
            if number is not None:
                code += [_op(_JUMP_EQUAL, number, 0, 1), _op(_RETURN, answer)]
    forbidden_flags = _op(_JUMP_ANY_BIT, _NEW_NAMESPACE_FLAGS | _CLONE_PARENT, 0, 1)
    code += _refuse_if(_CLONE[column], _AT_FIRST_ARGUMENT, [forbidden_flags])
    # Slots renew their IPC namespace.
    unshared = [_op(_JUMP_EQUAL, syscalls.CLONE_NEWIPC, 1, 0)] if own_namespaces else []
    code += _refuse_if(_UNSHARE[column], _AT_FIRST_ARGUMENT, unshared)
    code += _refuse_if(_IOCTL[column], _AT_SECOND_ARGUMENT, [_op(_JUMP_EQUAL, _TIOCSTI, 0, 1)])
    if not own_user:
        for x86_64, aarch64, argument in _ON_OTHERS.values():
            place = _AT_FIRST_ARGUMENT + argument * _ARGUMENT_BYTES
            code += _refuse_if((x86_64, aarch64)[column], place, [_op(_JUMP_EQUAL, 0, 1, 0)])
    families = [_AF_UNIX, _AF_INET, _AF_INET6, _AF_NETLINK] if own_namespaces else [_AF_UNIX]
    for call in (_SOCKET, _SOCKETPAIR):
        # Not separated by namespaces: vsock, which reaches a virtual machine's host.
        allowed = [_op(_JUMP_EQUAL, family, len(families) - at, 0) for at, family in enumerate(families)]
        code += _refuse_if(call[column], _AT_FIRST_ARGUMENT, allowed)
    code.append(_op(_RETURN, _ALLOW))
    return Filter(len(code), b"".join(code))


def _refuse_if(number: int, argument: int, tests: list[bytes]) -> list[bytes]:
    """EPERM for this call where the tests of an argument lead to the instruction after them."""
    return [
        _op(_JUMP_EQUAL, number, 0, len(tests) + 3),
        _op(_LOAD, argument),
        *tests,
        _op(_RETURN, _EPERM),
        _op(_LOAD, _AT_NUMBER),
    ]


def _op(code: int, value: int, jump_true: int = 0, jump_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, jump_true, jump_false, value)


def install(filtering: Filter) -> None:
    """Filter this process and all that come of it. Needs no_new_privs. Raises OSError."""
    syscalls.prctl_pointer(syscalls.PR_SET_SECCOMP, syscalls.SECCOMP_MODE_FILTER, ctypes.byref(filtering))
