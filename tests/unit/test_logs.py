"""Log lines are for people or for collectors, as the settings say."""

import json
import logging
import sys

from code_judge.logs import JsonFormatter


def record_of(message: str, *args: object, error: bool = False) -> logging.LogRecord:
    exc_info = sys.exc_info() if error else None
    return logging.LogRecord("code_judge.x", logging.WARNING, __file__, 1, message, args, exc_info)


def test_a_json_line_carries_time_level_logger_and_message() -> None:
    line = JsonFormatter().format(record_of("lost %d items\nat once", 3))

    assert "\n" not in line
    fields = json.loads(line)
    assert set(fields) == {"time", "level", "logger", "message"}
    assert (fields["level"], fields["logger"]) == ("WARNING", "code_judge.x")
    assert fields["message"] == "lost 3 items\nat once"


def test_a_json_line_carries_the_traceback_of_an_error() -> None:
    try:
        raise ValueError("what happened")
    except ValueError:
        line = JsonFormatter().format(record_of("failed", error=True))

    assert "ValueError: what happened" in json.loads(line)["exception"]
