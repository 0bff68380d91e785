"""A worker node as on a cluster, but for its executor: every program ends at once and prints its input.

Settings come from the environment, as for any node: ``python -m benchmarks._idle_node``.
"""

import os
import sys
import time
from collections.abc import Sequence

from code_judge.contract import LanguageInfo, Protection, Result, Submission, Verdict
from code_judge.logs import configure_logs
from code_judge.queue.redis_node_queue import RedisNodeQueue
from code_judge.settings import Settings
from code_judge_workers.exit_codes import NodeExit
from code_judge_workers.main import unique_name
from code_judge_workers.manager import WorkerManager
from code_judge_workers.signals import on_stop_signals


class IdleRun:
    """Takes as many seconds as the submission's ``options`` say under ``seconds``; none without."""

    def __init__(self, submission: Submission) -> None:
        self._submission = submission

    def result(self) -> Result:
        if options := self._submission.options:
            time.sleep(float(options["seconds"]))
        submission = self._submission
        return Result.of(submission.sub_id or "", Verdict.RAN, stdout=submission.input or "")

    def cancel(self) -> None:
        """Nothing to kill: it ends by itself."""


class IdleExecutor:
    """Implements Executor."""

    tier = "none"

    def start(self) -> None: ...

    def prepare(self, submission: Submission) -> IdleRun:
        return IdleRun(submission)

    def languages(self) -> Sequence[LanguageInfo]:
        return [LanguageInfo(name="python", version="none")]

    def protections(self) -> Sequence[Protection]:
        return []

    def stop(self) -> None: ...


def main() -> NodeExit:
    """Run the node until it is asked to stop."""
    settings = Settings.from_env(os.environ)
    configure_logs(settings)
    name = settings.node_name or unique_name()
    manager = WorkerManager(settings, name, RedisNodeQueue(settings, name), IdleExecutor())
    with on_stop_signals(manager.drain, manager.kill):
        return manager.run()


if __name__ == "__main__":
    sys.exit(main())
