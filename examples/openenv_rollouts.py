"""Rollouts as GRPO wants them: groups of episodes of the same task, side by side, with a reward for each.

Run it against the environment: python examples/openenv_rollouts.py http://localhost:8000
"""

import asyncio
import random
import statistics
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from code_judge_env import CodeAction, CodeJudgeEnv

GROUP_SIZE = 4
TASKS = ("echo-reversed", "sum-of-numbers", "collatz-steps")


@dataclass(frozen=True)
class Rollout:
    """One episode's end."""

    task_id: str
    steps: int
    reward: float


def policy(task_id: str, chance: random.Random) -> Iterator[CodeAction]:
    """Stands in for a language model: tries something out, then hands in a right or a wrong program."""
    yield CodeAction(code="text = 'abc'\ntext[::-1]")
    yield CodeAction(code="print(text[::-1])")  # the variable of the step before
    right = {
        "echo-reversed": "print(input()[::-1])",
        "sum-of-numbers": "input()\nprint(sum(map(int, input().split())))",
        "collatz-steps": "n, count = int(input()), 0\n"
        "while n > 1:\n    n, count = n // 2 if n % 2 == 0 else 3 * n + 1, count + 1\nprint(count)",
    }
    wrong = "print(input())"
    yield CodeAction(code=right[task_id] if chance.random() < 0.6 else wrong, submit=True)


async def roll_out(url: str, task_id: str, seed: int) -> Rollout:
    """One episode in a session of its own. The trainer resets; what the model may do is a step."""
    async with CodeJudgeEnv(url) as env:
        result = await env.reset(task_id=task_id, episode_id=f"{task_id}-{seed}")
        actions = policy(task_id, random.Random(seed))
        steps = 0
        while not result.done:
            result = await env.step(next(actions))
            steps += 1
        return Rollout(task_id, steps, float(result.reward))


def advantages(rewards: list[float]) -> list[float]:
    """Each reward by how far it is from its group's mean, in standard deviations."""
    spread = statistics.pstdev(rewards)
    return [(reward - statistics.fmean(rewards)) / spread if spread else 0.0 for reward in rewards]


async def main(url: str) -> None:
    rollouts = await asyncio.gather(
        *(roll_out(url, task_id, seed) for task_id in TASKS for seed in range(GROUP_SIZE))
    )
    for task_id in TASKS:
        group = [rollout for rollout in rollouts if rollout.task_id == task_id]
        rewards = [rollout.reward for rollout in group]
        pairs = zip(rewards, advantages(rewards), strict=True)
        told = "  ".join(f"{value:.2f} ({gain:+.2f})" for value, gain in pairs)
        print(f"{task_id}: {told}")
    print(f"{len(rollouts)} rollouts, {sum(rollout.steps for rollout in rollouts)} steps")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "http://localhost:8000"))
