"""Becomes another user and goes on as another program: ``python -m ... UID PATH:PATH COMMAND...``.

Interpreters often live in root's home, closed to everybody else. So in a mount namespace of its own this
opens the way to the given folders, and to nothing beside them.
"""

import os
import stat
import sys

from code_judge_workers.sandbox import syscalls


def main() -> None:
    uid, folders, *command = sys.argv[1:]
    open_way([os.path.realpath(folder) for folder in folders.split(":")])
    if int(uid) != os.geteuid():
        os.setgroups([])
        os.setresgid(*3 * [int(uid)])
        os.setresuid(*3 * [int(uid)])
    os.execv(command[0], command)


def open_way(folders: list[str]) -> None:
    """Cover each closed folder on the way to one of these by an open one that has nothing else in it."""
    syscalls.unshare(syscalls.CLONE_NEWNS)
    syscalls.mount("", "/", "", syscalls.MS_REC | syscalls.MS_PRIVATE)
    closed = {folder: way for folder in folders if (way := _first_closed(folder))}
    handles = {folder: os.open(folder, os.O_PATH) for folder in closed}
    for way in set(closed.values()):
        syscalls.mount("tmpfs", way, "tmpfs", 0, "mode=755")
    for folder in sorted(closed):
        os.makedirs(folder, exist_ok=True)
        syscalls.mount(f"/proc/self/fd/{handles[folder]}", folder, "", syscalls.MS_BIND | syscalls.MS_REC)
        os.close(handles[folder])


def _first_closed(folder: str) -> str:
    """The topmost folder on the way that others may not pass, or ''."""
    way = ""
    for name in folder.strip("/").split("/"):
        way += f"/{name}"
        if not os.stat(way).st_mode & stat.S_IXOTH:
            return way
    return ""


if __name__ == "__main__":
    main()
