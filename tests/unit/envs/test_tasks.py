"""Files of tasks: what is taken, what is refused, and what anybody may know."""

import json
from pathlib import Path
from typing import Any

import pytest

from code_judge_env.server.errors import EnvSettingsError, TaskNotFound
from code_judge_env.server.tasks import OWN_TASKS, Task, TaskSet

TESTS = [{"input": "HIDDEN-in", "expected_output": "HIDDEN-out"}]


def task(name: str, **fields: Any) -> dict[str, Any]:
    return {"id": name, "prompt": "…", "tests": TESTS, **fields}


def read(folder: Path, *lines: Any) -> TaskSet:
    file = folder / "tasks.jsonl"
    file.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    return TaskSet.read(file)


def test_tasks_keep_their_order_and_splits(tmp_path: Path) -> None:
    tasks = read(tmp_path, task("a"), "", task("b", split="test"), task("c"))

    assert tasks.splits == ["train", "test"]
    assert [it.id for it in tasks.split("train")] == ["a", "c"]
    assert tasks.at("train", 1).id == "c"
    assert tasks.named("b").split == "test"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{HIDDEN", "tasks.jsonl:2: not JSON"),
        (task("b", tests=[]), "tests"),
        (task("b", tests=[{"input": {"HIDDEN": 1}}]), "tests.0.input"),
        (task("b", checker="HIDDEN"), "checker"),
        (task("b", secret="HIDDEN"), "secret"),
        (task("b", time_limit=0), "time_limit"),
        (task("a"), "a second task 'a'"),
    ],
)
def test_a_bad_line_is_named_and_not_quoted(tmp_path: Path, line: Any, told: str) -> None:
    with pytest.raises(EnvSettingsError) as error:
        read(tmp_path, task("a"), line)
    assert told in str(error.value)
    assert "tasks.jsonl:2" in str(error.value)
    if not told.startswith("checker"):
        assert "HIDDEN" not in str(error.value)


def test_a_file_that_is_missing_or_empty_is_named(tmp_path: Path) -> None:
    with pytest.raises(EnvSettingsError, match=r"none\.jsonl"):
        TaskSet.read(tmp_path / "none.jsonl")
    with pytest.raises(EnvSettingsError, match="has no task"):
        read(tmp_path, "")


def test_the_public_part_and_the_text_of_a_task_hold_no_test(tmp_path: Path) -> None:
    found = read(tmp_path, task("a")).named("a")

    assert "HIDDEN" not in repr(found) + str(found) + json.dumps(found.public)
    assert found.public["tests"] == 1
    assert set(Task.model_fields) - set(found.public) == {"checker"}


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    tasks = read(tmp_path, task("a"))
    for asking in (
        lambda: tasks.split("dev"),
        lambda: tasks.at("train", 1),
        lambda: tasks.at("train", -1),
        lambda: tasks.named("b"),
        lambda: tasks.drawn("dev", 1),
    ):
        with pytest.raises(TaskNotFound):
            asking()


def test_our_own_tasks_can_be_read() -> None:
    tasks = TaskSet.read(OWN_TASKS)

    assert tasks.splits == ["train", "test"]
    assert all(len(it.tests) >= 3 for split in tasks.splits for it in tasks.split(split))
