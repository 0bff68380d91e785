"""pass@k: the chance that at least one of k samples of a task passes."""

import math
from collections.abc import Iterable

KS = (1, 5, 10, 25, 50, 100)
"""The k that are told, as far as every task has as many samples."""


def pass_at_k(judged: int, passed: int, k: int) -> float:
    """The unbiased estimate for one task, from ``passed`` of ``judged`` samples: 1 - C(n-c, k) / C(n, k), as
    in "Evaluating Large Language Models Trained on Code" (Chen et al., 2021).

    Raises ValueError where fewer than k samples were judged.
    """
    if judged < k:
        raise ValueError(f"pass@{k} needs {k} samples of each task; one has {judged}")
    return 1.0 - math.comb(judged - passed, k) / math.comb(judged, k)


def mean_pass_at_k(tasks: Iterable[tuple[int, int]]) -> dict[int, float]:
    """The mean over all tasks, each given as (judged, passed), for each k that every task allows. Tasks
    without a judged sample are left out: nothing is known of them."""
    counted = [(judged, passed) for judged, passed in tasks if judged]
    if not counted:
        return {}
    fewest = min(judged for judged, _ in counted)
    return {
        k: math.fsum(pass_at_k(judged, passed, k) for judged, passed in counted) / len(counted)
        for k in KS
        if k <= fewest
    }
