"""Files of samples."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from code_judge_client.evaluation import Sample, SamplesFileError, read_samples

PROBLEM = {"task_id": "T/1", "prompt": "def f():\n", "test": "def check(c): pass", "entry_point": "f"}


def written(file: Path, *rows: Any) -> Path:
    text = "".join(json.dumps(row) + "\n" for row in rows)
    file.write_bytes(gzip.compress(text.encode()) if file.suffix == ".gz" else text.encode())
    return file


def ids(samples: Any) -> list[str]:
    return [sample.id for sample in samples]


def test_a_file_may_be_gzipped_and_mixed(tmp_path: Path) -> None:
    own = {"id": "a", "type": "python", "solution": "pass"}
    file = written(tmp_path / "s.jsonl.gz", own, {**PROBLEM, "completion": "    pass"})
    assert ids(read_samples(file)) == ["a", "T/1"]


def test_samples_of_one_task_have_ids_of_their_own(tmp_path: Path) -> None:
    rows = [{**PROBLEM, "completion": str(n)} for n in range(2)]
    many = {**PROBLEM, "completions": ["x", "y"]}
    samples = list(read_samples(written(tmp_path / "s.jsonl", *rows, many)))
    assert ids(samples) == ["T/1", "T/1#2", "T/1#3", "T/1#4"]
    assert {sample.task for sample in samples} == {"T/1"}


def test_a_row_without_any_name_is_named_by_its_line(tmp_path: Path) -> None:
    file = written(tmp_path / "s.jsonl", {"type": "python", "solution": "pass"})
    assert ids(read_samples(file)) == ["line 1"]


def test_samples_find_their_problems_in_the_datasets_own_file(tmp_path: Path) -> None:
    """And it is the sample's program that is judged, not the dataset's."""
    problem = {"task_id": 5, "test_list": ["assert f() == 1"], "code": "def f(): return 1"}
    problems = written(tmp_path / "p.jsonl", problem)
    samples = written(tmp_path / "s.jsonl", {"task_id": 5, "generations": ["def f(): return 2"]})
    [sample] = read_samples(samples, problems=problems)
    assert "return 2" in sample.submission.solution
    assert "return 1" not in sample.submission.solution


def test_a_format_may_be_named(tmp_path: Path) -> None:
    row = {**PROBLEM, "type": "python", "solution": "def f(): pass"}
    [found] = read_samples(written(tmp_path / "s.jsonl", row))
    [named] = read_samples(tmp_path / "s.jsonl", format_name="humaneval")
    assert found.submission.tests is None
    assert named.submission.tests


def test_the_flag_of_a_file_under_test_is_kept(tmp_path: Path) -> None:
    rows = [
        {"type": "python", "solution": "pass", **flag} for flag in ({"right": True}, {"right": False}, {})
    ]
    samples = list(read_samples(written(tmp_path / "s.jsonl", *rows)))
    assert [sample.expected_right for sample in samples] == [True, False, None]


def test_a_changed_sample_has_another_digest(tmp_path: Path) -> None:
    def digest(solution: str) -> str:
        row = {"id": "a", "type": "python", "solution": solution}
        sample: Sample = next(iter(read_samples(written(tmp_path / "s.jsonl", row))))
        return sample.digest

    assert digest("pass") == digest("pass") != digest("pass ")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", "line 2: not JSON"),
        ("[]", "line 2: not a JSON object"),
        ('{"task_id": 1}', "line 2: .*known format"),
        ('{"type": "python", "solution": "", "checker": "?"}', "line 2: checker"),
        ('{"test_list": 3, "code": ""}', "line 2: a field is not as its format has it"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, told: str) -> None:
    file = written(tmp_path / "s.jsonl", {"type": "python", "solution": "pass"})
    file.write_text(file.read_text() + line + "\n")
    with pytest.raises(SamplesFileError, match=told):
        list(read_samples(file))


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(SamplesFileError, match=r"none\.jsonl"):
        list(read_samples(tmp_path / "none.jsonl"))
    damaged = tmp_path / "damaged.jsonl.gz"
    damaged.write_bytes(b"this is not gzip")
    with pytest.raises(SamplesFileError, match=r"damaged\.jsonl\.gz"):
        list(read_samples(damaged))
