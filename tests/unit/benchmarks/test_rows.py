"""The rows of the benchmarks' tables, made from answers and processes that are known."""

import pytest

from benchmarks import memory, oversubscribed, precompiled_header
from benchmarks._common import Spread
from benchmarks._server import Call, Throughput
from benchmarks._workloads import WORKLOADS
from benchmarks.floor import fork_floor, warm_up_for
from benchmarks.throughput import Measured

RIGHT = {"success": True, "cost": 0.0}
WRONG = {"success": False, "cost": 0.0}


def test_a_servers_row_has_the_ratio_to_the_peer_of_the_same_rounds() -> None:
    server = Measured("server", [12.0, 8.0], [Throughput([RIGHT] * 6, 1.0), Throughput([RIGHT] * 8, 2.0)])
    peer = Measured("peer", [], [Throughput([RIGHT] * 2, 1.0), Throughput([RIGHT, WRONG], 1.0)])
    server.calls.extend(Call(RIGHT, seconds) for seconds in (0.01, 0.02, 0.03))
    peer.calls.append(Call(RIGHT, 0.04))

    row = server.row("trivial", peer)

    assert row["runs/s"] == Spread(5.0, 4.0, 6.0)
    assert row["ratio"] == Spread(3.5, 3.0, 4.0)
    assert row["of the floor"] == Spread(0.5, 0.5, 0.5)
    assert peer.row("trivial", None)["of the floor"] is None
    assert (row["p50 ms"], row["p99 ms"], row["p50 ratio"]) == (20.0, 30.0, 0.5)
    assert (row["wrong"], row["of"]) == (0, 17)
    assert peer.row("trivial", None)["wrong"] == 1


def test_only_what_should_be_distinct_is() -> None:
    def sources(name: str) -> set[str]:
        return {one["solution"] for mark in "ab" for one in WORKLOADS[name].round(mark, 5)}

    assert {name: len(sources(name)) for name in ("trivial", "cpp-same", "cpp-distinct")} == {
        "trivial": 1,
        "cpp-same": 2,
        "cpp-distinct": 10,
    }


def test_a_mix_has_all_kinds() -> None:
    mixed = WORKLOADS["mixed"].round("mark", 10)

    assert {one["type"] for one in mixed} == {"python", "cpp"}
    assert len({one["solution"] for one in mixed}) == 5


def test_the_floor_is_warmed_as_templates_are() -> None:
    assert warm_up_for("print(1)") == ""
    assert warm_up_for("import sympy").startswith("import sympy\nx, y = sympy.symbols(")


def test_the_floor_forks_and_counts() -> None:
    assert fork_floor("print(6 * 7)", runs=4, processes=2) > 0


def test_only_the_wanted_verdicts_are_not_false() -> None:
    answers = [
        (oversubscribed.RIGHT, {"success": True, "verdict": "accepted"}),
        (oversubscribed.RIGHT, {"success": False, "verdict": "time_limit"}),
        (oversubscribed.SLOW, {"success": False, "reason": "worker_timeout"}),
        (oversubscribed.SLOW, {"success": True, "verdict": "accepted"}),
    ]

    right, slow = oversubscribed.rows_of("idle", answers)

    assert (right["verdicts"], right["false"], right["of"]) == ("1 accepted, 1 time_limit", 1, 2)
    assert (slow["verdicts"], slow["false"], slow["of"]) == ("1 worker_timeout, 1 accepted", 1, 2)


def test_slow_programs_are_spread_among_right_ones_the_same_way_each_time() -> None:
    kinds = [kind for kind, _ in oversubscribed.programs(64, 8)]

    assert kinds == [kind for kind, _ in oversubscribed.programs(64, 8)]
    assert (kinds.count(oversubscribed.RIGHT), kinds.count(oversubscribed.SLOW)) == (64, 8)
    assert kinds != sorted(kinds)


def test_programs_memory_is_not_the_judges() -> None:
    processes = [
        memory.Resident("manager", 30_000_000, True),
        memory.Resident("slots", 2_000_000, True),
        memory.Resident("slots", 4_000_000, False),
        memory.Resident("programs", 500_000_000, True),
    ]

    rows = {row["processes of"]: row for row in memory.rows_of(2, processes)}

    assert rows["all but the programs"]["MB"] == pytest.approx(36.0)
    assert rows["manager, launcher, templates"]["MB"] == pytest.approx(30.0)
    assert rows["slots"]["MB per thread"] == pytest.approx(3.0)
    assert (rows["manager"]["measure"], rows["slots"]["measure"]) == ("PSS", "PSS, 1 RSS")
    assert rows["launcher"]["count"] == 0


def test_programs_differ_in_what_stands_before_the_header_only() -> None:
    [with_header] = precompiled_header.sources(1, with_header=True)
    [without] = precompiled_header.sources(1, with_header=False)

    assert with_header["solution"].startswith("#include <bits/stdc++.h>\n")
    assert without["solution"].startswith(precompiled_header.DECLARATION + "#include <bits/stdc++.h>\n")
