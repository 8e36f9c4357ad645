// Starts OpenTelemetry traces if the environment asks for them. Loaded only then.
import type { AgentSession, Ports } from '../../contracts/index.ts';
import { waitAtMostSteps } from '../../support/after-steps.ts';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ROOT_CONTEXT,
  resourceFromAttributes,
  type SpanContext,
  trace,
} from '../vendor/open-telemetry.ts';
import { createLogExporter } from './log-exporter.ts';
import { createContentRecorder } from './message-content.ts';
import { OtlpExporter } from './otlp-exporter.ts';
import { createSessionTracer } from './session-tracer.ts';
import { SpanRecorder } from './span-recorder.ts';
import { readTraceOptions, SECRET_TRACE_VARIABLES, type TraceOptions } from './trace-options.ts';

/** How long the end of the program waits for the last spans, and then for the requests that it aborts: 800 ms and 100 ms. */
const FLUSH_STEPS = 8;
const ABORT_STEPS = 1;

export interface TracePorts extends Pick<Ports, 'clock' | 'fetch' | 'log'> {
  listSecrets(): readonly string[];
  /** Adds a secret. */
  redact(secret: string): void;
  /** Removes a variable from the environment of tools. */
  withhold(variable: string): void;
}

export interface TraceStart {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly ports: TracePorts;
  /** The version of Parley. */
  readonly version: string;
}

export interface Traces {
  /** Records the runs of a session until it is closed. */
  observeSession(session: AgentSession): void;
  /** Sends the last spans, within the time that an exit may take. Never rejects. */
  close(): Promise<void>;
}

/** `undefined` if the variables turn traces off, or cannot be used. */
export function startTraces(start: TraceStart): Traces | undefined {
  const { env, ports, version } = start;
  const options = readTraceOptions(env, (problem) => ports.log('traces', { problem }));
  if (!options) return undefined;
  hideSecrets(options, start);
  const otlp = options.otlp && new OtlpExporter(options.otlp, ports);
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ ...options.resourceAttributes, 'service.version': version }),
    spanProcessors: [new BatchSpanProcessor(otlp ?? createLogExporter(ports.log))],
  });
  const content = options.shouldRecordContent ? createContentRecorder(() => ports.listSecrets()) : undefined;
  const recorder = new SpanRecorder(provider.getTracer('parley', version), ports.clock, content);
  const root = createRootContext(options.parent);
  return {
    observeSession: (session) => void session.subscribe(createSessionTracer(session, { recorder, root, version })),
    async close() {
      recorder.endAll();
      otlp?.hurry();
      const flushed = provider.shutdown().catch(() => {});
      await waitAtMostSteps(ports.clock, FLUSH_STEPS, flushed);
      otlp?.stop();
      await waitAtMostSteps(ports.clock, ABORT_STEPS, flushed);
    },
  };
}

function createRootContext(parent: SpanContext | undefined) {
  return parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
}

/** Short values are only hidden if the name of the header says that they are secret: hiding `prod` would damage other texts. */
const SECRET_HEADER = /auth|key|token|secret|cookie|password/i;
const MIN_KEY_LENGTH = 16;

/** The headers often contain the key of the service that collects the traces. */
function hideSecrets({ otlp }: TraceOptions, { env, ports }: TraceStart): void {
  for (const variable of SECRET_TRACE_VARIABLES) if (env[variable]) ports.withhold(variable);
  for (const [name, value] of Object.entries(otlp?.headers ?? {})) {
    if (value.length < MIN_KEY_LENGTH && !SECRET_HEADER.test(name)) continue;
    ports.redact(value);
    // The key itself, without `Bearer` or `Basic`.
    ports.redact(value.split(' ').at(-1) ?? '');
  }
}
