// Writes spans to the diagnostic log: the exporter `console`, because stdout carries frames only.
import type { Log } from '../../contracts/index.ts';
import { type ReadableSpan, type SpanExporter, SpanStatusCode } from '../vendor/open-telemetry.ts';

export function createLogExporter(log: Log): SpanExporter {
  return {
    export(spans, onResult) {
      for (const span of spans) log('span', describeSpan(span));
      onResult({ code: 0 });
    },
    shutdown: async () => {},
  };
}

/** Attributes as texts, because the log hides the values of fields whose names contain "token". */
function describeSpan(span: ReadableSpan) {
  const { traceId, spanId } = span.spanContext();
  const [seconds, nanoseconds] = span.duration;
  return {
    name: span.name,
    traceId,
    spanId,
    parentSpanId: span.parentSpanContext?.spanId,
    durationMs: seconds * 1000 + nanoseconds / 1e6,
    attributes: Object.entries(span.attributes).map(([name, value]) => `${name}=${value}`),
    events: span.events.map(({ name }) => name),
    isError: span.status.code === SpanStatusCode.ERROR,
  };
}
