"""A reward manager whose scoring function runs on the judge, where a hanging regex stops no training."""

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from code_judge.contract import Result, Submission
from code_judge_client._loop_thread import run_apart

from ._config import JudgeConfig
from ._reward_bases import RewardManagerBase, registered
from ._scoring import Sample, Score, ScoringFunction, score_of
from ._shared import shared_processor

DEFAULTS = {"request_processor_batch_size": 64, "request_processor_concurrency": 8}


@registered
class CodeJudgeRewardManager(RewardManagerBase):
    """Registered with verl as ``code_judge``; serves both ways in which verl calls reward managers.

    The scoring function is the one that verl would call itself: ``custom_reward_function.path`` and
    ``name``, in older verl the keywords ``scoring_file`` and ``scoring_function``. It takes any of
    ``data_source``, ``solution_str``, ``ground_truth`` and ``extra_info``, and returns a number, or a dict
    with ``score``. Its file must need nothing but what the judge's nodes have installed. The judge is named
    by the keys of :class:`JudgeConfig`, in ``custom_reward_function.reward_kwargs`` or as keywords.

    A response that got no score, by whosever fault, has reward 0 and ``judged`` 0: mask it.
    """

    def __init__(
        self,
        tokenizer: Any,
        num_examine: int = 0,
        compute_score: Any = None,
        reward_fn_key: str = "data_source",
        *,
        config: Mapping[str, Any] | None = None,
        scoring_file: str | None = None,
        scoring_function: str = "compute_score",
        **judge: Any,
    ) -> None:
        """verl passes ``num_examine`` and ``compute_score``; there is no use for them here.

        Raises ValueError where no scoring function is named, OSError where its file cannot be read.
        """
        # Not the base's own __init__: the bases of old and new verl want different arguments.
        self.config = config
        self.tokenizer = tokenizer
        self.num_examine = num_examine
        self.compute_score = compute_score
        self._source_key = reward_fn_key
        if scoring_file is None and config is not None:
            custom = config["reward"]["custom_reward_function"]
            scoring_file, scoring_function = custom["path"], custom["name"]
            judge = {**(custom["reward_kwargs"] or {}), **judge}
        if scoring_file is None:
            raise ValueError(
                "CodeJudgeRewardManager needs a file with the scoring function: set "
                "custom_reward_function.path, or reward_kwargs.scoring_file in older verl"
            )
        self._function = ScoringFunction(Path(scoring_file), scoring_function)
        self._judge = JudgeConfig.model_validate({**DEFAULTS, **judge})

    def __call__(self, data: Any, return_dict: bool = False) -> Any:
        """Rewards of a whole batch, as older verl asks for them: a tensor with each response's score at its
        last token, or a dict with that as ``reward_tensor`` and ``reward_extra_info``."""
        torch = import_module("torch")  # wherever verl is
        if "rm_scores" in data.batch.keys():  # noqa: SIM118 - a TensorDict knows no other way
            rewards = data.batch["rm_scores"]
            return {"reward_tensor": rewards, "reward_extra_info": {}} if return_dict else rewards
        items = [data[index] for index in range(len(data))]
        scores = run_apart(self._scores([self._sample(item) for item in items]))
        rewards = torch.zeros_like(data.batch["responses"], dtype=torch.float32)
        for index, (item, score) in enumerate(zip(items, scores, strict=True)):
            if length := _response_length(item):
                rewards[index, length - 1] = score.value
        if not return_dict:
            return rewards
        extra = {
            "acc": [score.value for score in scores],
            "judged": [float(score.judged) for score in scores],
        }
        return {"reward_tensor": rewards, "reward_extra_info": extra}

    async def run_single(self, data: Any) -> dict[str, Any]:
        """The reward of one response, the last of ``data``, as verl's reward loop asks for it."""
        item = data[len(data) - 1]
        processor = await shared_processor(self._judge)
        [outcome] = await processor.send_requests([self._submission(self._sample(item))])
        score = score_of(outcome)
        extra = {"acc": score.value, "judged": float(score.judged)}
        return {"reward_score": score.value, "reward_extra_info": extra}

    async def _scores(self, samples: list[Sample]) -> list[Score]:
        async with self._judge.processor() as processor:
            outcomes: list[Result | BaseException] = await processor.send_requests(
                [self._submission(sample) for sample in samples]
            )
        return [score_of(outcome) for outcome in outcomes]

    def _sample(self, item: Any) -> Sample:
        fields = item.non_tensor_batch
        response = fields.get("response_text")
        if response is None:
            tokens = item.batch["responses"][: _response_length(item)]
            response = self.tokenizer.decode(tokens, skip_special_tokens=True)
        return Sample(
            data_source=fields.get(self._source_key),
            solution_str=response,
            ground_truth=fields["reward_model"].get("ground_truth"),
            extra_info=fields.get("extra_info", {}),
        )

    def _submission(self, sample: Sample) -> Submission:
        limits = self._judge
        return self._function.submission(
            sample, time_limit=limits.time_limit, memory_limit=limits.memory_limit
        )


def _response_length(item: Any) -> int:
    """Tokens of the response without its padding."""
    width = item.batch["responses"].shape[-1]
    return int(item.batch["attention_mask"][-width:].sum())
