"""An environment for TRL: GRPOTrainer(..., environment_factory=JudgeEnvironment, reward_funcs=reward).

TRL makes one object for each generation, calls ``reset`` with the row of the dataset, and offers the other
public methods to the model as tools. CODE_JUDGE_ENV_URL says where the environment is; it needs as many
MAX_CONCURRENT_ENVS as one batch has generations.
"""

import os
from typing import Any

from code_judge_env import CodeAction, CodeJudgeEnv


class JudgeEnvironment:
    """One session; the model's tools are ``run_python`` and ``submit``."""

    def __init__(self) -> None:
        url = os.environ.get("CODE_JUDGE_ENV_URL", "http://localhost:8000")
        self._env = CodeJudgeEnv(url).sync()
        self.reward = 0.0
        self.done = False

    def reset(self, **row: Any) -> str:
        """Begin the episode that a row of the dataset names by ``task_id``. Returns the prompt."""
        first = self._env.reset(task_id=row.get("task_id"))
        self.reward, self.done = 0.0, False
        return str(first.observation.metadata["task"]["prompt"])

    def run_python(self, code: str) -> str:
        """
        Run a Python cell. Variables of earlier cells are there.

        Args:
            code: The cell.

        Returns:
            What it printed.
        """
        return self._step(CodeAction(code=code))

    def submit(self, code: str) -> str:
        """
        Hand in a whole program as the answer. The episode is over then.

        Args:
            code: The program.

        Returns:
            How many of the hidden tests it passed.
        """
        return self._step(CodeAction(code=code, submit=True))

    def _step(self, action: CodeAction) -> str:
        if self.done:
            raise ValueError("The episode is over.")
        result = self._env.step(action)
        self.reward, self.done = float(result.reward), result.done
        return f"{result.observation.stdout}{result.observation.stderr}"


def reward(environments: list[JudgeEnvironment], **_: Any) -> list[float]:
    """What TRL calls after the generations."""
    return [environment.reward for environment in environments]
