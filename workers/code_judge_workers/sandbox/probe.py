"""Finds out which walls this machine allows, in a process of its own, by putting them up.

``python -m code_judge_workers.sandbox.probe`` reads the root's configuration as JSON from stdin and
prints a :class:`Probed` as JSON.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from . import landlock, root, seccomp, syscalls


def _in_child(action: Any) -> str:
    """Run ``action`` in a fork; returns '' where it worked, else what was wrong."""
    reader, writer = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(reader)
        try:
            action()
        except Exception as error:  # noqa: BLE001 - the reason is what we are here for
            os.write(writer, f"{type(error).__name__}: {error}".encode()[:1000] or b"failed")
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as file:
        problem = file.read()
    os.waitpid(process, 0)
    return problem


def _stand_in_namespaces(config: dict[str, Any]) -> None:
    """All that a slot does, down to a /proc of its own."""
    root.build(config)
    syscalls.unshare(syscalls.CLONE_NEWPID)
    problem = _in_child(_mount_proc)
    if problem:
        raise OSError(0, problem)


def _mount_proc() -> None:
    syscalls.unshare(
        syscalls.CLONE_NEWNS | syscalls.CLONE_NEWIPC | syscalls.CLONE_NEWUTS | syscalls.CLONE_NEWNET
    )
    syscalls.mount("proc", "/proc", "proc", syscalls.MS_NOSUID, "hidepid=invisible")
    syscalls.mount("tmpfs", "/tmp", "tmpfs", syscalls.MS_NOSUID, "size=1m")


def _filter() -> None:
    syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
    seccomp.install(seccomp.compile_filter(own_namespaces=False, own_user=False))


def _read_as_nobody(library: str) -> None:
    """An interpreter below somebody's closed home cannot be started by another user."""
    os.setresuid(65534, 65534, 65534)
    os.listdir(library)


def main() -> None:
    """Probe and print."""
    config = json.load(sys.stdin)
    is_root = os.geteuid() == 0
    answers = {
        "namespaces": _in_child(lambda: _stand_in_namespaces({**config, "user_namespace": not is_root})),
        "uids": _in_child(lambda: _read_as_nobody(config["library"])) if is_root else "needs root",
        "seccomp": _in_child(_filter) if seccomp.supported() else "no table for this machine",
        "landlock": "" if landlock.version() else "the kernel has no Landlock, or it is not switched on",
    }
    print(json.dumps(answers))


if __name__ == "__main__":
    main()
