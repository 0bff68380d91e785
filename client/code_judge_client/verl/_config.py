"""What a tool's or reward manager's configuration may say."""

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from code_judge_client._config import Batching, Timeout
from code_judge_client._processor import RequestProcessor

LONGEST_HOLD_S = 0.05
"""Seconds that a batch is held back at most. Configurations in use say 30 s for their batch timeout; where
they come from, that bounded an idle wait and held no call back, and so it is taken here."""

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class JudgeConfig(BaseModel):
    """How to reach a judge and how to batch, under the keys that people's YAML files have."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    host_addr: str = "localhost"
    host_port: int = 8088
    request_processor_batch_size: Annotated[int, Field(gt=0)] = 1
    """Calls in one batch at most."""
    request_processor_concurrency: Annotated[int, Field(gt=0)] = 1
    """Batches under way at once."""
    request_processor_batch_timeout_seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 30.0
    """Seconds that a batch may be held back to fill; see LONGEST_HOLD_S."""
    api_key: str | None = None
    """Where the judge wants one."""
    request_timeout_seconds: Positive | None = None
    """Seconds that one call may take, waiting and retries included; null for as long as it takes."""
    failed_submissions_path: Path | None = Path("~/failed_submissions")
    """Folder for submissions that the judge could not judge; null saves none."""
    time_limit: Positive | None = None
    """Seconds of CPU for one call; null for the judge's own default."""
    memory_limit: Positive | None = None
    """MB of memory for one call; likewise."""

    @property
    def url(self) -> str:
        return f"http://{self.host_addr}:{self.host_port}"

    def processor(self) -> RequestProcessor:
        """A processor as configured, not started."""
        batching = Batching(
            concurrency=self.request_processor_concurrency,
            batch_size=self.request_processor_batch_size,
            batch_timeout_s=min(self.request_processor_batch_timeout_seconds, LONGEST_HOLD_S),
        )
        timeout = Timeout(total_s=self.request_timeout_seconds)
        return RequestProcessor(self.url, batching=batching, api_key=self.api_key, timeout=timeout)
