"""``/metrics`` under ``uvicorn --workers 2``: one truth, whoever answers, also after an end."""

import os
import signal
from pathlib import Path

import httpx
import psutil
import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.support.command import until
from tests.support.uvicorn_master import UvicornMaster

pytestmark = [pytest.mark.needs_redis, pytest.mark.usefixtures("node")]

SUBMISSIONS = {"submissions": [{"type": "python", "solution": "echo", "input": "7"}] * 10}


def total(master: UvicornMaster, name: str) -> float:
    """The sum of a family's samples of this name, over a connection of its own."""
    text = httpx.get(master.url + "/metrics", timeout=60).text
    families = text_string_to_metric_families(text)
    return sum(sample.value for family in families for sample in family.samples if sample.name == name)


def send_batch(master: UvicornMaster) -> None:
    assert httpx.post(master.url + "/run/long-batch", json=SUBMISSIONS, timeout=60).status_code == 200


def processes(master: UvicornMaster) -> list[psutil.Process]:
    """uvicorn's two servers, without the tracker of multiprocessing."""
    children = psutil.Process(master.pid).children()
    return [child for child in children if "spawn_main" in " ".join(child.cmdline())]


def test_all_processes_show_the_sums_of_all(tmp_path: Path, environ: dict[str, str]) -> None:
    with UvicornMaster(tmp_path, 2, HEARTBEAT_INTERVAL="0.2", **environ) as master:
        for _ in range(8):
            send_batch(master)

        until(lambda: total(master, "code_judge_results_total") == 80, "all results are counted")
        until(lambda: total(master, "code_judge_submissions_total") == 80, "both processes have told")
        assert {total(master, "code_judge_results_total") for _ in range(10)} == {80}
        assert {total(master, "code_judge_submissions_total") for _ in range(10)} == {80}


def test_sums_stay_right_when_a_process_is_killed_and_started_again(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    with UvicornMaster(tmp_path, 2, HEARTBEAT_INTERVAL="0.2", **environ) as master:
        for _ in range(4):
            send_batch(master)
        until(lambda: total(master, "code_judge_submissions_total") == 40, "both processes have told")
        [victim, _] = processes(master)

        os.kill(victim.pid, signal.SIGKILL)
        until(lambda: not victim.is_running() and len(processes(master)) == 2, "uvicorn has replaced it")
        for _ in range(4):
            send_batch(master)

        until(lambda: total(master, "code_judge_submissions_total") == 80, "the new process has told")
        assert {total(master, "code_judge_submissions_total") for _ in range(10)} == {80}


def test_sums_stay_right_when_the_whole_master_is_started_again(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    for rounds in (1, 2):
        with UvicornMaster(tmp_path, 2, HEARTBEAT_INTERVAL="0.2", **environ) as master:
            send_batch(master)
            wanted = 10 * rounds
            until(lambda: total(master, "code_judge_submissions_total") == wanted, "it has told")  # noqa: B023


def test_prometheus_multiproc_dir_changes_nothing(tmp_path: Path, environ: dict[str, str]) -> None:
    folder = tmp_path / "prometheus"
    folder.mkdir()
    with UvicornMaster(tmp_path, 2, PROMETHEUS_MULTIPROC_DIR=str(folder), **environ) as master:
        send_batch(master)
        until(lambda: total(master, "code_judge_submissions_total") == 10, "it has told")

    assert list(folder.iterdir()) == []
