"""``code-judge env``: serves the OpenEnv environment."""

import argparse
import os
import sys
from importlib.util import find_spec
from pathlib import Path

from .exit_codes import CliExit
from .judge_address import add_url_option
from .render import complain

SERVER = "code_judge_env.server.app:app"


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Describe the command line."""
    parser = commands.add_parser(
        "env",
        help="serve the OpenEnv environment",
        description="Serve the environment code_judge_env over OpenEnv's protocol until Ctrl-C. The other "
        "settings come from the environment variables that docs/openenv.md lists.",
    )
    parser.add_argument(
        "--host", default="127.0.0.1", help="address to listen at (default: this machine only)"
    )
    parser.add_argument("--port", type=int, default=8000, help="default: 8000")
    parser.add_argument("--tasks", type=Path, metavar="F.jsonl", help="$TASKS says the same")
    parser.add_argument("--sessions", type=int, metavar="N", help="$MAX_CONCURRENT_ENVS says the same")
    add_url_option(parser, without="a judge is started beside it, as `code-judge up` does")
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> CliExit:
    """Become the server: there is nothing left for this process to do."""
    command = [sys.executable, "-m", "uvicorn", SERVER, "--host", args.host, "--port", str(args.port)]
    given = {"JUDGE_URL": args.url, "TASKS": args.tasks, "MAX_CONCURRENT_ENVS": args.sessions}
    chosen = {name: str(value) for name, value in given.items() if value is not None}
    if find_spec("openenv"):
        os.execve(sys.executable, command, {**os.environ, **chosen})
    complain("the environment needs OpenEnv: pip install 'code-judge[openenv]'")
    return CliExit.USAGE
