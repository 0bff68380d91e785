"""How this node will run programs: the interpreter, the tier, and what launcher and slots are told."""

import json
import os
import resource
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from code_judge.contract import Protection
from code_judge.settings import SandboxChoice, Settings

from . import root
from .limits import MEGABYTE, Limits
from .outcome import SandboxSetupError
from .program import Program

UID_BASE = 20_000
"""First uid of any slot: above most people and services, and within the 65,536 of a container."""
UIDS_PER_NODE = 2_100
NODES_PER_MACHINE = 21
"""Nodes of one machine take different uids: processes of one uid may signal each other."""
NOBODY = 65_534
"""Who runs are where we are root but were told to use no uids of their own."""
BARE_TEMPLATE = "bare"
_PACKAGE_FOLDER = Path(__file__).parents[1]
_JUDGE = "/.judge"
_HEADERS = "/.headers"

_PROBE_INTERPRETER = """
import json, os, sys
print(json.dumps([sys.executable, sys.version_info[:2], sys.implementation.name, os.path.dirname(os.__file__),
                  [sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix]]))
"""

WARM_UPS = {
    "numpy": "numpy.arange(4).reshape(2, 2).dot(numpy.eye(2)).sum(); numpy.random.rand(2)",
    "sympy": (
        "x, y = sympy.symbols('x y'); e = (x + y) ** 3\n"
        "sympy.factor(sympy.expand(e)); sympy.solve(x**2 - 2, x); sympy.simplify(sympy.sin(x)**2)\n"
        "sympy.diff(e, x); sympy.integrate(x**2, x); sympy.factorint(360); str(e); sympy.N(sympy.pi)"
    ),
    "pandas": "pandas.DataFrame({'a': [1, 2]}).groupby('a').sum().to_string()",
    "scipy": "import scipy.optimize, scipy.stats, scipy.special, scipy.linalg",
}
"""What a template runs once after its imports: libraries do much of their work at first use."""


@dataclass(frozen=True)
class Interpreter:
    """The configured Python."""

    path: str
    version: str
    library: str
    """Folder of its standard library."""
    prefixes: list[str]

    @classmethod
    def find(cls, name: str) -> "Interpreter":
        """Ask it about itself. Raises SandboxSetupError where it cannot serve."""
        path = shutil.which(name)
        if path is None:
            raise SandboxSetupError(
                "find the interpreter",
                f"PYTHON_EXECUTOR_PATH={name!r} is not an executable; install it or set the path",
            )
        probe = subprocess.run(
            [path, "-c", _PROBE_INTERPRETER], capture_output=True, text=True, timeout=60, check=False
        )
        if probe.returncode:
            raise SandboxSetupError("ask the interpreter", f"{path}: {probe.stderr.strip()[-500:]}")
        executable, version, implementation, library, prefixes = json.loads(probe.stdout)
        if implementation != "cpython" or tuple(version) < (3, 9):
            raise SandboxSetupError(
                "check the interpreter",
                f"{path} is {implementation} {version}; CPython 3.9 or newer is needed",
            )
        return cls(executable, ".".join(map(str, version)), library, prefixes)


