"""The entry point: ``uvicorn code_judge.main:app``."""

import os
import signal
import subprocess
import sys

import pytest


def python(*args: str, **environ: str) -> tuple[int, str]:
    """Run Python to its end; returns the exit code and stderr. What is still there after a minute dies."""
    with subprocess.Popen(
        [sys.executable, *args],
        env={**os.environ, **environ},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            _, stderr = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        return process.returncode, stderr


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [("MAX_BATCH_SIZE", "many", "MAX_BATCH_SIZE='many'"), ("REDIS_URI", "", "REDIS_URI is not set")],
)
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_bad_setting_stops_the_start_with_the_variables_name(
    workers: str, name: str, value: str, says: str
) -> None:
    """Also under a supervisor, which would otherwise start broken processes for ever."""
    _, stderr = python(
        *("-m", "uvicorn", "code_judge.main:app", "--port", "0", "--workers", workers),
        **{"REDIS_URI": "redis://127.0.0.1:1", name: value},
    )

    assert says in stderr
    assert "Traceback" not in stderr


def test_importing_the_entry_point_reads_no_settings() -> None:
    code, stderr = python("-c", "import code_judge.main", MAX_BATCH_SIZE="many")

    assert (code, stderr) == (0, "")
