"""Log lines are for people or for collectors, as the settings say."""

import json
import logging
import sys

import pytest

from code_judge.logs import Event, JsonFormatter, TextFormatter
from tests.support.pages import page, table


def record_of(message: str, *args: object, error: bool = False) -> logging.LogRecord:
    exc_info = sys.exc_info() if error else None
    return logging.LogRecord("code_judge.x", logging.WARNING, __file__, 1, message, args, exc_info)


def event_of(**fields: object) -> logging.LogRecord:
    record = record_of(Event.JUDGED.value)
    record.fields = fields
    return record


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


def test_a_text_line_carries_an_events_fields() -> None:
    line = TextFormatter().format(event_of(work_id="{a}:0-1", wall_time=0.1234567891))

    assert line.endswith(" WARNING code_judge.x: judged work_id={a}:0-1 wall_time=0.123457")


def test_a_json_line_carries_an_events_fields() -> None:
    fields = json.loads(JsonFormatter().format(event_of(work_id="{a}:0-1", attempt=2)))

    assert (fields["message"], fields["work_id"], fields["attempt"]) == ("judged", "{a}:0-1", 2)


@pytest.mark.parametrize("name", ["two words", "a=1\nb=2", 'say "so"', "", "\x1b[31m"])
def test_what_a_caller_has_chosen_stays_within_its_field(name: str) -> None:
    line = TextFormatter().format(event_of(sub_id=name))

    assert line.isprintable()
    assert json.loads(line.rpartition("sub_id=")[2]) == name


def test_every_event_is_documented_and_no_other() -> None:
    assert set(table(page("docs/logs.md"), "Events")) == set(Event)
