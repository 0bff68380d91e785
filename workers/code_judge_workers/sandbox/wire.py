"""Messages with descriptors over a SOCK_SEQPACKET pair: one JSON object, whole or not at all."""

from __future__ import annotations

import array
import json
import os
import socket
from typing import Any

MAX_MESSAGE_BYTES = 64 * 1024
"""Longer texts travel in memory files; a message is control data only."""
MAX_DESCRIPTORS = 16
_ANCILLARY_BYTES = socket.CMSG_SPACE(MAX_DESCRIPTORS * array.array("i").itemsize)


def pair() -> tuple[socket.socket, socket.socket]:
    """Two connected ends."""
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)


def send(connection: socket.socket, message: dict[str, Any], descriptors: list[int] | None = None) -> None:
    """Send one message. Raises OSError where the other end is gone."""
    data = json.dumps(message).encode()
    if descriptors:
        rights = array.array("i", descriptors).tobytes()
        connection.sendmsg([data], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)], socket.MSG_NOSIGNAL)
    else:
        connection.send(data, socket.MSG_NOSIGNAL)


def receive(connection: socket.socket) -> tuple[dict[str, Any] | None, list[int]]:
    """The next message and its descriptors (closed on exec), or None where the other end is gone."""
    try:
        data, ancillary, _, _ = connection.recvmsg(
            MAX_MESSAGE_BYTES, _ANCILLARY_BYTES, socket.MSG_CMSG_CLOEXEC
        )
    except ConnectionError:
        return None, []
    descriptors = array.array("i")
    for level, kind, payload in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            descriptors.frombytes(payload[: len(payload) - len(payload) % descriptors.itemsize])
    if not data:
        for descriptor in descriptors:
            os.close(descriptor)
        return None, []
    message: dict[str, Any] = json.loads(data)
    return message, list(descriptors)
