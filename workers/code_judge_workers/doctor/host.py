"""Facts of this machine that tell why it refuses a wall."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Self

_SYS_ADMIN = 21
"""CAP_SYS_ADMIN's bit, of ``linux/capability.h``."""
APPARMOR = "sys/kernel/apparmor_restrict_unprivileged_userns"


@dataclass(frozen=True, slots=True)
class Host:
    """What this process may do here, and what the kernel is told to refuse."""

    is_root: bool
    has_admin_rights: bool
    """CAP_SYS_ADMIN: root in a plain container lacks it."""
    is_filtered: bool
    """A seccomp filter is on this process already, as containers put one."""
    user_namespaces: bool
    """Whether ``user.max_user_namespaces`` leaves any."""
    clone_switch: bool
    """Debian's ``kernel.unprivileged_userns_clone``; on where there is no such switch."""
    apparmor_refuses: bool
    """Ubuntu's ``kernel.apparmor_restrict_unprivileged_userns``."""

    @classmethod
    def look(cls, proc: Path = Path("/proc")) -> Self:
        """Ask the kernel."""
        status = dict(line.split(":\t", 1) for line in (proc / "self/status").read_text().splitlines())
        return cls(
            is_root=os.geteuid() == 0,
            has_admin_rights=bool(int(status["CapEff"], 16) >> _SYS_ADMIN & 1),
            is_filtered=status.get("Seccomp", "0").strip() == "2",
            user_namespaces=_switch(proc / "sys/user/max_user_namespaces", default=1) > 0,
            clone_switch=_switch(proc / "sys/kernel/unprivileged_userns_clone", default=1) > 0,
            apparmor_refuses=_switch(proc / APPARMOR, default=0) > 0,
        )


def _switch(file: Path, default: int) -> int:
    try:
        return int(file.read_text())
    except (OSError, ValueError):
        return default
