"""Every setting of master and node as one typed object, built once at an entry point and passed down.

A setting ``max_workers`` is exported as ``MAX_WORKERS``. ``docs/settings.md`` lists them all; a test
keeps the two alike. Nothing else in the project reads the environment.
"""

import os
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, model_validator

from .errors import SettingsError

PositiveInt = Annotated[int, Field(gt=0)]
PositiveSeconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]
PositiveMegabytes = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class SandboxChoice(StrEnum):
    """Which sandbox tier a node must use."""

    AUTO = "auto"
    """The strongest tier that this machine allows; what is missing is reported."""
    NAMESPACES = "namespaces"
    UIDS = "uids"
    BARE = "bare"


class LogFormat(StrEnum):
    """How log lines are written."""

    TEXT = "text"
    JSON = "json"


class Settings(BaseModel):
    """All settings. Times are seconds and memory is MB unless a name says otherwise."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    # Redis and the queue
    redis_uri: str = ""
    """Where Redis is: ``redis://``, ``rediss://``, ``unix://``, ``redis+cluster://``,
    ``redis+sentinel://``. Empty: only ``code-judge up``, which starts its own."""
    redis_key_prefix: str = Field(default="js", min_length=1)
    """First part of every key, so that several clusters can share one Redis."""
    redis_socket_timeout: PositiveSeconds = 60.0
    """Seconds after which a Redis command that got no answer counts as failed."""
    max_queue_length: PositiveInt = 1_000_000
    """Items waiting in the queue at most; more is answered 503 with Retry-After."""
    max_queue_work_life_time: PositiveSeconds = 4.0
    """Seconds that an item of ``/run/batch`` may wait before it is answered ``queue_timeout``."""
    max_queue_wait_time: PositiveSeconds = 15.0
    """Seconds that a single ``/run`` or ``/judge`` may wait in the queue."""
    long_batch_max_queue_wait_time: PositiveSeconds = 3600.0
    """Seconds that an item of a long batch may wait in the queue."""
    max_batch_chunk_size: PositiveInt = 2
    """Items in one chunk of ``/run/batch``."""
    max_long_batch_chunk_size: PositiveInt = 100
    """Items in one chunk of ``/run/long-batch``."""
    heartbeat_interval: PositiveSeconds = 1.0
    """Seconds between a node's heartbeats; after two in silence it is dead, its work back within three."""
    max_attempts: PositiveInt = 3
    """Nodes that an item may take down before it is answered ``internal_error``."""

    # The master
    run_workers: bool = False
    """Also start a worker node beside the master (one per uvicorn parent), for small set-ups."""
    max_batch_size: PositiveInt = 50_000
    """Submissions in one batch; more is answered 422."""
    max_body_mb: PositiveMegabytes = 256.0
    """MB in one request body; more is answered 413."""
    max_in_flight_mb: PositiveMegabytes = 1024.0
    """MB of request bodies that one master process holds unanswered; more is answered 503 with Retry-After,
    so that its memory is bounded by what it has accepted."""
    api_key: SecretStr | None = None
    """Wanted from every caller, as ``Authorization: Bearer`` or ``x-api-key``, where set."""
    master_grace_time: PositiveSeconds = 30.0
    """Seconds that a stopping master waits for what is in flight."""

    # Runs
    max_execution_time: PositiveSeconds = 10.0
    """Seconds of CPU for a submission that names no ``time_limit``."""
    max_time_limit: PositiveSeconds = 60.0
    """The largest ``time_limit`` that a submission may ask for."""
    max_memory: PositiveMegabytes = 256.0
    """MB of resident memory for a submission that names no ``memory_limit``."""
    max_memory_limit: PositiveMegabytes = 4096.0
    """The largest ``memory_limit`` that a submission may ask for."""
    max_stdout_error_length: Annotated[int, Field(ge=0)] = 1000
    """Characters of stdout and of stderr that a result carries."""
    max_output_mb: PositiveMegabytes = 16.0
    """MB that a run may write to stdout, and to stderr, before it is killed with ``output_limit``."""
    max_file_mb: PositiveMegabytes = 128.0
    """MB that a run may write into its working directory and /tmp together."""
    max_processes: PositiveInt = 128
    """Processes and threads that a run may have at once."""
    max_open_files: Annotated[int, Field(ge=256)] = 1024
    """Descriptors that a process of a run may have open."""
    compile_time_limit: PositiveSeconds = 10.0
    """Seconds of CPU for one compilation."""
    compile_memory: PositiveMegabytes = 1024.0
    """MB of resident memory for one compilation."""
    compile_cache_mb: PositiveMegabytes = 256.0
    """MB of compiled programs kept per node."""
    run_nice: Annotated[int, Field(ge=0, le=19)] = 5
    """Niceness of runs, since nodes are often the trainers' own machines."""

    # The node
    max_workers: PositiveInt = Field(default_factory=lambda: os.cpu_count() or 1)
    """Worker threads of one node: submissions that it runs at once."""
    node_name: str = ""
    """Names this node in results; made from host name and process id where empty."""
    worker_grace_time: PositiveSeconds = 30.0
    """Seconds that a stopping node lets its runs finish before it gives them back."""
    sandbox: SandboxChoice = SandboxChoice.AUTO
    """``auto`` takes the strongest tier and reports it; a tier's name insists on it."""
    python_executor_path: str = "python3"
    """The interpreter that runs Python submissions."""
    cpp_compiler_path: str = "g++"
    """The compiler of C++ submissions."""
    cpp_flags: str = "-std=gnu++17 -O2"
    """Flags of every C++ compilation."""
    warm_templates: str = "numpy; numpy sympy; numpy pandas scipy"
    """Import sets that warm interpreters preload beside the bare one; sets apart by ``;``."""
    warm_starts: bool = True
    """Fork Python runs from warm templates; off starts a cold interpreter per run."""

    # Logs
    log_level: Annotated[str, Field(pattern="^(DEBUG|INFO|WARNING|ERROR)$")] = "INFO"
    log_format: LogFormat = LogFormat.TEXT
    otel_exporter_otlp_endpoint: str = ""
    """OpenTelemetry collector that gets traces (OTLP over HTTP); none are made where empty."""
    error_case_save_path: Path | None = None
    """Folder for submissions that ended in ``internal_error``; nothing is saved where empty."""

    @model_validator(mode="after")
    def _defaults_within_bounds(self) -> Self:
        if self.max_execution_time > self.max_time_limit:
            # An operator who raises only the default means the bound, too.
            return self.model_copy(update={"max_time_limit": self.max_execution_time})
        return self

    @classmethod
    def from_env(cls, environ: Mapping[str, str], **overrides: object) -> Self:
        """Read the settings that ``environ`` names; ``overrides`` win.

        Raises SettingsError naming every variable that has a bad value.
        """
        names = cls.model_fields
        # An exported but empty variable means "not set", as shells and compose files write it.
        given = {name: environ[name.upper()] for name in names if environ.get(name.upper())}
        try:
            return cls.model_validate({**given, **overrides})
        except ValidationError as error:
            lines = [
                f"{str(problem['loc'][0]).upper()}={problem['input']!r}: {problem['msg']}"
                if problem["loc"]
                else problem["msg"]
                for problem in error.errors()
            ]
            raise SettingsError("bad settings:\n  " + "\n  ".join(lines)) from None
