"""A scoring function for CodeJudgeRewardManager. It runs on the judge, once for each response, so that an odd
response that makes it hang or crash costs one sample and not the training."""

import re


def compute_score(solution_str: str, ground_truth: str) -> float:
    """1 for a response whose last boxed answer is the right one."""
    answers = re.findall(r"\\boxed\{([^{}]*)\}", solution_str)
    return float(bool(answers) and answers[-1].strip() == ground_truth.strip())
