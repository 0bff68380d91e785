"""How log lines of all roles look: text for people, or one JSON object per line for collectors."""

import json
import logging
import sys
from datetime import UTC, datetime

from .settings import LogFormat, Settings

TEXT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


class JsonFormatter(logging.Formatter):
    """``{"time", "level", "logger", "message"}``, and ``"exception"`` where there is a traceback."""

    def format(self, record: logging.LogRecord) -> str:
        fields = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            fields["exception"] = self.formatException(record.exc_info)
        return json.dumps(fields)


def configure_logs(settings: Settings) -> None:
    """Send what this process logs to stderr, as LOG_LEVEL and LOG_FORMAT say. For entry points only."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        JsonFormatter() if settings.log_format is LogFormat.JSON else logging.Formatter(TEXT)
    )
    logging.basicConfig(level=settings.log_level, handlers=[handler])
