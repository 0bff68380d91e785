"""What stands between a run and the rest, by tier, as the slot and the run's process put it up."""

from __future__ import annotations

import ctypes
import os
import signal
import stat
import sys
import time
from collections.abc import Iterable
from typing import Any, Protocol

from . import kernel_tables, landlock, seccomp, syscalls

RUN_DIRECTORY = "/tmp/run"
"""Where programs run in the ``namespaces`` tier, the same for every slot."""
SHARED_MEMORY_DIRECTORY = "/tmp/.shm"
"""What /dev/shm leads to there, so that one mount holds all that a run can write."""
MAX_INODES = 65_536
"""Files that a run may have at once."""


class SetupFailed(Exception):
    """Raised where a wall cannot be put up; names the step. The program has not run."""

    def __init__(self, step: str, error: OSError) -> None:
        super().__init__(f"{step}: {error}")
        self.step, self.error = step, error

    def as_message(self) -> dict[str, Any]:
        """For the wire."""
        return {"step": self.step, "errno": self.error.errno, "text": str(self.error)}


class Walls(Protocol):
    """The tier's part of a slot (first four) and of a run's process (the rest)."""

    def enter(self) -> None:
        """Once, before the first run. Raises SetupFailed."""

    def before_run(self) -> None:
        """Lay the working area. Raises SetupFailed."""

    def hurry(self, nice: int) -> None:
        """Have what is about to be killed come soon to its end: a hundred processes need time for that."""

    def kill_all(self, main: int) -> int:
        """Kill and wait for every process of the run; returns the main one's wait status."""

    def after_run(self) -> bool:
        """Remove the working area; False where something of the run is left, so that the slot has to end."""

    def processes(self) -> Iterable[int]:
        """The run's live processes."""

    def open_artifact(self, name: str) -> int | None:
        """A descriptor of a regular file that the run left in its working directory."""

    @property
    def environment(self) -> dict[str, str]:
        """What this tier adds to a program's environment."""

    def drop_rights(self) -> None: ...
    def make_working_directory(self) -> None: ...
    def restrict_files(self) -> None: ...


def walls_for(config: dict[str, Any], slot: int) -> Walls:
    """The walls of this tier."""
    kind = NamespaceWalls if config["tier"] == "namespaces" else PlainWalls
    return kind(config, slot)


class _CommonWalls:
    """What the tiers share."""

    def __init__(self, config: dict[str, Any], slot: int) -> None:
        self._config = config
        # 0 where we are not root: then every run has our own uid.
        self._uid = config["uid_base"] + slot if config["uid_base"] else config["uid"]

    def bind_for_good(self) -> None:
        """Put up, as the slot's last step, what it and all its runs can live with. Raises OSError."""
        syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
        if self._uid:
            os.setgroups([])
        if self._config["seccomp"]:
            own_namespaces = self._config["tier"] == "namespaces"
            seccomp.install(seccomp.compile_filter(own_namespaces=own_namespaces, own_user=bool(self._uid)))

    @property
    def environment(self) -> dict[str, str]:
        return {}

    def hurry(self, nice: int) -> None:
        try:
            if self._uid:
                os.setpriority(os.PRIO_USER, self._uid, nice)
        except OSError:  # none is left, or we may not
            pass

    def drop_rights(self) -> None:
        """Become the slot's own user, for good: leaving uid 0 takes all capabilities along."""
        if self._uid:
            os.setresgid(self._uid, self._uid, self._uid)
            os.setresuid(self._uid, self._uid, self._uid)
        else:
            syscalls.drop_capabilities()
        # A change of uid clears it, and without it a program may not open its own /dev/stdin.
        syscalls.prctl(syscalls.PR_SET_DUMPABLE, 1)
        syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)

    def restrict_files(self) -> None:
        return  # the root that a run sees has its own rights


