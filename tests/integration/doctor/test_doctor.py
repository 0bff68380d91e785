"""``code-judge doctor`` as the kinds of users that nodes run as."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass

import pytest
from redis import Redis

from code_judge_cli.embedded_redis import EmbeddedRedis
from code_judge_cli.exit_codes import CliExit
from code_judge_workers.sandbox import landlock
from tests.support.command import CODE_JUDGE, PATIENCE_S
from tests.support.pages import ROOT

NOBODY = 65534
WITHOUT_USER_NAMESPACES = (sys.executable, "-m", f"{__package__}.without_user_namespaces")


@dataclass(frozen=True)
class Report:
    """What the doctor said."""

    code: int
    text: str

    def line(self, name: str) -> str:
        """What it says of the thing of this name, all on one line."""
        lines = self.text.splitlines()
        [at] = [number for number, line in enumerate(lines) if re.match(rf"[✓!✗]  {name}  ", line)]
        rest = []
        for line in lines[at + 1 :]:
            if not line.startswith("   "):
                break
            rest.append(line.strip())
        return " ".join([lines[at], *rest])

    def mark(self, name: str) -> str:
        return self.line(name)[0]


def consult(*as_user: str, **environ: str) -> Report:
    """Have the doctor look, as the user that the command ``as_user`` turns into."""
    ended = subprocess.run(
        [*as_user, *CODE_JUDGE, "doctor"],
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            "PYTHON_EXECUTOR_PATH": sys.executable,
            "WARM_TEMPLATES": ";",
            "MAX_WORKERS": "2",
            "COLUMNS": "300",
            **environ,
        },
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    print(ended.stdout, ended.stderr)
    return Report(ended.returncode, ended.stdout + ended.stderr)


def as_nobody() -> tuple[str, ...]:
    way = f"{sys.prefix}:{sys.base_prefix}:{ROOT}"
    helper = "tests.integration.sandbox.attacks.become_user"
    return (sys.executable, "-m", helper, str(NOBODY), way)


@pytest.mark.needs_root
@pytest.mark.needs_namespaces
def test_root_has_every_wall_but_what_the_machine_lacks() -> None:
    report = consult()

    assert report.code == CliExit.OK
    assert report.mark("tier") == "✓"
    assert "namespaces" in report.line("tier")
    for wall in ("own processes", "own files", "no network", "own user", "system calls"):
        assert report.mark(wall) == "✓"


@pytest.mark.needs_root
@pytest.mark.needs_namespaces
def test_a_user_with_user_namespaces_has_the_same_tier_and_learns_how_to_get_a_cgroup() -> None:
    report = consult(*as_nobody())

    assert report.code == CliExit.OK
    assert "namespaces" in report.line("tier")
    assert report.mark("own user") == "!"
    assert report.line("own user").endswith("→ run the node as root")
    assert report.mark("memory") == "!"
    assert "Delegate=yes" in report.line("memory")


@pytest.mark.needs_root
@pytest.mark.needs_namespaces
def test_a_user_without_user_namespaces_learns_why_and_the_command_that_brings_them() -> None:
    report = consult(*WITHOUT_USER_NAMESPACES, *as_nobody())

    assert "bare" in report.line("tier")
    assert "→ sysctl -w user.max_user_namespaces=15000" in report.line("tier")
    assert report.mark("own processes") == "!"
    assert report.mark("no network") == "✓", "seccomp keeps it away"
    if landlock.version():
        assert (report.mark("own files"), report.code) == ("✓", CliExit.OK)
    else:
        assert (report.mark("own files"), report.code) == ("✗", CliExit.NOT_OK)


@pytest.mark.needs_root
@pytest.mark.needs_namespaces
def test_a_tier_that_is_insisted_on_and_cannot_be_had_is_missing() -> None:
    report = consult(*WITHOUT_USER_NAMESPACES, *as_nobody(), SANDBOX="namespaces")

    assert report.code == CliExit.NOT_OK
    assert report.mark("tier") == "✗"
    assert "→ sysctl -w user.max_user_namespaces=15000" in report.line("tier")


@pytest.mark.needs_redis
def test_a_redis_that_would_forget_work_is_not_fit() -> None:
    with EmbeddedRedis() as redis:
        good = consult(REDIS_URI=redis.uri)
        with Redis.from_url(redis.uri) as client:
            client.config_set("maxmemory-policy", "allkeys-lru")
        forgetful = consult(REDIS_URI=redis.uri)

    for name in ("server", "clocks", "version", "eviction", "persistence"):
        assert good.mark(name) == "✓"
    assert forgetful.code == CliExit.NOT_OK
    assert "→ redis-cli CONFIG SET maxmemory-policy noeviction" in forgetful.line("eviction")


def test_a_redis_that_is_away_and_an_interpreter_that_is_missing_are_told_together() -> None:
    report = consult(REDIS_URI="redis://127.0.0.1:1", PYTHON_EXECUTOR_PATH="no-such-python")

    assert report.code == CliExit.NOT_OK
    assert report.mark("server") == "✗"
    assert "PYTHON_EXECUTOR_PATH='no-such-python'" in report.line("tier")


def test_limits_that_are_too_low_for_so_many_workers_are_told_with_the_command() -> None:
    report = consult("sh", "-c", 'ulimit -n 256 && exec "$@"', "sh", MAX_WORKERS="64")

    assert report.code == CliExit.NOT_OK
    assert report.mark("open files") == "✗"
    assert "→ ulimit -n 1024" in report.line("open files")


def test_a_bad_setting_is_named() -> None:
    report = consult(MAX_WORKERS="none")

    assert report.code == CliExit.USAGE
    assert "MAX_WORKERS='none'" in report.text
