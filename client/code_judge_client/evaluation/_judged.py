"""What became of one sample."""

import json
from typing import Any

from pydantic import BaseModel, ConfigDict

from code_judge.contract import Result, Verdict


class Judged(BaseModel):
    """One line of a results file."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    task: str
    digest: str
    """Of the submission: a sample that was changed since is judged anew."""
    expected_right: bool | None = None
    result: Result

    @property
    def is_ours(self) -> bool:
        """The judge failed, so that nothing is known of the sample."""
        return self.result.verdict.is_ours

    @property
    def verdict(self) -> Verdict:
        return self.result.verdict

    def line(self) -> str:
        """Its JSON, with what people grep for in front."""
        fields: dict[str, Any] = {"id": self.id, "task": self.task, "verdict": str(self.verdict)}
        fields |= {"success": self.result.success} | self.model_dump(mode="json", exclude_none=True)
        return json.dumps(fields, ensure_ascii=False)
