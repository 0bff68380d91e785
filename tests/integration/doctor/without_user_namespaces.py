"""Runs a command where no user namespace can be made: ``python -m ... COMMAND...``, as root.

The sysctl that forbids them belongs to a user namespace, so this makes one, in which all users are the same
as outside, and forbids any further ones there.
"""

import os
import sys
from pathlib import Path

from code_judge_workers.sandbox import syscalls

WHOLE_MAP = "0 0 65536"


def main() -> int:
    asked, ask = os.pipe()
    answered, answer = os.pipe()
    child = os.fork()
    if child == 0:
        syscalls.unshare(syscalls.CLONE_NEWUSER)
        os.write(ask, b"!")
        os.read(answered, 1)
        Path("/proc/sys/user/max_user_namespaces").write_text("0")
        os.execv(sys.argv[1], sys.argv[1:])
    os.read(asked, 1)
    for kind in ("uid_map", "gid_map"):  # which only somebody outside may write
        Path(f"/proc/{child}/{kind}").write_text(WHOLE_MAP)
    os.write(answer, b"!")
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    sys.exit(main())