class Plan:
    """The node's plan; made once, before the launcher starts."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.interpreter = Interpreter.find(settings.python_executor_path)
        # The process id says whose it is: a later node removes those of dead processes.
        self.cgroup_name = f"code-judge-{os.getpid()}-{secrets.token_hex(4)}"
        self._work_folder = tempfile.mkdtemp(prefix="code-judge-")
        os.chmod(self._work_folder, 0o711)
        self.headers_folder = Path(self._work_folder, "headers")
        self.headers_folder.mkdir()
        self._is_root = os.geteuid() == 0
        self._root = self._root_config()
        self._uid_lock: socket.socket | None = None
        self._uid_base = 0
        try:
            self._probed: dict[str, str] = self._probe()
            self.tier = self._choose_tier()
            if self._own_uids:
                self._uid_lock, self._uid_base = _take_uids()
        except BaseException:  # a node that cannot start is started again and again: nothing may gather
            self._remove_work_folder()
            raise
        self.counts_processes = False
        """Whether cgroups count each run's processes, as the launcher reports; else uids do."""

    @property
    def template_names(self) -> dict[str, list[str]]:
        """Import sets to keep warm, by template name; the bare one first."""
        sets = [entry.split() for entry in self._settings.warm_templates.split(";")]
        warm = {"-".join(names): names for names in sets if names} if self._settings.warm_starts else {}
        return {BARE_TEMPLATE: [], **warm}

    def uid_of(self, slot: int) -> int:
        """The slot's own uid, or 0 where runs have the node's."""
        if self._own_uids:
            return self._uid_base + slot
        return NOBODY if self._is_root else 0

    @property
    def _own_uids(self) -> bool:
        return self._is_root and self.tier != SandboxChoice.BARE

    @property
    def headers_seen_at(self) -> str:
        """Where runs find the node's precompiled headers."""
        return _HEADERS if self.tier == SandboxChoice.NAMESPACES else str(self.headers_folder)

    def environment(self) -> dict[str, str]:
        """All that a program finds in its environment."""
        bin_folder = os.path.dirname(self.interpreter.path)
        paths = dict.fromkeys([bin_folder, "/usr/local/bin", "/usr/bin", "/bin"])
        return {
            "PATH": ":".join(paths),
            "HOME": "/tmp",
            "LANG": "C.UTF-8",
            # Contest judges do not limit digits; CPython does since 3.11.
            "PYTHONINTMAXSTRDIGITS": "0",
            # One run has one core's worth of time: thread pools would only cost memory.
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
            "MKL_NUM_THREADS": "1",
            "NUMEXPR_NUM_THREADS": "1",
        }

    def launcher_environment(self) -> dict[str, str]:
        """The launcher's: nothing of the node's own, so that no secret is in its memory."""
        return {
            "PATH": os.defpath,
            "LANG": "C.UTF-8",
            "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
        }

    def launcher_message(self) -> dict[str, Any]:
        """What the launcher is told at its start."""
        in_namespaces = self.tier == SandboxChoice.NAMESPACES
        package = _JUDGE if in_namespaces else str(_PACKAGE_FOLDER.parent)
        return {
            "python": self.interpreter.path,
            "boot": f"{package}/code_judge_workers/sandbox/boot",
            "environment": self.environment(),
            "root": {**self._root, "user_namespace": not self._is_root},
            "cgroups": True,
            "cgroup_name": self.cgroup_name,
            "max_processes": self._settings.max_processes,
            "work_folder": self._work_folder,
            "slot": {
                "tier": self.tier.value,
                "uid": NOBODY if self._is_root else 0,
                "uid_base": self._uid_base,
                "max_processes": self._settings.max_processes,
                "network": "separate" if in_namespaces else "filtered",
                "seccomp": not self._probed["seccomp"],
                "landlock": not self._probed["landlock"],
                "readable": self._readable(),
                "work_folder": self._work_folder,
                "work_area_bytes": int(self._settings.max_file_mb * MEGABYTE),
                "rebind": self._root["rebind"],
            },
            "templates": {
                name: {"imports": modules, "warm_up": self._warm_up(modules)}
                for name, modules in self.template_names.items()
            },
        }

    def run_message(self, program: Program, limits: Limits) -> dict[str, Any]:
        """What a slot is told of one run."""
        rlimits = [
            (resource.RLIMIT_CORE, 0),
            (resource.RLIMIT_FSIZE, limits.file_bytes),
            (resource.RLIMIT_NOFILE, limits.open_files),
            (resource.RLIMIT_STACK, max(limits.memory_bytes, 8 * MEGABYTE)),
        ]
        # In the uids tier it binds before the cgroup does, so that the slot can still fork what ends the run.
        if self._own_uids and (not self.counts_processes or self.tier is SandboxChoice.UIDS):
            rlimits.append((resource.RLIMIT_NPROC, limits.processes))
        return {
            "argv": program.argv,
            # A template has the fixed part already.
            "env": dict(program.environment) if program.argv is None else self._full_environment(program),
            "cpu_limit_s": limits.cpu_s,
            "wall_limit_s": limits.wall_s,
            "memory_bytes": limits.memory_bytes,
            "rlimits": rlimits,
            "nice": limits.nice,
            "artifact": program.artifact,
        }

    def _full_environment(self, program: Program) -> dict[str, str]:
        return {**self.environment(), **program.environment}

    def protections(self, report: dict[str, Any]) -> list[Protection]:
        """The walls that stand and those that are missing, with the reason."""
        namespaces = self.tier == SandboxChoice.NAMESPACES
        why_not = self._probed["namespaces"] or "not chosen"
        landlock = "" if namespaces else self._probed["landlock"]
        return [
            _protection("own processes", namespaces, "pid namespace per slot", why_not),
            _protection(
                "own files",
                namespaces or not landlock,
                "mount namespace" if namespaces else "Landlock",
                landlock,
            ),
            _protection(
                "no network",
                namespaces or not self._probed["seccomp"],
                "empty network namespace" if namespaces else "seccomp",
                self._probed["seccomp"],
            ),
            _protection("own user", self._own_uids, f"uids from {self._uid_base} up", "needs root"),
            _protection(
                "system calls", not self._probed["seccomp"], "seccomp deny list", self._probed["seccomp"]
            ),
            _protection(
                "memory",
                report.get("has_cgroups", False),
                report.get("cgroups", ""),
                f"sampled only: {report.get('cgroups', '')}",
            ),
        ]

    def close(self) -> None:
        """Remove the working folder and free the uids. Idempotent."""
        if self._uid_lock is not None:
            self._uid_lock.close()
        self._remove_work_folder()

    def _remove_work_folder(self) -> None:
        shutil.rmtree(self._work_folder, ignore_errors=True)

    def _warm_up(self, modules: list[str]) -> str:
        imports = [f"import {name}" for name in modules]
        return "\n".join([*imports, *(WARM_UPS[name] for name in modules if name in WARM_UPS)])

    def _readable(self) -> list[str]:
        """For Landlock: what programs may read outside their working directory."""
        return [
            "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/etc/ld.so.cache",
            "/etc/alternatives", "/etc/localtime", "/etc/passwd", "/etc/group", "/etc/nsswitch.conf",
            "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/proc",
            *(source for source, _ in self._root["bind"]),
        ]  # fmt: skip

    def _root_config(self) -> dict[str, Any]:
        folders = root.tool_folders(
            [self.interpreter.path, self._settings.cpp_compiler_path], self.interpreter.prefixes
        )
        # Folders below /tmp are covered by each run's own /tmp: a second place keeps them at hand.
        hidden = [folder for folder in folders if folder.startswith("/tmp/")]
        return {
            "library": self.interpreter.library,
            "bind": [[folder, folder] for folder in folders]
            + [[str(_PACKAGE_FOLDER), f"{_JUDGE}/code_judge_workers"]]
            + [[str(self.headers_folder), _HEADERS]],
            "rebind": [[f"/.interpreter-{number}", folder] for number, folder in enumerate(hidden)],
        }

    def _probe(self) -> dict[str, str]:
        probe = subprocess.run(
            [sys.executable, "-m", "code_judge_workers.sandbox.probe"],
            env=self.launcher_environment(),
            input=json.dumps(self._root),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        if probe.returncode:
            raise SandboxSetupError("probe the machine", probe.stderr.strip()[-1000:])
        answers: dict[str, str] = json.loads(probe.stdout)
        return answers

    def _choose_tier(self) -> SandboxChoice:
        """The wanted tier, or the strongest that holds. Raises SandboxSetupError where it does not hold."""
        problems = {
            SandboxChoice.NAMESPACES: self._probed["namespaces"] or self._probed["seccomp"],
            SandboxChoice.UIDS: self._probed["uids"] or self._probed["seccomp"],
            # Root's runs are another user's here, too.
            SandboxChoice.BARE: self._probed["uids"] if self._is_root else "",
        }
        wanted = self._settings.sandbox
        if wanted is SandboxChoice.AUTO:
            for tier, problem in problems.items():
                if not problem:
                    return tier
            raise SandboxSetupError("choose a tier", "; ".join(f"{t}: {p}" for t, p in problems.items()))
        if problems[wanted]:
            raise SandboxSetupError(
                f"SANDBOX={wanted}",
                f"{problems[wanted]}; set SANDBOX=auto to take the strongest tier that holds",
            )
        return wanted


def _take_uids() -> tuple[socket.socket, int]:
    """The first range of uids that no other node of this machine has, and what holds it: a name in the
    abstract namespace, which the kernel frees however the node ends."""
    lock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    for number in range(NODES_PER_MACHINE):
        try:
            lock.bind(f"\0code-judge-uids-{number}")
        except OSError:
            continue
        return lock, UID_BASE + number * UIDS_PER_NODE
    raise SandboxSetupError("take uids", f"{NODES_PER_MACHINE} nodes run on this machine already; stop one")


def _protection(name: str, active: bool, how: str, missing: str) -> Protection:
    return Protection(name=name, active=active, detail=how if active else missing)
