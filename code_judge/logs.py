"""How log lines of all roles look: text for people, or one JSON object per line for collectors.

What happens to submissions is logged as events with ids as fields, so that one can be followed from the
request to its run and back; ``docs/logs.md`` lists them. No line holds a submission's text or output.
"""

import json
import logging
import sys
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from .settings import LogFormat, Settings

TEXT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


class Event(StrEnum):
    """What happens to a request at INFO, and to each of its submissions at DEBUG."""

    ACCEPTED = "accepted"
    """A request's submissions are in the queue."""
    SUBMITTED = "submitted"
    """One of them is: ties the caller's ``sub_id`` to our ``work_id``."""
    CLAIMED = "claimed"
    """A node has taken it."""
    JUDGED = "judged"
    """The node has a result; a WARNING where the judge itself has failed."""
    ANSWERED = "answered"
    """The master has the result."""
    CLOSED = "closed"
    """Nobody waits for the request any more: all was answered, or the rest is cancelled."""


def log_event(log: logging.Logger, level: int, event: Event, **fields: object) -> None:
    """Log ``event`` with its ids. Per submission, ask ``log.isEnabledFor`` before the fields are made."""
    log.log(level, event.value, extra={"fields": fields})


class JsonFormatter(logging.Formatter):
    """``{"time", "level", "logger", "message"}``, an event's fields, and ``"exception"`` with a traceback."""

    def format(self, record: logging.LogRecord) -> str:
        fields = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            **_fields(record),
        }
        if record.exc_info:
            fields["exception"] = self.formatException(record.exc_info)
        return json.dumps(fields)


class TextFormatter(logging.Formatter):
    """The line, then an event's fields as ``name=value``, quoted where they are not plain words."""

    def __init__(self) -> None:
        super().__init__(TEXT)

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        fields = "".join(f" {name}={_plain(value)}" for name, value in _fields(record).items())
        return super().formatMessage(record) + fields


def _fields(record: logging.LogRecord) -> dict[str, Any]:
    fields: dict[str, Any] = getattr(record, "fields", {})
    return fields


def _plain(value: object) -> str:
    """One word: what callers have chosen must not look like a field or a line of its own."""
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return text if text.isprintable() and text and " " not in text and '"' not in text else json.dumps(text)


def configure_logs(settings: Settings) -> None:
    """Send what this process logs to stderr, as LOG_LEVEL and LOG_FORMAT say. For entry points only."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if settings.log_format is LogFormat.JSON else TextFormatter())
    logging.basicConfig(level=settings.log_level, handlers=[handler])
    if settings.log_format is LogFormat.JSON:
        # uvicorn has set up its own by now: a collector would stumble over lines of another kind.
        for name in ("uvicorn", "uvicorn.access"):
            logger = logging.getLogger(name)
            logger.handlers.clear()
            logger.propagate = True
