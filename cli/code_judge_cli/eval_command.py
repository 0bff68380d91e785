"""``code-judge eval``: judges a file of samples and reports."""

import argparse
import asyncio
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from code_judge_client import Batching, JudgeClientError, RequestProcessor
from code_judge_client.evaluation import (
    ADAPTERS,
    Judged,
    ResultsFile,
    ResultsFileError,
    Sample,
    SamplesFileError,
    html_report,
    judge_samples,
    read_samples,
    still_to_judge,
    summarise,
)

from .eval_progress import EvalProgress
from .eval_render import show_summary
from .exit_codes import CliExit
from .judge_address import KEY_VARIABLE, add_url_option, client_of
from .local_judge import LocalJudge, LocalJudgeError
from .render import complain

BATCH_SIZE = 32
IN_FLIGHT_PER_SENDER = 2 * BATCH_SIZE
"""For each sender one batch under way, and the next one ready."""


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Describe the command line."""
    parser = commands.add_parser(
        "eval",
        help="judge a file of samples",
        description="Judge every sample of a JSON-lines file and tell what passed. Results are written as "
        "they come: after an interruption the same command goes on where it stopped. Ends with 0 if all "
        "samples were judged, whatever became of them.",
    )
    parser.add_argument("samples", type=Path, metavar="SAMPLES.jsonl", help="may be gzipped")
    parser.add_argument(
        "--problems",
        type=Path,
        metavar="F",
        help="the dataset's own file, where the samples have only a task_id and a program",
    )
    parser.add_argument("--format", choices=sorted(ADAPTERS), help="default: found from the fields")
    parser.add_argument("--output", type=Path, metavar="F", help="results (default: SAMPLES.results.jsonl)")
    parser.add_argument("--report", type=Path, metavar="F", help="HTML report (default: SAMPLES.report.html)")
    parser.add_argument(
        "--concurrency", type=int, default=8, metavar="N", help=f"batches of {BATCH_SIZE} under way at once"
    )
    add_url_option(parser, without="a judge is started for this evaluation")
    parser.set_defaults(execute=execute)


@dataclass(frozen=True)
class Evaluation:
    """The files of one evaluation, and what is known of its samples."""

    args: argparse.Namespace
    wanted: dict[str, str]
    """Each sample's id and digest, in their order."""
    tasks: int
    results: dict[str, Judged]
    output: ResultsFile

    @classmethod
    def opened(cls, args: argparse.Namespace) -> "Evaluation":
        """Reads all samples once, so that a bad line is told before hours have gone by.

        Raises SamplesFileError, ResultsFileError.
        """
        wanted: dict[str, str] = {}
        tasks: set[str] = set()
        for sample in _samples(args):
            wanted[sample.id] = sample.digest
            tasks.add(sample.task)
        output = ResultsFile(args.output or _beside(args.samples, ".results.jsonl"))
        results = {
            name: judged for name, judged in output.read().items() if wanted.get(name) == judged.digest
        }
        return cls(args, wanted, len(tasks), results, output)

    def in_order(self) -> list[Judged]:
        """The results so far, in the order of the samples."""
        return [self.results[name] for name in self.wanted if name in self.results]

    async def judge(self, url: str, api_key: str | None) -> None:
        """Judge what is missing. Raises JudgeClientError where the judge stays away, ResultsFileError."""
        async with client_of(url, api_key) as client:
            await client.status()  # a wrong address should be told now, and not after a minute's patience
        concurrency = self.args.concurrency
        batching = Batching(concurrency=concurrency, batch_size=BATCH_SIZE)
        progress = EvalProgress(len(self.wanted), [it for it in self.in_order() if not it.is_ours])
        with self.output, progress:

            def keep(judged: Judged) -> None:
                self.output.append(judged)
                self.results[judged.id] = judged
                progress.add(judged)

            async with RequestProcessor(url, api_key=api_key, batching=batching) as processor:
                missing = still_to_judge(_samples(self.args), dict(self.results))
                in_flight = concurrency * IN_FLIGHT_PER_SENDER
                await judge_samples(missing, processor, keep, in_flight=in_flight)

    def report(self) -> CliExit:
        """Tell what it came to, on the terminal and as a page."""
        results = self.in_order()
        summary = summarise(results, missing=len(self.wanted) - len(results), tasks=self.tasks)
        page = self.args.report or _beside(self.args.samples, ".report.html")
        page.write_text(html_report(self.args.samples.name, summary, results), encoding="utf-8")
        Console().print(show_summary(summary, results=self.output.path, report=page))
        return CliExit.NO_JUDGE if summary.unjudged else CliExit.OK


def execute(args: argparse.Namespace) -> CliExit:
    """Judge, and report even where the judge went away in the middle. Raises SettingsError."""
    try:
        evaluation = Evaluation.opened(args)
        _judge(evaluation)
    except (SamplesFileError, ResultsFileError) as error:
        complain(str(error))
        return CliExit.USAGE
    except (LocalJudgeError, JudgeClientError) as error:
        complain(f"no judge: {error}\nThe same command goes on where this one stopped.")
        evaluation.report()
        return CliExit.NO_JUDGE
    except KeyboardInterrupt:
        complain("Interrupted. The same command goes on where this one stopped.")
        raise
    return evaluation.report()


def _judge(evaluation: Evaluation) -> None:
    if url := evaluation.args.url:
        asyncio.run(evaluation.judge(url, os.environ.get(KEY_VARIABLE)))
        return
    with LocalJudge({"LOG_LEVEL": "ERROR", **os.environ}) as judge:
        asyncio.run(_judge_watching(judge, evaluation))


async def _judge_watching(judge: LocalJudge, evaluation: Evaluation) -> None:
    """Judge as long as the judge's processes live: without a node, samples would wait for one forever.

    Raises LocalJudgeError where one of them ends, and what Evaluation.judge raises.
    """
    watching = asyncio.create_task(asyncio.to_thread(judge.wait))
    judging = asyncio.create_task(evaluation.judge(judge.url, judge.api_key))
    try:
        await asyncio.wait((watching, judging), return_when=asyncio.FIRST_COMPLETED)
        await (judging if judging.done() else watching)
    finally:
        judge.ask_to_stop()
        judging.cancel()
        await asyncio.wait((watching, judging))


def _samples(args: argparse.Namespace) -> Iterator[Sample]:
    return read_samples(args.samples, problems=args.problems, format_name=args.format)


def _beside(samples: Path, suffix: str) -> Path:
    name = samples.name.removesuffix(".gz").removesuffix(".jsonl").removesuffix(".json")
    return samples.with_name(name + suffix)
