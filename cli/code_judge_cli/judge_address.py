"""Which judge a command speaks to."""

import argparse
import os

from code_judge_client import JudgeClient, RetryPolicy

URL_VARIABLE = "CODE_JUDGE_URL"
KEY_VARIABLE = "API_KEY"
RETRY = RetryPolicy(attempts=3)
"""Somebody sits at the terminal: give up within seconds."""


def add_url_option(parser: argparse.ArgumentParser, without: str) -> None:
    """``--url``; ``without`` says what happens where it is not given."""
    parser.add_argument(
        "--url",
        default=os.environ.get(URL_VARIABLE),
        help=f"where the judge is, such as http://HOST:8088; ${URL_VARIABLE} says the same. "
        f"Without: {without}. Where it wants an API key, ${KEY_VARIABLE} has it",
    )


def client_of(url: str, api_key: str | None = None) -> JudgeClient:
    """A client of the judge there, with the environment's API key unless one is given."""
    return JudgeClient(url, api_key=api_key or os.environ.get(KEY_VARIABLE), retry=RETRY)
