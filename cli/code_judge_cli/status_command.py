"""``code-judge status``: the cluster at one glance."""

import argparse
import asyncio

from rich.console import Console

from code_judge.contract import Cluster
from code_judge_client import JudgeClientError

from .exit_codes import CliExit
from .judge_address import add_url_option, client_of
from .render import complain, show_cluster

DEFAULT_URL = "http://127.0.0.1:8088"


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Describe the command line."""
    parser = commands.add_parser("status", help="show a judge's nodes, walls and queue")
    add_url_option(parser, without=DEFAULT_URL)
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> CliExit:
    """Ask and show."""
    url = args.url or DEFAULT_URL
    try:
        cluster = asyncio.run(_cluster(url))
    except JudgeClientError as error:
        complain(f"no judge at {url}: {error}")
        return CliExit.NO_JUDGE
    Console().print(show_cluster(cluster))
    return CliExit.OK


async def _cluster(url: str) -> Cluster:
    async with client_of(url) as client:
        return await client.cluster()
