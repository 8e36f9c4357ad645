// Entry point for bundling the OpenTelemetry packages, so that they do not have to be installed.
export {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
export { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
export { resourceFromAttributes } from '@opentelemetry/resources';
export {
  BasicTracerProvider,
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
