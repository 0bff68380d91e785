"""``code-judge up``: a whole judge on this machine until Ctrl-C."""

import argparse
import asyncio
import os

from rich.console import Console

from code_judge import __version__
from code_judge_workers.signals import on_stop_signals

from .exit_codes import CliExit
from .judge_address import client_of
from .local_judge import LocalJudge, LocalJudgeError
from .render import complain, show_node


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Describe the command line."""
    parser = commands.add_parser(
        "up",
        help="start a judge on this machine: Redis, a master and a worker node",
        description="Start a judge on this machine and run it until Ctrl-C. Settings come from the "
        "environment; where REDIS_URI is not set, a private Redis server is started, too.",
    )
    parser.add_argument(
        "--host", default="127.0.0.1", help="address to listen at (default: this machine only)"
    )
    parser.add_argument("--port", type=int, default=8088, help="0 for any free one (default: 8088)")
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> CliExit:
    """Start, tell, wait, stop. Raises SettingsError."""
    judge = LocalJudge(os.environ, args.host, args.port)
    with on_stop_signals(judge.ask_to_stop, judge.hurry):
        try:
            if judge.start():
                asyncio.run(_tell(judge))
                judge.wait()
        except LocalJudgeError as error:
            complain(f"{error}; stopping the rest")
            judge.hurry()
            return CliExit.CHILD_ENDED
        finally:
            judge.stop()
    return CliExit.OK


async def _tell(judge: LocalJudge) -> None:
    console = Console()
    async with client_of(judge.url, judge.api_key) as client:
        cluster = await client.cluster()
    for node in cluster.nodes:
        console.print(show_node(node))
    console.print(f"code-judge {__version__} is running at {judge.url}", style="bold", highlight=False)
    console.print(f"Try:   code-judge run FILE --url {judge.url}", highlight=False)
    console.print("Stop:  Ctrl-C", highlight=False)
