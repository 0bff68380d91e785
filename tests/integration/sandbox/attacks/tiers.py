"""The tiers as the suite starts them, and what ``docs/security.md`` promises for each."""

import os
from dataclasses import dataclass
from functools import cache

from code_judge_workers.sandbox import landlock
from tests.support.pages import page, table

NOBODY = 65534


@dataclass(frozen=True, slots=True)
class Tier:
    """A tier of the sandbox and the user that it is started as."""

    column: str
    """Its column in the table of promises."""
    sandbox: str
    """The value of SANDBOX."""
    as_root: bool
    markers: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Its column as one word."""
        return self.column.replace(", ", "-").replace(" ", "-")

    @property
    def can_be_started(self) -> bool:
        """Whether whoever runs the tests may become its user."""
        return os.geteuid() == 0 or not self.as_root

    @property
    def uid(self) -> int:
        """Whom its node runs as."""
        own = os.geteuid()
        return NOBODY if own == 0 and not self.as_root else own

    @property
    def runs_as_others(self) -> bool:
        """Whether programs see the machine's own files as users other than this one."""
        return not (self.as_root and self.sandbox == "namespaces")

    @property
    def is_throwaway_uid(self) -> bool:
        """Whether nobody but the node suffers from what is done to all processes of that user."""
        return os.geteuid() == 0


TIERS = (
    Tier("namespaces, as root", "namespaces", as_root=True, markers=("needs_root", "needs_namespaces")),
    Tier("namespaces, as a user", "namespaces", as_root=False, markers=("needs_namespaces",)),
    Tier("uids", "uids", as_root=True, markers=("needs_root",)),
    Tier("bare", "bare", as_root=False),
)


HEADING = "What each tier promises"
YES, NO = "yes", "no"
CONDITIONS = ("with a cgroup", "with Landlock", "with Landlock 6")


@cache
def promises() -> dict[str, dict[str, str]]:
    """The table of promises: row → tier's column → YES, NO or one of CONDITIONS."""
    columns = [tier.column for tier in TIERS]
    rows = table(page("docs/security.md"), HEADING)
    return {name: dict(zip(columns, cells[1:], strict=True)) for name, cells in rows.items()}


def holds(promise: str, tier: Tier, has_cgroup: bool) -> bool:
    """Whether this machine's ``tier`` must contain what is put to the test under ``promise``."""
    cgroup, landlock_1, landlock_6 = CONDITIONS
    return {
        YES: True,
        NO: False,
        cgroup: has_cgroup,
        landlock_1: landlock.version() >= 1,
        landlock_6: landlock.version() >= 6,
    }[promises()[promise][tier.column]]
