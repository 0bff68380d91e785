"""``code-judge drain``: takes a node out of the cluster without losing a call."""

import argparse
import asyncio

from rich.console import Console

from code_judge.contract import NodeInfo
from code_judge_client import JudgeClient, JudgeClientError, RequestRefused

from .exit_codes import CliExit
from .judge_address import add_url_option, client_of
from .render import complain, printable
from .status_command import DEFAULT_URL

LOOK_INTERVAL_S = 0.5
"""Seconds between two looks at whether the node is gone."""


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Describe the command line."""
    parser = commands.add_parser(
        "drain",
        help="have a node finish its runs and leave",
        description="Have a node claim nothing more, finish what it has and leave; wait until it is gone. "
        "Ctrl-C ends the wait and not the drain, and the same command waits again.",
    )
    parser.add_argument("node", metavar="NODE", help="its name, as `code-judge status` shows it")
    add_url_option(parser, without=DEFAULT_URL)
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> CliExit:
    """Ask, and show how it goes until the node is gone."""
    url = args.url or DEFAULT_URL
    try:
        asyncio.run(_drain(url, args.node))
    except RequestRefused as error:
        complain(str(error))
        return CliExit.USAGE
    except JudgeClientError as error:
        complain(f"no judge at {url}: {error}")
        return CliExit.NO_JUDGE
    return CliExit.OK


async def _drain(url: str, name: str) -> None:
    console = Console()
    async with client_of(url) as client:
        asked = await client.drain(name)
        node: NodeInfo | None = asked
        told = None
        while node:
            if node.busy != told:
                _say(console, name, f"{node.busy} submissions in hand")
                told = node.busy
            await asyncio.sleep(LOOK_INTERVAL_S)
            node = await _still_there(client, asked)
    _say(console, name, "empty and gone")


async def _still_there(client: JudgeClient, asked: NodeInfo) -> NodeInfo | None:
    """The node as it is now; a new process under the old name is another node."""
    for node in (await client.cluster()).nodes:
        if (node.name, node.started_at) == (asked.name, asked.started_at):
            return node
    return None


def _say(console: Console, name: str, what: str) -> None:
    console.print(f"node {printable(name)}: {what}", markup=False, highlight=False)
