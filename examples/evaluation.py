"""An evaluation of a few samples, with results as they come. For files of samples there is code-judge eval.

Run it against a judge: python examples/evaluation.py http://localhost:8088
"""

import sys
from collections import Counter

from code_judge_client import Submission, SyncJudgeClient, TestCase

TESTS = [
    TestCase(input="3 4", expected_output="7"),
    TestCase(input="-1 1", expected_output="0"),
    TestCase(input="1000000 1", expected_output="1000001"),
]
SAMPLES = [
    "a, b = map(int, input().split())\nprint(a + b)",
    "print(sum(map(int, input().split())))",
    "print(7)",
    "print(input())",
    "a, b = input().split()\nprint(a + b)",
]


def main(url: str) -> None:
    submissions = [
        Submission(type="python", solution=text, tests=TESTS, time_limit=2, stop_on_first_failure=True)
        for text in SAMPLES
    ]
    verdicts = Counter[str]()
    with SyncJudgeClient(url) as judge:
        for item in judge.stream(submissions):
            result = item.result
            passed = sum(test.verdict.success for test in result.tests or ())
            print(f"sample {item.index}: {result.verdict}, {passed} of {len(TESTS)} tests passed")
            verdicts[result.verdict] += 1
    print(", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common()))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "http://localhost:8088")
