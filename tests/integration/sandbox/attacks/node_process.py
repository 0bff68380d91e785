"""A node's executor in a process of its own, as ``python -m``: JSON lines in, JSON lines out.

A process of its own, since the attacks look for the secrets of the process that judges them: REDIS_URI is in
its environment, and it may be of another user than the tests are.
"""

import json
import logging
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from pydantic import ValidationError

from code_judge.contract import Submission
from code_judge.settings import Settings
from code_judge_workers.executor import Cancelled
from code_judge_workers.judge import SandboxExecutor, SandboxRun
from code_judge_workers.sandbox.outcome import SandboxSetupError

_printing = threading.Lock()


def say(**message: Any) -> None:
    with _printing:
        print(json.dumps(message), flush=True)


class Node:
    """Runs submissions by number until its input ends."""

    def __init__(self, executor: SandboxExecutor) -> None:
        self._executor = executor
        self._runs: dict[int, SandboxRun] = {}
        self._pool = ThreadPoolExecutor(8)

    def serve(self) -> None:
        for line in sys.stdin:
            message = json.loads(line)
            if "cancel" in message:
                self._runs[message["cancel"]].cancel()
            else:
                self._start(message["run"], message["submission"])
        self._pool.shutdown()

    def _start(self, number: int, fields: dict[str, Any]) -> None:
        try:
            submission = Submission.model_validate(fields)
        except ValidationError as error:  # the master refuses it with the same words
            say(run=number, result={"verdict": "invalid_input", "stdout": "", "stderr": str(error)})
            return
        self._runs[number] = self._executor.prepare(submission)
        self._pool.submit(self._finish, number)

    def _finish(self, number: int) -> None:
        try:
            say(run=number, result=self._runs[number].result().model_dump(mode="json"))
        except Cancelled:
            say(run=number, result={"verdict": "cancelled", "stdout": "", "stderr": ""})
        except Exception as error:  # an attack may have provoked anything, and the test shall see it
            logging.exception("run %s", number)
            say(run=number, result={"verdict": "raised", "stdout": "", "stderr": repr(error)})


def main() -> None:
    executor = SandboxExecutor(Settings.from_env(os.environ))
    try:
        executor.start()
    except SandboxSetupError as error:
        say(failed=str(error))
        return
    try:
        protections = {wall.name: wall.active for wall in executor.protections()}
        say(tier=executor.tier, protections=protections)
        Node(executor).serve()
    finally:
        executor.stop()


if __name__ == "__main__":
    main()
