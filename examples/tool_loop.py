"""A tool loop in plain asyncio: many conversations at once, whose models call the judge when they want.

Run it against a judge: python examples/tool_loop.py http://localhost:8088
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable

from code_judge_client import Batching, RequestProcessor, Submission

Model = Callable[[list[str]], Awaitable[str]]
"""Answers a conversation: with a program to run, or with "done"."""


async def guess_and_check(conversation: list[str]) -> str:
    """Stands in for a language model: it looks for the first square above a limit, one program at a time."""
    if len(conversation) > 1 and "found" in conversation[-1]:
        return "done"
    candidate = len(conversation)
    limit = conversation[0]
    return f"n = {candidate}\nprint(n * n, 'found' if n * n > {limit} else 'too small')"


async def converse(question: str, model: Model, processor: RequestProcessor) -> str:
    """One conversation. Its calls go out in batches with those of all others."""
    conversation = [question]
    while (program := await model(conversation)) != "done":
        result = await processor.send_request(Submission(type="python", solution=program), timeout=60)
        if result.verdict.is_ours:
            raise RuntimeError(
                f"the judge failed, so this conversation must not be trained on: {result.stderr}"
            )
        conversation.append(result.stdout)
    return conversation[-1].split()[0]


async def main(url: str) -> None:
    async with RequestProcessor(url, batching=Batching(concurrency=8, batch_size=32)) as processor:
        questions = [str(limit) for limit in range(10, 60, 5)]
        answers = await asyncio.gather(*(converse(it, guess_and_check, processor) for it in questions))
    for question, answer in zip(questions, answers, strict=True):
        print(f"first square above {question}: {answer}")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "http://localhost:8088"))
