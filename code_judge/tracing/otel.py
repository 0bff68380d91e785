"""Traces by the OpenTelemetry SDK. Imported only where they are wanted."""

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.trace import Span
from opentelemetry.trace.propagation import set_span_in_context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

_W3C = TraceContextTextMapPropagator()
TRACEPARENT = "traceparent"


def exporter_to(endpoint: str) -> SpanExporter:
    """Sends spans to a collector, as OTLP over HTTP."""
    return OTLPSpanExporter(endpoint=f"{endpoint.rstrip('/')}/v1/traces")


class OtelTracing:
    """Implements Tracing. Spans leave in the background; while the collector is away they are dropped."""

    def __init__(self, service: str, exporter: SpanExporter) -> None:
        self._provider = TracerProvider(resource=Resource({SERVICE_NAME: service}), shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer("code_judge")

    def start(self, name: str, parent: str, /, **attributes: str | float) -> "OtelSpan":
        context = _W3C.extract({TRACEPARENT: parent})
        return OtelSpan(self._tracer.start_span(name, context, attributes=attributes))

    def close(self) -> None:
        self._provider.shutdown()


class OtelSpan:
    """Implements Span."""

    def __init__(self, span: Span) -> None:
        self._span = span

    @property
    def traceparent(self) -> str:
        carrier: dict[str, str] = {}
        _W3C.inject(carrier, set_span_in_context(self._span))
        return carrier[TRACEPARENT]

    def end(self, **attributes: str | float) -> None:
        self._span.set_attributes(attributes)
        self._span.end()
