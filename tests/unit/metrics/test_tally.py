"""What a process counts reaches the cluster once, whatever happens on the way."""

import threading

import pytest

from code_judge.metrics import Tally
from code_judge.metrics.families import CLAIMS, QUEUE_SECONDS, RESULTS
from code_judge.metrics.tally import INFINITY, SUM, read_key, write_key


def test_a_packet_holds_what_was_counted_by_labels() -> None:
    tally = Tally()
    tally.add(RESULTS, "accepted", "python")
    tally.add(RESULTS, "accepted", "python")
    tally.add(RESULTS, "ran", "cpp", by=3)

    packet = tally.packet()

    assert packet
    assert packet.counts == {
        (RESULTS.name, "accepted", "python"): 2,
        (RESULTS.name, "ran", "cpp"): 3,
    }


def test_an_observation_falls_into_the_first_bucket_that_holds_it() -> None:
    tally = Tally()
    for seconds in (0.001, 0.0011, 9_999):
        tally.observe(QUEUE_SECONDS, seconds, "batch")

    packet = tally.packet()

    assert packet
    key = (QUEUE_SECONDS.name, "batch")
    assert packet.counts == {
        (*key, "0.001"): 1,
        (*key, "0.005"): 1,
        (*key, INFINITY): 1,
        (*key, SUM): pytest.approx(9_999.0021),
    }


def test_nothing_counted_is_no_packet() -> None:
    assert Tally().packet() is None


def test_a_packet_stays_the_same_until_it_was_told() -> None:
    tally = Tally()
    tally.add(CLAIMS)
    first = tally.packet()
    tally.add(CLAIMS)
    assert tally.packet() is first
    assert first

    tally.told(first)
    second = tally.packet()

    assert second
    assert second.number > first.number
    assert second.counts == {(CLAIMS.name,): 1}


def test_a_late_word_on_an_old_packet_does_not_drop_a_newer_one() -> None:
    tally = Tally()
    tally.add(CLAIMS)
    first = tally.packet()
    assert first
    tally.told(first)
    tally.add(CLAIMS)
    second = tally.packet()

    tally.told(first)

    assert tally.packet() is second


def test_no_thread_loses_a_count() -> None:
    tally = Tally()

    def count() -> None:
        for _ in range(5_000):
            tally.add(CLAIMS)

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    packet = tally.packet()
    assert packet
    assert packet.counts == {(CLAIMS.name,): 20_000}


def test_two_processes_packets_are_told_apart() -> None:
    assert Tally().owner != Tally().owner


def test_a_key_comes_back_as_it_was_written() -> None:
    key = ("family", 'with "quotes"', "é", "+Inf")

    assert read_key(write_key(key).encode()) == key
