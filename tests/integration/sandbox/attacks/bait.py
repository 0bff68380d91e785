"""What attacks look for outside the sandbox: a secret file, and sockets that must stay silent."""

import os
import secrets
import shutil
import socket
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any


class Bait:
    """Laid out for one node, and taken away at the end of ``stack``."""

    def __init__(self, uid: int, stack: ExitStack) -> None:
        self.password, self.argument, self.content = (f"needle{secrets.token_hex(8)}" for _ in range(3))
        self.folder = tempfile.mkdtemp(prefix="judge-attacks-", dir="/var/tmp")
        stack.callback(shutil.rmtree, self.folder)
        os.chmod(self.folder, 0o755)
        self.secret_file = f"{self.folder}/secret.txt"
        Path(self.secret_file).write_text(f"{self.content} and more\n")
        self.abstract = f"@judge-attacks-{secrets.token_hex(4)}"
        self.tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        self.udp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        self.udp.bind(("127.0.0.1", 0))
        unix = [stack.enter_context(socket.socket(socket.AF_UNIX)) for _ in range(3)]
        for listener, address in zip(unix, self._unix_addresses(), strict=True):
            listener.bind(address)
            listener.listen()
        os.chmod(f"{self.folder}/private.sock", 0o600)
        os.chmod(f"{self.folder}/open.sock", 0o777)
        os.chown(f"{self.folder}/private.sock", uid, -1)
        self._silent = [self.tcp, self.udp, *unix]
        for listener in self._silent:
            listener.setblocking(False)

    def _unix_addresses(self) -> list[str]:
        return [
            self.abstract.replace("@", "\0", 1),
            f"{self.folder}/private.sock",
            f"{self.folder}/open.sock",
        ]

    def visitors(self) -> list[str]:
        """Who came to a socket since the last call."""
        found = []
        for listener in self._silent:
            try:
                if listener.type == socket.SOCK_DGRAM:
                    found.append(f"datagram {listener.recv(100)!r}")
                else:
                    connection, _ = listener.accept()
                    connection.close()
                    found.append(f"connection to {listener.getsockname()!r}")
            except BlockingIOError:
                pass
        return found

    def facts(self) -> dict[str, Any]:
        return {
            "secret_file": self.secret_file,
            "abstract_socket": self.abstract,
            "private_socket": f"{self.folder}/private.sock",
            "open_socket": f"{self.folder}/open.sock",
            "tcp_port": self.tcp.getsockname()[1],
            "udp_port": self.udp.getsockname()[1],
        }
