"""The environment's settings as one object, built once at the entry point and passed down.

``docs/openenv.md`` lists them; a test keeps the two alike.
"""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError

from .errors import EnvSettingsError

PositiveInt = Annotated[int, Field(gt=0)]
PositiveSeconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class Mode(StrEnum):
    """Which routes there are; the names are OpenEnv's."""

    SIMULATION = "simulation"
    PRODUCTION = "production"
    """Without the HTTP routes that reset and step. ``/ws`` still does both: it is no wall."""


class EnvSettings(BaseModel):
    """All settings. Times are in seconds."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    judge_url: str = ""
    """The cluster's master. Empty: a judge of its own, as ``code-judge up`` starts it."""
    api_key: SecretStr | None = None
    """Sent to the judge, where it wants one."""
    judge_senders: PositiveInt = 8
    """Batches under way to the judge at once, for all sessions of this process."""
    judge_batch_size: PositiveInt = 64
    """Steps in one batch at most."""
    tasks: Path | None = None
    """A file of tasks, one JSON object per line. Empty: the small set that comes with the package."""
    max_concurrent_envs: PositiveInt = 256
    """Sessions of this process at once; more are answered CAPACITY_REACHED."""
    session_timeout: PositiveSeconds = 3600.0
    """A session that begins no step for so long is closed."""
    step_timeout: PositiveSeconds = 50.0
    """Longest wait for one step's result, queue and retries included. OpenEnv's clients wait 60 s."""
    max_steps: PositiveInt = 50
    """Steps of an episode whose task names no number."""
    all_or_nothing: bool = False
    """Reward 1 for a submission that passes all tests, else 0; otherwise the share that it passes."""
    every_step_submits: bool = False
    """Take each step's code as the answer: for clients that can send nothing but ``code``."""
    transform: str = ""
    """``module:name`` of an OpenEnv ``Transform``, or of its class, for rewards of your own."""
    openenv_mode: Mode = Mode.SIMULATION
    """``production`` leaves out the HTTP routes that reset and step."""

    @classmethod
    def from_env(cls, environ: Mapping[str, str]) -> Self:
        """Read what ``environ`` names. Raises EnvSettingsError naming each variable with a bad value."""
        given = {name: environ[name.upper()] for name in cls.model_fields if environ.get(name.upper())}
        try:
            return cls.model_validate(given)
        except ValidationError as error:
            lines = [f"{str(it['loc'][0]).upper()}={it['input']!r}: {it['msg']}" for it in error.errors()]
            raise EnvSettingsError("bad settings:\n  " + "\n  ".join(lines)) from None
