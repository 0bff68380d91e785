"""For each reason why a machine refuses a wall, the one thing that brings it."""

from dataclasses import replace
from pathlib import Path

import pytest

from code_judge_workers.doctor import remedies
from code_judge_workers.doctor.host import Host

USER = Host(
    is_root=False,
    has_admin_rights=False,
    is_filtered=False,
    user_namespaces=True,
    clone_switch=True,
    apparmor_refuses=False,
)
ROOT = replace(USER, is_root=True, has_admin_rights=True)


@pytest.mark.parametrize(
    ("host", "command"),
    [
        (replace(USER, user_namespaces=False), "sysctl -w user.max_user_namespaces="),
        (replace(USER, clone_switch=False), "sysctl -w kernel.unprivileged_userns_clone=1"),
        (replace(USER, apparmor_refuses=True), "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"),
        (replace(USER, is_filtered=True), "--security-opt seccomp=unconfined"),
        (replace(ROOT, is_filtered=True), "--security-opt seccomp=unconfined"),
        (replace(ROOT, has_admin_rights=False), "--privileged"),
        (USER, "run the node as root"),
        (ROOT, "systempaths=unconfined"),
    ],
)
def test_what_brings_namespaces_depends_on_who_refuses_them(host: Host, command: str) -> None:
    assert command in remedies.for_namespaces(host)


def test_root_may_get_a_cgroup_by_a_mount_and_others_by_delegation() -> None:
    assert "mount -o remount,rw" in remedies.for_wall("memory", ROOT)
    assert "Delegate=yes" in remedies.for_wall("memory", USER)


@pytest.mark.parametrize("wall", ["own processes", "own files", "no network", "own user", "system calls"])
def test_every_wall_has_a_remedy(wall: str) -> None:
    assert remedies.for_wall(wall, USER)


def test_the_kernels_switches_are_read_where_they_are(tmp_path: Path) -> None:
    files = {
        "self/status": "Name:\tx\nCapEff:\t0000000000200000\nSeccomp:\t2\n",
        "sys/user/max_user_namespaces": "0\n",
        "sys/kernel/apparmor_restrict_unprivileged_userns": "1\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)

    host = Host.look(tmp_path)

    assert (host.has_admin_rights, host.is_filtered) == (True, True)
    assert (host.user_namespaces, host.clone_switch, host.apparmor_refuses) == (False, True, True)
