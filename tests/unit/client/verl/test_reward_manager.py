"""The reward manager: scoring on the judge, as old and as new verl ask for it."""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from code_judge.contract import Result, Verdict
from tests.support.fake_judge import FakeJudge, Fault, ended
from tests.support.harmless_runs import really_run
from tests.support.verl_flavours import fake_torch

SCORING = """
def compute_score(solution_str, ground_truth):
    print("chatter </result>")
    return 1.0 if solution_str == ground_truth else 0.25
"""


@dataclass
class Batch:
    """verl's DataProto, as far as reward managers look into it."""

    batch: dict[str, Any]
    non_tensor_batch: dict[str, Any]

    def __len__(self) -> int:
        return len(self.batch["responses"])

    def __getitem__(self, index: int) -> SimpleNamespace:
        return SimpleNamespace(
            batch={name: column[index] for name, column in self.batch.items()},
            non_tensor_batch={name: column[index] for name, column in self.non_tensor_batch.items()},
        )


def responses(*pairs: tuple[str, str], width: int = 8) -> Batch:
    """Responses, one token a letter, with their ground truths."""
    tokens = [[ord(letter) for letter in text] + [0] * (width - len(text)) for text, _ in pairs]
    mask = [[1] * (3 + len(text)) + [0] * (width - len(text)) for text, _ in pairs]
    return Batch(
        {
            "prompts": np.zeros((len(pairs), 3), dtype=int),
            "responses": np.array(tokens),
            "attention_mask": np.array(mask),
        },
        {
            "reward_model": [{"ground_truth": truth} for _, truth in pairs],
            "data_source": ["math"] * len(pairs),
        },
    )


def decode(tokens: Any, skip_special_tokens: bool) -> str:
    assert skip_special_tokens
    return "".join(chr(token) for token in tokens)


TOKENIZER = SimpleNamespace(decode=decode)

Make = Callable[..., Any]


@pytest.fixture
def make(verl: ModuleType, far_judge: FakeJudge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Makes a reward manager as older verl does, with this scoring file."""
    monkeypatch.setitem(sys.modules, "torch", fake_torch())
    far_judge.behave = really_run

    def making(scoring: str = SCORING, **options: Any) -> Any:
        file = tmp_path / "scoring.py"
        file.write_text(scoring)
        return verl.CodeJudgeRewardManager(
            tokenizer=TOKENIZER,
            num_examine=0,
            compute_score=None,
            reward_fn_key="data_source",
            scoring_file=str(file),
            host_addr="127.0.0.1",
            host_port=far_judge.port,
            **options,
        )

    return making


def test_each_score_stands_at_its_responses_last_token(make: Make) -> None:
    rewards = make()(responses(("abc", "abc"), ("abcde", "x"), ("a", "a")))
    assert rewards.tolist() == [[0, 0, 1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0.25, 0, 0, 0], [1] + [0] * 7]


def test_the_dict_tells_which_responses_were_judged(make: Make, far_judge: FakeJudge) -> None:
    async def half_away(submission: dict[str, Any]) -> Result:
        if json.loads(submission["input"])["solution_str"] == "lost":
            return ended(submission, Verdict.INTERNAL_ERROR)
        return await really_run(submission)

    manager = make()
    far_judge.behave = half_away
    answer = manager(responses(("lost", "lost"), ("ok", "ok")), return_dict=True)
    assert answer["reward_tensor"].sum(axis=1).tolist() == [0, 1]
    assert answer["reward_extra_info"] == {"acc": [0.0, 1.0], "judged": [0.0, 1.0]}


def test_64_go_at_a_time(make: Make, far_judge: FakeJudge) -> None:
    async def one(submission: dict[str, Any]) -> Result:
        return ended(submission, Verdict.RAN, stdout="<result>1</result>")

    manager = make()
    far_judge.behave = one
    rewards = manager(responses(*[("a", "a")] * 130))
    assert rewards.sum() == 130
    assert max(len(seen.submissions) for seen in far_judge.requests) == 64


def test_an_empty_response_has_no_place_for_a_reward(make: Make) -> None:
    assert make()(responses(("", ""), ("a", "a"))).sum(axis=1).tolist() == [0, 1]


def test_rewards_that_are_there_already_are_passed_on(make: Make, far_judge: FakeJudge) -> None:
    data = responses(("a", "a"))
    data.batch["rm_scores"] = np.ones((1, 8))
    assert make()(data) is data.batch["rm_scores"]
    assert make()(data, return_dict=True)["reward_tensor"] is data.batch["rm_scores"]
    assert far_judge.requests == []


@pytest.mark.parametrize(
    ("scoring", "score", "judged"),
    [
        ("def compute_score(solution_str, **kwargs): return {'score': len(kwargs), 'more': 1}", 3.0, 1.0),
        ("def compute_score(data_source, extra_info): return 0.5 if data_source == 'math' else 0", 0.5, 1.0),
        ("from __future__ import annotations\ndef compute_score(): return True", 1.0, 1.0),
        ("def compute_score(): raise ValueError('odd response')", 0.0, 0.0),
        ("def compute_score(): print('<result>9</result>'); raise SystemExit", 0.0, 0.0),
        ("this is no Python", 0.0, 0.0),
        ("def compute_score(): return float('nan')", 0.0, 0.0),
        (
            "import atexit, os\natexit.register(os.write, 1, b'<result>x</result>')\n"
            "def compute_score(): return 1",
            0.0,
            0.0,
        ),
    ],
)
async def test_the_function_takes_what_it_names_and_returns_a_number_or_a_dict(
    make: Make, scoring: str, score: float, judged: float
) -> None:
    answer = await make(scoring).run_single(responses(("abc", "abc")))
    assert answer == {"reward_score": score, "reward_extra_info": {"acc": score, "judged": judged}}


async def test_new_verl_names_the_function_and_the_judge_in_its_configuration(
    verl: ModuleType, far_judge: FakeJudge, tmp_path: Path
) -> None:
    far_judge.behave = really_run
    file = tmp_path / "mine.py"
    file.write_text("def my_score(solution_str, ground_truth): return len(solution_str)")
    custom = {
        "path": str(file),
        "name": "my_score",
        "reward_kwargs": {"host_addr": "127.0.0.1", "host_port": far_judge.port},
    }
    manager = verl.CodeJudgeRewardManager(
        config={"reward": {"custom_reward_function": custom}},
        tokenizer=TOKENIZER,
        compute_score=lambda: None,
        reward_router_address=None,
        reward_model_tokenizer=None,
    )
    assert (await manager.run_single(responses(("abc", ""))))["reward_score"] == 3.0


async def test_a_judge_that_is_broken_gives_no_score_and_no_exception(
    make: Make, far_judge: FakeJudge
) -> None:
    far_judge.faults.append(Fault(status=500))
    answer = await make().run_single(responses(("abc", "abc")))
    assert answer["reward_extra_info"]["judged"] == 0.0


def test_a_manager_without_a_scoring_function_is_refused(verl: ModuleType) -> None:
    with pytest.raises(ValueError, match=r"custom_reward_function\.path"):
        verl.CodeJudgeRewardManager(tokenizer=TOKENIZER)
    config = {"reward": {"custom_reward_function": {"path": None, "name": None, "reward_kwargs": None}}}
    with pytest.raises(ValueError, match=r"custom_reward_function\.path"):
        verl.CodeJudgeRewardManager(tokenizer=TOKENIZER, config=config)
