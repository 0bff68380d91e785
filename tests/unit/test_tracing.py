"""Traces cost nothing where nobody wants them."""

import subprocess
import sys

import pytest

from code_judge.errors import SettingsError
from code_judge.settings import Settings
from code_judge.tracing import NoTracing, open_tracing

ENDPOINT = "http://127.0.0.1:9"

WITHOUT = """
import sys
sys.modules |= {"opentelemetry.sdk": None, "opentelemetry.exporter": None}  # as where they are not installed
import code_judge.main, code_judge.master, code_judge_workers.main, code_judge_workers.judge
from code_judge.settings import Settings
from code_judge.tracing import open_tracing
open_tracing(Settings(), "master")
sys.exit("code_judge.tracing.otel" in sys.modules)
"""


def test_opentelemetrys_sdk_need_not_be_installed() -> None:
    assert subprocess.run([sys.executable, "-c", WITHOUT], check=False).returncode == 0


def test_without_an_endpoint_nothing_is_traced() -> None:
    tracing = open_tracing(Settings(), "master")
    span = tracing.start("judge", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")

    assert isinstance(tracing, NoTracing)
    assert span.traceparent == ""
    span.end()
    tracing.close()


def test_an_endpoint_without_opentelemetry_stops_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "code_judge.tracing.otel", raising=False)
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)

    with pytest.raises(SettingsError, match=r"code-judge\[otel\]"):
        open_tracing(Settings(otel_exporter_otlp_endpoint=ENDPOINT), "master")
