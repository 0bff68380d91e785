"""The tests' side of a node process: starts it in a tier, runs programs, and looks at what they leave."""

import json
import os
import queue
import secrets
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import code_judge_workers
from tests.integration.sandbox.attacks.attack import PRELUDES
from tests.integration.sandbox.attacks.bait import Bait
from tests.integration.sandbox.attacks.tiers import Tier

PATIENCE_S = 30.0
"""Seconds for any one answer: an attack that is contained ends long before."""
MAX_PROCESSES, MAX_OPEN_FILES, MAX_FILE_MB, MAX_OUTPUT_MB = 64, 256, 64, 8
ROOT = Path(__file__).parents[4]


def masked(word: str) -> str:
    """As programs get a word that they are to look for: see prelude.txt."""
    return bytes(byte ^ 0x5A for byte in word.encode()).hex()


class Node:
    """A running node process; use :func:`running_node`."""

    def __init__(self, tier: Tier, process: "subprocess.Popen[str]", bait: Bait, folder: str) -> None:
        self.tier = tier
        self.bait = bait
        self.pid = process.pid
        self.mark = f"left-behind-{secrets.token_hex(4)}"
        self.victim, self.expected, self.name = (f"word{secrets.token_hex(5)}" for _ in range(3))
        self._process = process
        self._folder = folder
        self._answers: dict[int, queue.SimpleQueue[dict[str, Any]]] = {}
        self._numbers = iter(range(1_000_000))
        assert process.stdout is not None
        hello = json.loads(process.stdout.readline() or '{"failed": "it ended; see its messages above"}')
        if "failed" in hello:
            raise RuntimeError(f"the node of tier {tier.column!r} did not start: {hello['failed']}")
        assert hello["tier"] == tier.sandbox
        self.has_cgroup: bool = hello["protections"]["memory"]
        self.first_templates = self.templates()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            message = json.loads(line)
            self._answers[message["run"]].put(message["result"])

    def start(self, language: str, source: str, **fields: Any) -> int:
        """Start a program with its prelude; returns the run's number."""
        number = next(self._numbers)
        self._answers[number] = queue.SimpleQueue()
        text = PRELUDES[language].read_text() + source
        submission = {"type": language, "solution": self._filled(text)}
        submission |= json.loads(self._filled(json.dumps(fields)))
        self._tell({"run": number, "submission": submission})
        return number

    def cancel(self, number: int) -> None:
        self._tell({"cancel": number})

    def result(self, number: int) -> dict[str, Any]:
        """The full result of a run. Raises queue.Empty where none comes within PATIENCE_S."""
        return self._answers[number].get(timeout=PATIENCE_S)

    def run(self, language: str, source: str, **fields: Any) -> dict[str, Any]:
        """Start and wait."""
        return self.result(self.start(language, source, **fields))

    def _tell(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()

    def _filled(self, text: str) -> str:
        facts = self._facts()
        for name, value in {
            "FACTS": json.dumps(facts),
            "VICTIM": self.victim,
            "EXPECTED": self.expected,
            "SECRET_FILE": self.bait.secret_file,
            "TCP_PORT": facts["tcp_port"],
            "MAX_PROCESSES": MAX_PROCESSES,
            "MANAGER_PID": facts["judge_pids"][0],
            "LAUNCHER_PID": facts["judge_pids"][1],
            # Quotes that never close: a scanner that starts over at each of them takes for ever.
            "SLOW_TO_SCAN": '"\\' * 20_000,
        }.items():
            text = text.replace(f"@{name}@", str(value))
        return text

    def _facts(self) -> dict[str, Any]:
        return {
            **self.bait.facts(),
            "judge_pids": [self.pid, *descendants(self.pid)[:2]],
            "home": str(Path.home()),
            "package": str(Path(code_judge_workers.__file__).parent),
            "work_folders": [self._folder, *map(str, Path(self._folder).glob("*"))],
            "mark": self.mark,
            "masked_victim": masked(self.victim),
            "masked_expected": masked(self.expected),
            "masked_name": masked(self.name),
            "max_processes": MAX_PROCESSES,
            "max_open_files": MAX_OPEN_FILES,
            "max_file_mb": MAX_FILE_MB,
        }

    def secrets_in(self, text: str) -> list[str]:
        """Which secrets of the node's are in a text."""
        named = {
            "password of Redis": self.bait.password,
            "secret file": self.bait.content,
            "node's argument": self.bait.argument,
        }
        return [name for name, word in named.items() if word in text]

    def templates(self) -> list[int]:
        """Process ids of the launcher's templates."""
        [launcher] = _children(self.pid)
        return sorted(_children(launcher))

    def runs_alive(self) -> list[str]:
        """Processes in a session of their own, as all runs are. None should be there while nothing runs."""
        own = os.getsid(self.pid)
        return [
            f"{process} {_status(process).get('Name')}"
            for process in descendants(self.pid)
            if _session(process, own) != own
        ]

    def peak_memory_mb(self) -> float:
        """Of the manager process."""
        return int(_status(self.pid)["VmHWM"].split()[0]) / 1024

    def descriptors(self) -> dict[str, int]:
        """The manager's, counted by kind; without sockets (one per slot) and cached programs."""
        kinds: dict[str, int] = {}
        for entry in os.scandir(f"/proc/{self.pid}/fd"):
            kind = os.readlink(entry.path).partition(":[")[0]
            if kind != "socket" and "program" not in kind:
                kinds[kind] = kinds.get(kind, 0) + 1
        return kinds

    def slots_with_mounts(self) -> list[int]:
        """Idle slots that still have a working area mounted."""
        mounted = []
        for process in descendants(self.pid):
            mounts = Path(f"/proc/{process}/mountinfo").read_text().splitlines()
            if any(line.split()[4] == "/tmp" and " - tmpfs " in line for line in mounts):
                mounted.append(process)
        return mounted

    def stop(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(PATIENCE_S)
        self._reader.join(PATIENCE_S)
        for left in Path("/dev/shm").glob(f"*{self.mark}*"):  # of attacks that this tier does not contain
            shutil.rmtree(left) if left.is_dir() and not left.is_symlink() else left.unlink()


@contextmanager
def running_node(tier: Tier) -> Iterator[Node]:
    """A node of this tier, ended and checked for leftovers at the end."""
    with ExitStack() as stack:
        bait = Bait(tier.uid, stack)
        folder = tempfile.mkdtemp(prefix="judge-work-", dir="/tmp")
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        os.chmod(folder, 0o711)
        os.chown(folder, tier.uid, -1)
        process = stack.enter_context(_start(tier, bait, folder))
        try:
            node = Node(tier, process, bait, folder)
            first = node.run("python", "held()")
            assert first["verdict"] == "ran", f"tier {tier.column!r}: {first['stderr']}"
            assert _wait_until(lambda: not node.runs_alive()), "the node does not come to rest"
            yield node
            family = descendants(node.pid)
            node.stop()
            assert process.returncode == 0
            assert _wait_until(lambda: not any(map(_is_there, family))), "processes are left"
            assert os.listdir(folder) == [], "files are left"
            assert node_cgroups(process.pid) == [], "control groups are left"
        finally:
            process.kill()


def _wait_until(settled: Callable[[], bool]) -> bool:
    """Whether it becomes true in time: what is ending, or only starting, gets that time."""
    deadline = time.monotonic() + PATIENCE_S
    while not settled():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def _is_there(process: int) -> bool:
    return os.path.exists(f"/proc/{process}")


def _start(tier: Tier, bait: Bait, folder: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", f"{__package__}.node_process", bait.argument]
    if os.geteuid() == 0 and tier.runs_as_others:
        way = f"{sys.prefix}:{sys.base_prefix}:{ROOT}"
        command = [sys.executable, "-m", f"{__package__}.become_user", str(tier.uid), way, *command]
    return subprocess.Popen(
        command,
        cwd=ROOT,
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            "TMPDIR": folder,
            "REDIS_URI": f"redis://:{bait.password}@127.0.0.1:{bait.tcp.getsockname()[1]}",
            "SANDBOX": tier.sandbox,
            "PYTHON_EXECUTOR_PATH": sys.executable,
            "WARM_TEMPLATES": ";",  # the bare one only
            # Without C++'s own headers, so that a new node is not busy with precompiling them.
            "CPP_FLAGS": "-std=gnu++17 -O0 -nostdinc++",
            "MAX_WORKERS": "4",
            "MAX_PROCESSES": str(MAX_PROCESSES),
            "MAX_OPEN_FILES": str(MAX_OPEN_FILES),
            "MAX_FILE_MB": str(MAX_FILE_MB),
            "MAX_OUTPUT_MB": str(MAX_OUTPUT_MB),
            "MAX_STDOUT_ERROR_LENGTH": "100000",
            "COMPILE_TIME_LIMIT": "3",
            "COMPILE_MEMORY": "512",
        },
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def descendants(pid: int) -> list[int]:
    """Every process below ``pid``, parents first."""
    found: list[int] = []
    generation = [pid]
    while generation:
        generation = [child for parent in generation for child in _children(parent)]
        found += generation
    return found


def node_cgroups(pid: int) -> list[str]:
    """Control groups that a node of this process id made."""
    return [
        os.path.join(top, name)
        for top, names, _ in os.walk("/sys/fs/cgroup")
        for name in names
        if name.startswith(f"code-judge-{pid}")
    ]


def _children(pid: int) -> list[int]:
    found: list[int] = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            found += map(int, Path(f"/proc/{pid}/task/{task}/children").read_text().split())
    except OSError:
        pass
    return found


def _session(pid: int, otherwise: int) -> int:
    try:
        return os.getsid(pid)
    except ProcessLookupError:  # ended meanwhile
        return otherwise


def _status(pid: int) -> dict[str, str]:
    try:
        lines = Path(f"/proc/{pid}/status").read_bytes().decode(errors="replace").splitlines()
    except OSError:
        return {}
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}
