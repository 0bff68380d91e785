"""Optional traces of a request through master and node, in OpenTelemetry's terms.

Its SDK is imported only where OTEL_EXPORTER_OTLP_ENDPOINT names a collector.
"""

from typing import Protocol

from code_judge.errors import SettingsError
from code_judge.settings import Settings


class Span(Protocol):
    """Something that takes time."""

    @property
    def traceparent(self) -> str:
        """What ties the spans of other processes to this one, as W3C writes it; empty where none is made."""
        ...

    def end(self, **attributes: str | float) -> None:
        """It is over."""
        ...


class Tracing(Protocol):
    """Where spans come from."""

    def start(self, name: str, parent: str, /, **attributes: str | float) -> Span:
        """Begin a span below the one that ``parent``, a traceparent, names; a new trace where it is empty."""
        ...

    def close(self) -> None:
        """Send what has not been sent."""
        ...


class NoSpan:
    """Implements Span where nothing is traced."""

    traceparent = ""

    def end(self, **_attributes: str | float) -> None:
        pass


class NoTracing:
    """Implements Tracing where nothing is traced."""

    _span = NoSpan()

    def start(self, _name: str, _parent: str, /, **_attributes: str | float) -> Span:
        return self._span

    def close(self) -> None:
        pass


def open_tracing(settings: Settings, role: str) -> Tracing:
    """As the settings say. Raises SettingsError where they want traces and OpenTelemetry is not installed."""
    if not settings.otel_exporter_otlp_endpoint:
        return NoTracing()
    try:
        from .otel import OtelTracing, exporter_to
    except ImportError as error:
        raise SettingsError(
            f"OTEL_EXPORTER_OTLP_ENDPOINT is set, but OpenTelemetry is not installed ({error}): "
            "pip install 'code-judge[otel]', or leave it unset"
        ) from None
    return OtelTracing(f"code-judge-{role}", exporter_to(settings.otel_exporter_otlp_endpoint))
