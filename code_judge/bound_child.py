"""Commands whose process does not outlive the process that started it, not even after a SIGKILL."""

import os
import signal
import sys
from collections.abc import Sequence

# Asks the kernel for a signal at the parent's death (PR_SET_PDEATHSIG, which holds across exec), makes
# sure that the parent has not died before that, then becomes the command.
_BIND = """
import ctypes, os, sys
parent, number = int(sys.argv[1]), int(sys.argv[2])
ctypes.CDLL(None).prctl(1, number)
if os.getppid() != parent:
    sys.exit(1)
os.execvp(sys.argv[3], sys.argv[3:])
"""


def bound_to_this_process(
    command: Sequence[str], on_death: signal.Signals = signal.SIGTERM
) -> tuple[str, ...]:
    """``command``, prefixed so that it gets ``on_death`` when this process dies. Linux only.

    The kernel watches the *thread* that starts the child: start it from one that lives as long as the
    process. A ``preexec_fn`` would do the same, but is not safe in a process that has threads.
    """
    return (sys.executable, "-I", "-S", "-c", _BIND, str(os.getpid()), str(int(on_death)), *command)
