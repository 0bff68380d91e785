"""The ``code-judge`` command."""

import argparse
import signal
import sys
from collections.abc import Sequence

from code_judge import __version__
from code_judge.errors import SettingsError

from . import (
    doctor_command,
    drain_command,
    env_command,
    eval_command,
    run_command,
    status_command,
    up_command,
)
from .exit_codes import CliExit
from .local_judge import unwind_on_sigterm

COMMANDS = (
    up_command,
    run_command,
    eval_command,
    env_command,
    status_command,
    drain_command,
    doctor_command,
)


def main() -> int:
    """What the shell calls."""
    unwind_on_sigterm()
    return run(sys.argv[1:])


def run(argv: Sequence[str]) -> int:
    """Run one command; returns its exit code."""
    args = parser().parse_args(argv)
    try:
        code: CliExit = args.execute(args)
    except SettingsError as error:
        print(error, file=sys.stderr)
        return CliExit.USAGE
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    return code


def parser() -> argparse.ArgumentParser:
    """The command line of all commands."""
    top = argparse.ArgumentParser(prog="code-judge", description="A sandboxed judge of untrusted programs.")
    top.add_argument("--version", action="version", version=f"code-judge {__version__}")
    commands = top.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add_parser(commands)
    return top


if __name__ == "__main__":
    sys.exit(main())
