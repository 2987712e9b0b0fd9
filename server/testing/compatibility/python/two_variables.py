"""One span, one log record within it and one metric, with OpenTelemetry's SDK as environment variables configure it."""

from opentelemetry import metrics, trace
from opentelemetry._logs import get_logger, get_logger_provider

metrics.get_meter("test").create_counter("orders").add(1)
with trace.get_tracer("test").start_as_current_span("chat small-1") as span:
    span.set_attribute("gen_ai.agent.name", "python-agent")
    get_logger("shop").emit(event_name="gen_ai.user.message", body={"content": "What did Mr Novak order?"})
    print(format(span.get_span_context().trace_id, "032x"))
for provider in (trace.get_tracer_provider(), get_logger_provider(), metrics.get_meter_provider()):
    provider.force_flush()