class NamespaceWalls(_CommonWalls):
    """Pid 1 of new namespaces, inside the root that the launcher built (see ``root.py``)."""

    def enter(self) -> None:
        for step, action in (
            ("unshare", self._unshare),
            (
                "mount /proc",
                lambda: syscalls.mount("proc", "/proc", "proc", _NO_PRIVILEGES, "hidepid=invisible"),
            ),
            ("watch what may linger", self._watch),
            ("host name", lambda: _set_host_name("judge")),
            ("hide the sandbox's own code", lambda: syscalls.umount("/.judge/code_judge_workers")),
            ("bound capabilities", syscalls.bound_capabilities),
            ("be unreadable", lambda: syscalls.prctl(syscalls.PR_SET_DUMPABLE, 0)),
            ("leave the working directory", lambda: os.chdir("/")),
            ("bind for good", self.bind_for_good),
        ):
            try:
                action()
            except OSError as error:
                raise SetupFailed(step, error) from error

    @staticmethod
    def _unshare() -> None:
        syscalls.unshare(
            syscalls.CLONE_NEWNS | syscalls.CLONE_NEWIPC | syscalls.CLONE_NEWUTS | syscalls.CLONE_NEWNET
        )

    def _watch(self) -> None:
        """Open, once, the kernel's lists of what a run can leave in the slot's namespaces."""
        self._sockets = _Listing("/proc/net/unix")
        self._ipc = [_Listing(f"/proc/sysvipc/{kind}") for kind in ("shm", "sem", "msg")]

    def _renew_ipc(self) -> None:
        """Leave the last run's SysV objects behind with their namespace. Only where there are any: a new
        namespace in every run would cost a third of a fork."""
        if any(listing.has_entries() for listing in self._ipc):
            syscalls.unshare(syscalls.CLONE_NEWIPC)
            for listing in self._ipc:
                listing.close()
            self._watch()

    def before_run(self) -> None:
        options = f"size={self._config['work_area_bytes']},nr_inodes={MAX_INODES},mode=1777"
        try:
            syscalls.mount("tmpfs", "/tmp", "tmpfs", syscalls.MS_NOSUID | syscalls.MS_NODEV, options)
            for stash, target in self._config["rebind"]:
                os.makedirs(target)
                syscalls.mount(stash, target, "", syscalls.MS_BIND | syscalls.MS_REC)
        except OSError as error:
            raise SetupFailed("mount the working area", error) from error

    def kill_all(self, main: int) -> int:
        """As pid 1, -1 is everything in the namespace but ourselves: nothing can hide or get away."""
        status: int = signal.SIGKILL
        while True:
            try:
                os.kill(-1, signal.SIGKILL)
            except ProcessLookupError:
                pass
            try:
                process, ended = os.waitpid(-1, 0)
            except ChildProcessError:
                return status
            if process == main:
                status = ended

    def after_run(self) -> bool:
        try:
            syscalls.umount("/tmp")
            self._renew_ipc()
        except OSError as error:
            return _not_clean(str(error))
        return self._no_sockets() or _not_clean("unix sockets of the last run are still there")

    def _no_sockets(self) -> bool:
        """See to it that no unix socket outlives its processes: one that is in flight within itself waits for
        the kernel's collector, and the next run could connect to it."""
        for _ in range(_SOCKET_ROUNDS):
            if not self._sockets.has_entries():
                return True
            time.sleep(_REAP_PAUSE_S)
        return False

    def processes(self) -> Iterable[int]:
        return [int(name) for name in os.listdir("/proc") if name.isdigit() and name != "1"]

    def open_artifact(self, name: str) -> int | None:
        return _open_regular(RUN_DIRECTORY, name)

    def make_working_directory(self) -> None:
        os.umask(0o022)
        os.mkdir(SHARED_MEMORY_DIRECTORY, 0o1777)
        os.mkdir(RUN_DIRECTORY, 0o755)
        os.chdir(RUN_DIRECTORY)


class PlainWalls(_CommonWalls):
    """No namespaces: a folder and, for root, a uid per slot; the slot adopts and kills all orphans."""

    def __init__(self, config: dict[str, Any], slot: int) -> None:
        super().__init__(config, slot)
        self._folder = os.path.join(config["work_folder"], f"slot-{slot}")
        # The program's own, all of it, since it may remove its working directory.
        self._area = os.path.join(self._folder, "area")
        self._run_folder = os.path.join(self._area, "run")
        self._temporary_folder = os.path.join(self._area, "tmp")

    @property
    def environment(self) -> dict[str, str]:
        return {"TMPDIR": self._temporary_folder}

    def enter(self) -> None:
        try:
            syscalls.prctl(syscalls.PR_SET_CHILD_SUBREAPER, 1)
            syscalls.prctl(syscalls.PR_SET_DUMPABLE, 0)
            os.makedirs(self._folder, mode=0o711, exist_ok=True)
            os.chdir("/")
            self.bind_for_good()
        except OSError as error:
            raise SetupFailed("enter the slot", error) from error

    def before_run(self) -> None:
        try:
            for folder in (self._area, self._run_folder, self._temporary_folder):
                os.mkdir(folder, 0o700)
                if self._uid:
                    os.chown(folder, self._uid, self._uid)
        except OSError as error:
            raise SetupFailed("lay the working area", error) from error

    def kill_all(self, main: int) -> int:
        """Kill until none is left, and wait for each."""
        status: int = signal.SIGKILL
        while True:
            self._kill_once()
            try:
                process, ended = os.waitpid(-1, os.WNOHANG)
                while process:
                    if process == main:
                        status = ended
                    process, ended = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return status
            time.sleep(_REAP_PAUSE_S)

    def _kill_once(self) -> None:
        if self._config["uid_base"]:
            kill_user(self._uid)
            return
        for process in self.processes():
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def processes(self) -> list[int]:
        """All our descendants: as subreaper, every orphan is a child of ours."""
        table = _parents()
        found: list[int] = []
        generation = {os.getpid()}
        while generation:
            generation = {process for process, parent in table.items() if parent in generation}
            found.extend(generation)
        return found

    def after_run(self) -> bool:
        if self._config["uid_base"]:
            _remove_owned(self._uid)
        return _remove_tree(self._area) or _not_clean(f"cannot remove {self._area}")

    def open_artifact(self, name: str) -> int | None:
        return _open_regular(self._run_folder, name)

    def make_working_directory(self) -> None:
        os.umask(0o022)
        os.chdir(self._run_folder)

    def restrict_files(self) -> None:
        if self._config["landlock"]:
            landlock.restrict(self._config["readable"], [self._area, "/dev/shm", *_DEVICES])


