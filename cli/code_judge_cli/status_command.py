"""``code-judge status``: the cluster at one glance, or for as long as one watches."""

import argparse
import asyncio
from collections.abc import Callable

from rich.console import Console, RenderableType
from rich.live import Live
from rich.text import Text

from code_judge_client import JudgeClient, JudgeClientError

from .exit_codes import CliExit
from .judge_address import add_url_option, client_of
from .render import complain, show_cluster

DEFAULT_URL = "http://127.0.0.1:8088"
WATCH_EVERY_S = 2.0
"""Seconds between two looks, unless the command line says otherwise."""
SHORTEST_WATCH_S = 0.1


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Describe the command line."""
    parser = commands.add_parser("status", help="show a judge's nodes, walls and queue")
    add_url_option(parser, without=DEFAULT_URL)
    parser.add_argument(
        "--watch",
        nargs="?",
        type=_seconds,
        const=WATCH_EVERY_S,
        metavar="SECONDS",
        help=f"look again every so many seconds ({WATCH_EVERY_S:.0f}), until Ctrl-C",
    )
    parser.set_defaults(execute=execute)


def _seconds(text: str) -> float:
    """Raises ArgumentTypeError."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not seconds >= SHORTEST_WATCH_S:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds, {SHORTEST_WATCH_S} or more")
    return seconds


def execute(args: argparse.Namespace) -> CliExit:
    """Ask and show."""
    url = args.url or DEFAULT_URL
    console = Console()
    try:
        if args.watch is None:
            console.print(asyncio.run(_look(url)))
        else:
            _watch(url, args.watch, console)
    except JudgeClientError as error:
        complain(f"no judge at {url}: {error}")
        return CliExit.NO_JUDGE
    return CliExit.OK


async def _look(url: str) -> RenderableType:
    async with client_of(url) as client:
        return show_cluster(await client.cluster())


def _watch(url: str, every_s: float, console: Console) -> None:
    """Until Ctrl-C, one picture in place of the last; where there is no terminal, one below the other. Raises
    JudgeClientError where not even the first look succeeds."""
    if not console.is_terminal:
        asyncio.run(_look_again_and_again(url, every_s, console.print))
        return
    with Live(console=console, auto_refresh=False) as live:
        asyncio.run(_look_again_and_again(url, every_s, lambda picture: live.update(picture, refresh=True)))


async def _look_again_and_again(url: str, every_s: float, show: Callable[[RenderableType], None]) -> None:
    async with client_of(url) as client:
        show(show_cluster(await client.cluster()))
        while True:
            await asyncio.sleep(every_s)
            show(await _picture(client))


async def _picture(client: JudgeClient) -> RenderableType:
    """The cluster, or why it cannot be seen: a judge that is started again meanwhile is seen again."""
    try:
        return show_cluster(await client.cluster())
    except JudgeClientError as error:
        return Text(f"no answer: {error}")
