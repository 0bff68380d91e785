"""How the ``code-judge`` command ends, for scripts. ``docs/exit-codes.md`` explains each."""

from enum import IntEnum


class CliExit(IntEnum):
    """Exit codes of ``code-judge``."""

    OK = 0
    """``run``: the program ran to a clean end, with the expected output if one was given. ``up``: asked to
    stop. Others: done."""
    NOT_OK = 1
    """``run``: the program failed, hit a limit, did not compile, or printed something else. ``doctor``:
    something that a node needs is missing."""
    USAGE = 2
    """The command line or a setting is wrong; the message names it."""
    NO_JUDGE = 3
    """No judge could be reached or started, or it failed itself: this says nothing of the program."""
    CHILD_ENDED = 4
    """``up``: one of its processes ended though nobody asked it to; the message names it."""
