// Reads the OpenTelemetry variables of the environment. The SDK reads those of its own parts: sampler, batches and limits of spans.
import type { SpanContext } from '../vendor/open-telemetry.ts';

type Env = Readonly<Record<string, string | undefined>>;

export interface OtlpOptions {
  readonly url: string;
  readonly protocol: 'http/protobuf' | 'http/json';
  /** May contain keys. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly isCompressed: boolean;
}

export interface TraceOptions {
  /** `undefined`: spans are written to the diagnostic log. */
  readonly otlp: OtlpOptions | undefined;
  /** Without those that the caller adds. */
  readonly resourceAttributes: Readonly<Record<string, string>>;
  /** The span of the program that started this one. */
  readonly parent: SpanContext | undefined;
  /** Prompts, answers, arguments and results are recorded. */
  readonly shouldRecordContent: boolean;
}

/** Variables whose value may contain keys. */
export const SECRET_TRACE_VARIABLES = ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS'] as const;

const DEFAULT_ENDPOINT = 'http://localhost:4318';
const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_SERVICE = 'parley';
const SAMPLED = 1;

/** `undefined` if no traces are wanted. `report` gets a sentence for each variable that cannot be used. */
export function readTraceOptions(env: Env, report: (problem: string) => void): TraceOptions | undefined {
  if (isTrue(env.OTEL_SDK_DISABLED)) return undefined;
  const exporter = chooseExporter(env, report);
  if (exporter === undefined) return undefined;
  const otlp = exporter === 'otlp' ? readOtlpOptions(env, report) : undefined;
  if (exporter === 'otlp' && !otlp) return undefined;
  return {
    otlp,
    resourceAttributes: {
      'service.name': DEFAULT_SERVICE,
      ...parsePairs(env.OTEL_RESOURCE_ATTRIBUTES),
      ...(env.OTEL_SERVICE_NAME ? { 'service.name': env.OTEL_SERVICE_NAME } : {}),
    },
    parent: parseTraceParent(env.TRACEPARENT),
    shouldRecordContent: isTrue(env.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT),
  };
}

/** The first known name of the list. An endpoint alone selects OTLP. */
function chooseExporter(env: Env, report: (problem: string) => void): 'otlp' | 'console' | undefined {
  const names = (env.OTEL_TRACES_EXPORTER || 'otlp').split(',').map((name) => name.trim());
  for (const name of names) {
    if (name === 'otlp' || name === 'console') return name;
    if (name !== 'none') report(`OTEL_TRACES_EXPORTER: ${name} is not supported; use otlp, console or none`);
  }
  return undefined;
}

function readOtlpOptions(env: Env, report: (problem: string) => void): OtlpOptions | undefined {
  const read = (name: string) => env[`OTEL_EXPORTER_OTLP_TRACES_${name}`] || env[`OTEL_EXPORTER_OTLP_${name}`];
  const protocol = read('PROTOCOL') ?? 'http/protobuf';
  if (protocol !== 'http/protobuf' && protocol !== 'http/json') {
    report(`OTEL_EXPORTER_OTLP_PROTOCOL: ${protocol} is not supported; use http/protobuf or http/json`);
    return undefined;
  }
  const url = findUrl(env);
  if (!URL.canParse(url) || !/^https?:/.test(url)) {
    report('OTEL_EXPORTER_OTLP_ENDPOINT is not an http or https URL');
    return undefined;
  }
  const timeoutMs = Number(read('TIMEOUT'));
  return {
    url,
    protocol,
    headers: {
      ...parsePairs(env.OTEL_EXPORTER_OTLP_HEADERS),
      ...parsePairs(env.OTEL_EXPORTER_OTLP_TRACES_HEADERS),
    },
    timeoutMs: timeoutMs > 0 ? timeoutMs : DEFAULT_TIMEOUT_MS,
    isCompressed: read('COMPRESSION') === 'gzip',
  };
}

/** The variable for traces is the complete URL, the general one is the base of it. */
function findUrl(env: Env): string {
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT?.trim() || DEFAULT_ENDPOINT;
  return env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?.trim() || `${base.endsWith('/') ? base.slice(0, -1) : base}/v1/traces`;
}

/** `key=value,key=value`, percent-encoded. Parts without a key or a value are ignored. */
function parsePairs(text = ''): Record<string, string> {
  const pairs = text.split(',').flatMap((part): [string, string][] => {
    const at = part.indexOf('=');
    const [key, value] = [part.slice(0, Math.max(at, 0)).trim(), part.slice(at + 1).trim()];
    return key === '' || value === '' ? [] : [[decode(key), decode(value)]];
  });
  return Object.fromEntries(pairs);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** See https://www.w3.org/TR/trace-context/#traceparent-header. */
function parseTraceParent(text = ''): SpanContext | undefined {
  const [, version = '', traceId = '', spanId = '', flags = ''] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/.exec(text.trim()) ?? [];
  if (version === '' || version === 'ff' || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & SAMPLED, isRemote: true };
}

function isTrue(value: string | undefined): boolean {
  return value?.trim().toLowerCase() === 'true';
}
