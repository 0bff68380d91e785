"""Value objects of the client."""

import doctest
from collections.abc import Callable

import pytest

from code_judge_client import Batching, Limits, RetryPolicy, Timeout, _config


def test_they_print_as_they_are_written() -> None:
    assert doctest.testmod(_config).failed == 0
    assert eval(repr(RetryPolicy(attempts=2))) == RetryPolicy(attempts=2)


def test_pauses_double_up_to_the_longest() -> None:
    policy = RetryPolicy(first_pause_s=0.5, longest_pause_s=8)
    pauses = [policy.pause_s(failures, spread=lambda low, high: (low + high) / 2) for failures in range(1, 8)]
    assert pauses == [0.5, 1, 2, 4, 8, 8, 8]


def test_pauses_are_spread_by_the_jitter() -> None:
    policy = RetryPolicy(first_pause_s=1, jitter=0.25)
    assert policy.pause_s(1, spread=lambda low, _: low) == 0.75
    assert policy.pause_s(1, spread=lambda _, high: high) == 1.25


def test_a_judge_is_never_asked_sooner_than_it_said() -> None:
    assert RetryPolicy(first_pause_s=0.1).pause_s(1, retry_after_s=5) == 5
    assert RetryPolicy(first_pause_s=8, jitter=0).pause_s(1, retry_after_s=5) == 8


@pytest.mark.parametrize(
    "make",
    [
        lambda: Timeout(connect_s=0),
        lambda: Timeout(total_s=-1),
        lambda: Limits(connections=0),
        lambda: Limits(keep_alive_s=0),
        lambda: Limits(request_items=0),
        lambda: Limits(request_mb=0),
        lambda: RetryPolicy(attempts=0),
        lambda: RetryPolicy(first_pause_s=-1),
        lambda: RetryPolicy(longest_pause_s=-1),
        lambda: RetryPolicy(jitter=2),
        lambda: Batching(concurrency=0),
        lambda: Batching(batch_size=0),
        lambda: Batching(batch_timeout_s=-1),
        lambda: Batching(queue_size=0),
    ],
)
def test_values_that_make_no_sense_are_refused_by_name(make: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r"\w+ must .*: \w+\("):
        make()