_PARENT = 1
"""Field 4 of proc(5), counted from the one after the name."""
_SOCKET_ROUNDS = 100
_ORPHAN_ROUNDS = 100
_REAP_PAUSE_S = 0.001
"""Between two rounds of killing: what was killed needs a moment to end."""
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/tty")
_NO_PRIVILEGES = syscalls.MS_NOSUID | syscalls.MS_NODEV | syscalls.MS_NOEXEC


def _set_host_name(name: str) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.sethostname(name.encode(), len(name)):
        raise OSError(ctypes.get_errno(), "sethostname")


def _open_regular(folder: str, name: str) -> int | None:
    """Open without following a link anywhere: a hostile run may have left anything here."""
    try:
        directory = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=directory)
    except OSError:
        return None
    finally:
        os.close(directory)
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        return None
    return file


def _not_clean(reason: str) -> bool:
    """Say why a slot has to end; the manager makes a new one."""
    print(f"this slot ends, since it is not clean: {reason}", file=sys.stderr, flush=True)
    return False


class _Listing:
    """A list that the kernel keeps, under one line of headings."""

    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)

    def has_entries(self) -> bool:
        return kernel_tables.count_lines(self._file) > 1

    def close(self) -> None:
        os.close(self._file)


def end_orphans(config: dict[str, Any], slot: int, ours: set[int]) -> None:
    """Kill what a slot that ended left behind: in a template, whose children all orphans become.

    ``ours`` are the template's other slots. Without a user per slot, what forks faster than we look can get
    away with this for a while; it is killed with the template at the latest.
    """
    if config["tier"] == "namespaces":
        return  # went with their pid 1
    if config["uid_base"]:
        kill_user(config["uid_base"] + slot)
        return
    for _ in range(_ORPHAN_ROUNDS):
        strangers = [pid for pid, parent in _parents().items() if parent == os.getpid() and pid not in ours]
        for process in strangers:
            os.kill(process, signal.SIGKILL)
        while strangers and os.waitpid(-1, os.WNOHANG)[0] in strangers:
            pass
        if not strangers:
            return


def kill_user(uid: int) -> None:
    """Kill all processes of this user at once: what keeps forking could outrun a list of processes."""
    helper = os.fork()
    if helper == 0:
        try:
            os.setresuid(uid, uid, uid)
            os.kill(-1, signal.SIGKILL)
        finally:
            os._exit(0)
    os.waitpid(helper, 0)


def _parents() -> dict[int, int]:
    """Parent of every process that this one can see."""
    table = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                table[int(name)] = int(kernel_tables.stat_fields(int(name))[_PARENT])
            except OSError:
                pass
    return table


def _remove_tree(folder: str) -> bool:
    """Remove a tree however deep it is, and though its owner may have taken its own rights away."""
    for command in (["rm", "-rf", folder], ["chmod", "-R", "u+rwX", folder], ["rm", "-rf", folder]):
        if not os.path.lexists(folder):
            break
        process = os.posix_spawnp(command[0], command, {"PATH": "/usr/bin:/bin"}, file_actions=_QUIET)
        os.waitpid(process, 0)
    return not os.path.lexists(folder)


_QUIET = [(os.POSIX_SPAWN_OPEN, 2, "/dev/null", os.O_WRONLY, 0)]


def _remove_owned(uid: int) -> None:
    """Remove what this uid left in the folders that everybody may write to."""
    for folder in ("/tmp", "/var/tmp", "/dev/shm"):
        try:
            entries = list(os.scandir(folder))
        except OSError:
            continue
        for entry in entries:
            try:
                if entry.stat(follow_symlinks=False).st_uid == uid:
                    _remove_tree(entry.path)
            except FileNotFoundError:  # another slot's, removed meanwhile
                continue
