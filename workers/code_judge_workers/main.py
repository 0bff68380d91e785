"""The worker node's entry point: ``python run_workers.py``, or ``python -m code_judge_workers.main``."""

import os
import secrets
import socket
import sys

from code_judge.errors import SettingsError
from code_judge.logs import configure_logs
from code_judge.metrics import Tally
from code_judge.settings import Settings
from code_judge.tracing import open_tracing

from .exit_codes import NodeExit
from .manager import WorkerManager
from .signals import on_stop_signals


def main() -> NodeExit:
    """Run one node, as the environment says, until it is asked to stop."""
    # Here, so that the manager and its tests need neither Redis nor a sandbox.
    from code_judge.queue.redis_node_queue import RedisNodeQueue

    from .judge import SandboxExecutor
    from .sandbox.outcome import SandboxSetupError

    try:
        settings = Settings.from_env(os.environ)
        if not settings.redis_uri:
            raise SettingsError(
                "REDIS_URI is not set: a worker node needs the address of the master's Redis, such as "
                "redis://HOST:6379. For a judge on this machine alone, use `code-judge up` instead."
            )
        configure_logs(settings)
        name = settings.node_name or unique_name()
        tally = Tally()
        queue = RedisNodeQueue(settings, name, tally=tally)
        tracing = open_tracing(settings, "worker")
        manager = WorkerManager(settings, name, queue, SandboxExecutor(settings, tally), tracing)
        with on_stop_signals(manager.drain, manager.kill):
            return manager.run()
    except SettingsError as error:
        print(error, file=sys.stderr)
        return NodeExit.BAD_SETTINGS
    except SandboxSetupError as error:
        print(error, file=sys.stderr)
        return NodeExit.NO_SANDBOX


def unique_name() -> str:
    """A name for this node. Host and process id alone can be the same in two containers on one host."""
    return f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(2)}"


if __name__ == "__main__":
    sys.exit(main())
