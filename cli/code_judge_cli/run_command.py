"""``code-judge run``: judges one file."""

import argparse
import asyncio
import os
import sys
from contextlib import ExitStack
from pathlib import Path

from pydantic import ValidationError
from rich.console import Console

from code_judge.contract import Result, Submission
from code_judge_client import JudgeClientError, RequestRefused

from .exit_codes import CliExit
from .judge_address import add_url_option, client_of
from .local_judge import LocalJudge, LocalJudgeError
from .render import complain, show_result

TYPES = {".py": "python", ".cpp": "cpp", ".cc": "cpp", ".cxx": "cpp", ".c++": "cpp"}
"""What a file's suffix says of its language."""


class UsageError(Exception):
    """Raised where the command line asks for what cannot be; says what to do instead."""


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Describe the command line."""
    parser = commands.add_parser(
        "run",
        help="judge one file",
        description="Judge one file and show all that is known of its run. Ends with 0 only if it ran to a "
        "clean end and, where output was expected, printed that.",
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="the program's source")
    given = parser.add_mutually_exclusive_group()
    given.add_argument("--input", metavar="TEXT", help="what it reads from stdin (default: nothing)")
    given.add_argument(
        "--input-file", metavar="F", help="the same from a file; - for this command's own stdin"
    )
    expected = parser.add_mutually_exclusive_group()
    expected.add_argument("--expected", metavar="TEXT", help="what it should print")
    expected.add_argument("--expected-file", metavar="F", help="the same from a file")
    parser.add_argument(
        "--checker", help="how output is compared: strip, exact, lines, tokens, float[:TOLERANCE]"
    )
    parser.add_argument("--type", help="the language (default: by the file's suffix)")
    parser.add_argument("--time-limit", type=float, metavar="S", help="seconds of CPU")
    parser.add_argument("--memory-limit", type=float, metavar="MB", help="MB of resident memory")
    add_url_option(parser, without="a judge is started for this one run")
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> CliExit:
    """Judge and show. Raises SettingsError."""
    try:
        result = _judge(args.url, _submission(args))
    except (UsageError, RequestRefused) as error:
        complain(str(error))
        return CliExit.USAGE
    except (LocalJudgeError, JudgeClientError) as error:
        complain(f"no judge: {error}")
        return CliExit.NO_JUDGE
    Console().print(show_result(result))
    if result.verdict.is_ours:
        return CliExit.NO_JUDGE
    return CliExit.OK if result.success else CliExit.NOT_OK


def _judge(url: str | None, submission: Submission) -> Result:
    with ExitStack() as stack:
        api_key = None
        if not url:
            judge = stack.enter_context(LocalJudge({"LOG_LEVEL": "ERROR", "MAX_WORKERS": "1", **os.environ}))
            url, api_key = judge.url, judge.api_key
        return asyncio.run(_run(url, api_key, submission))


async def _run(url: str, api_key: str | None, submission: Submission) -> Result:
    async with client_of(url, api_key) as client:
        return await client.run(submission)


def _submission(args: argparse.Namespace) -> Submission:
    fields = {
        "type": args.type or _type_of(args.file),
        "solution": _read(args.file),
        "input": _read(args.input_file) if args.input_file else args.input,
        "expected_output": _read(args.expected_file) if args.expected_file else args.expected,
        "checker": args.checker or "strip",
        "time_limit": args.time_limit,
        "memory_limit": args.memory_limit,
    }
    try:
        return Submission.model_validate(fields)
    except ValidationError as error:
        problem = error.errors()[0]
        raise UsageError(f"{problem['loc'][0]}: {problem['msg']}") from None


def _type_of(file: Path) -> str:
    try:
        return TYPES[file.suffix]
    except KeyError:
        known = " ".join(TYPES)
        raise UsageError(f"{file}: the suffix tells no language ({known} do); name it with --type") from None


def _read(path: str | Path) -> str:
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        return data.decode()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text: {error}") from None
