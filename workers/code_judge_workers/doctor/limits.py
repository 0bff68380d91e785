"""Limits of this process and this machine that would bind before MAX_WORKERS does."""

import os
import resource
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil

from code_judge.settings import SandboxChoice, Settings

from ..sandbox.cgroups import own_limit
from ..sandbox.limits import MEGABYTE
from .finding import Finding, Grade

TOPIC = "limits"
BASE_DESCRIPTORS = 64
DESCRIPTORS_PER_WORKER = 10
"""A slot's socket, and a run's streams, files and program, counted in a busy node and rounded up."""
BASE_TASKS = 64
TASKS_PER_WORKER = 3
"""A thread of the node, its slot, and one process of the program's."""
NODE_FILES_MB = 512
"""What a node itself keeps in its temporary folder: precompiled headers, mostly."""


def examine_limits(settings: Settings, tier: SandboxChoice | None) -> list[Finding]:
    """Look at each. ``tier`` says which folders programs write to; None where it is not known."""
    return [_descriptors(settings), _tasks(settings), _memory(settings), *_space(settings, tier)]


def _descriptors(settings: Settings) -> Finding:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = BASE_DESCRIPTORS + DESCRIPTORS_PER_WORKER * settings.max_workers
    remedy = f"ulimit -n {max(needed, settings.max_open_files)} (a unit: LimitNOFILE=)"
    if _below(soft, needed):
        detail = f"{soft} descriptors, {needed} are needed for MAX_WORKERS={settings.max_workers}"
        return Finding(TOPIC, "open files", Grade.MISSING, detail, remedy)
    if _below(hard, settings.max_open_files):
        detail = f"programs get {hard}, not MAX_OPEN_FILES={settings.max_open_files}"
        return Finding(TOPIC, "open files", Grade.WEAK, detail, remedy)
    return Finding(TOPIC, "open files", Grade.FINE, f"{_told(soft)}, {needed} needed")


@dataclass(frozen=True, slots=True)
class _Bound:
    """Something that bounds how many processes and threads there can be."""

    name: str
    limit: float
    remedy: str


def _tasks(settings: Settings) -> Finding:
    """Processes and threads: of this user, of this cgroup, of the machine."""
    bound = min(_task_bounds(), key=lambda one: one.limit)
    needed = BASE_TASKS + TASKS_PER_WORKER * settings.max_workers
    all_at_once = needed + settings.max_workers * settings.max_processes
    told = f"{bound.name} is {bound.limit:.0f}"
    if bound.limit < needed:
        detail = f"{told}, {needed} are needed for MAX_WORKERS={settings.max_workers}"
        return Finding(TOPIC, "processes", Grade.MISSING, detail, bound.remedy)
    if bound.limit < all_at_once:
        detail = f"{told}: programs could want {all_at_once}, by MAX_WORKERS × MAX_PROCESSES"
        return Finding(TOPIC, "processes", Grade.WEAK, detail, bound.remedy)
    return Finding(TOPIC, "processes", Grade.FINE, f"{told}, {needed} needed")


def _task_bounds() -> Iterator[_Bound]:
    of_user, _ = resource.getrlimit(resource.RLIMIT_NPROC)
    if os.geteuid() and of_user != resource.RLIM_INFINITY:  # Linux does not hold root to it
        yield _Bound("RLIMIT_NPROC", of_user, "ulimit -u unlimited (a unit: LimitNPROC=infinity)")
    of_group = own_limit("pids", "pids.max")
    if of_group is not None:
        yield _Bound("pids.max", of_group, "docker run --pids-limit -1 ... (a unit: TasksMax=infinity)")
    of_machine = int(Path("/proc/sys/kernel/pid_max").read_text())
    yield _Bound("kernel.pid_max", of_machine, "sysctl -w kernel.pid_max=4194304")


def _memory(settings: Settings) -> Finding:
    available: float = psutil.virtual_memory().available
    of_group = own_limit("memory", "memory.max", "memory.limit_in_bytes")
    if of_group is not None:
        available = min(available, of_group)
    each = settings.max_memory * MEGABYTE
    all_at_once = settings.max_workers * each
    told = f"{available / 1e9:.1f} GB free, programs may take {all_at_once / 1e9:.1f} GB"
    if available < all_at_once:
        remedy = f"MAX_WORKERS={max(1, int(available // each))}, or a lower MAX_MEMORY"
        return Finding(TOPIC, "free memory", Grade.WEAK, f"{told}, by MAX_WORKERS × MAX_MEMORY", remedy)
    return Finding(TOPIC, "free memory", Grade.FINE, told)


def _space(settings: Settings, tier: SandboxChoice | None) -> Iterator[Finding]:
    own_areas = tier is SandboxChoice.NAMESPACES
    programs_mb = 0.0 if own_areas else settings.max_workers * settings.max_file_mb
    folder = tempfile.gettempdir()
    yield _free(folder, NODE_FILES_MB + programs_mb, f"set TMPDIR to a folder with more room than {folder}")
    if not own_areas:
        # In the other tiers programs share the machine's own.
        remedy = "docker run --shm-size 1g ... (or mount -o remount,size=1G /dev/shm)"
        yield _free("/dev/shm", programs_mb, remedy)


def _free(folder: str, wanted_mb: float, remedy: str) -> Finding:
    try:
        free_mb = shutil.disk_usage(folder).free / MEGABYTE
    except FileNotFoundError:
        return Finding(TOPIC, folder, Grade.WEAK, "is not there", remedy)
    told = f"{free_mb:,.0f} MB free, {wanted_mb:,.0f} MB wanted"
    if free_mb < wanted_mb:
        return Finding(TOPIC, folder, Grade.WEAK, told, remedy)
    return Finding(TOPIC, folder, Grade.FINE, told)


def _below(limit: int, needed: int) -> bool:
    return limit != resource.RLIM_INFINITY and limit < needed


def _told(limit: int) -> str:
    return "unlimited" if limit == resource.RLIM_INFINITY else str(limit)
