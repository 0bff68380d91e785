"""What both tools have in common: their instances, and the way of one call to the judge and back."""

import logging
from typing import Any, ClassVar
from uuid import uuid4

from pydantic import ValidationError

from code_judge.contract import Result, Submission, Verdict
from code_judge_client._errors import JudgeClientError
from code_judge_client._failures import FailedSubmissions

from ._config import JudgeConfig
from ._shared import shared_processor
from ._text import tool_text, unjudged
from ._types import BaseTool, OpenAIFunctionToolSchema, ToolResponse

log = logging.getLogger(__name__)


class CodeJudgeTool(BaseTool):
    """A verl tool whose calls are run by a judge. The keys of ``config`` are those of
    :class:`~code_judge_client.verl.JudgeConfig`; others are ignored."""

    default_schema: ClassVar[dict[str, Any]]
    """How the tool is shown to the model where the configuration has no ``tool_schema``."""

    def __init__(self, config: dict[str, Any], tool_schema: OpenAIFunctionToolSchema | None = None) -> None:
        super().__init__(config, tool_schema or OpenAIFunctionToolSchema.model_validate(self.default_schema))
        self.judge_config = JudgeConfig.model_validate(config)
        folder = self.judge_config.failed_submissions_path
        self._failed = FailedSubmissions(folder) if folder else None
        self._instance_dict: dict[str, dict[str, Any]] = {}

    async def create(self, instance_id: str | None = None, **_kwargs: Any) -> tuple[str, ToolResponse]:
        """Begin a trajectory's use of the tool; starts the request processor at the first one."""
        await shared_processor(self.judge_config)
        instance_id = instance_id or str(uuid4())
        self._instance_dict[instance_id] = {"response": "", "reward": 0.0}
        return instance_id, ToolResponse()

    async def calc_reward(self, instance_id: str, **_kwargs: Any) -> float:
        """The reward that was kept with this instance."""
        return float(self._instance_dict[instance_id]["reward"])

    async def release(self, instance_id: str, **_kwargs: Any) -> None:
        """Forget the instance."""
        self._instance_dict.pop(instance_id, None)

    async def _run(self, fields: dict[str, Any]) -> Result:
        """What became of a submission. Never raises for what the model or the judge did."""
        limits = self.judge_config
        try:
            submission = Submission(**fields, time_limit=limits.time_limit, memory_limit=limits.memory_limit)
        except ValidationError as error:
            return unjudged(Verdict.INVALID_INPUT, "; ".join(map(_told, error.errors())))
        try:
            processor = await shared_processor(limits)
            result = await processor.send_request(submission)
        except JudgeClientError as error:
            result = unjudged(Verdict.INTERNAL_ERROR, str(error))
        if result.verdict.is_ours:
            self._keep(submission, result)
        return result

    def _keep(self, submission: Submission, result: Result) -> None:
        log.warning("%s: no verdict from %s: %s", self.name, self.judge_config.url, result.stderr)
        if self._failed:
            why = f"{result.verdict}: {result.stderr}"
            self._failed.save(submission, judge=self.judge_config.url, tool=self.name, why=why)

    def _answer(self, instance_id: str, result: Result) -> tuple[ToolResponse, float, dict[str, Any]]:
        """The metrics are empty unless the judge failed: then the trainer may want to mask the sample."""
        text = tool_text(result)
        if instance := self._instance_dict.get(instance_id):
            instance["response"] = text
        metrics = {"judge_failure": str(result.verdict)} if result.verdict.is_ours else {}
        return ToolResponse(text=text), 0.0, metrics


def parameter(parameters: Any, name: str) -> Any:
    """What the model gave for it; None where it gave something else than an object."""
    return parameters.get(name, "") if isinstance(parameters, dict) else None


def _told(problem: Any) -> str:
    """A field's problem, by the name under which the model knows the field."""
    field = str(problem["loc"][0])
    return f"{'code' if field == 'solution' else field}: {problem['msg']}"
