// Export of traces to a collector on loopback: formats, failures, retries, and the end of the program.
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { describe, expect, test } from 'vitest';
import type { AgentSession, EventListener } from '../../src/contracts/index.ts';
import { OtlpExporter } from '../../src/telemetry/traces/otlp-exporter.ts';
import { startTraces, type TracePorts } from '../../src/telemetry/traces/start-traces.ts';
import { createFakeClock } from '../../src/testing/index.ts';
import { NO_REPLY, readProtobufSpanNames, startCollector } from '../support/otlp-collector.ts';
import { waitUntil } from '../support/wait-until.ts';

interface Logged {
  readonly event: string;
  readonly facts: Record<string, unknown> | undefined;
}

function open(env: Record<string, string>) {
  const clock = createFakeClock();
  const logged: Logged[] = [];
  const [secrets, withheld]: [string[], string[]] = [[], []];
  const ports: TracePorts = {
    clock,
    fetch: globalThis.fetch,
    log: (event, facts) => void logged.push({ event, facts }),
    listSecrets: () => secrets,
    redact: (secret) => void secrets.push(secret),
    withhold: (variable) => void withheld.push(variable),
  };
  const traces = startTraces({ env, ports, version: '1.2.3' });
  return { clock, logged, secrets, withheld, traces };
}

/** Makes one span: the program ends while a run is in progress. */
function startRun(traces: ReturnType<typeof startTraces>): void {
  const session = {
    id: 'session-1',
    models: { current: null },
    context: { systemPrompt: '' },
    subscribe(listener: EventListener) {
      listener({ type: 'agent_start' });
      return () => {};
    },
  };
  traces?.observeSession(session as unknown as AgentSession);
}

const toEnv = (url: string, env: Record<string, string> = {}) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  ...env,
});

test('JSON: path, headers, resource and span', async () => {
  const collector = await startCollector();
  const env = toEnv(collector.url, { OTEL_EXPORTER_OTLP_HEADERS: 'x-key=value', OTEL_RESOURCE_ATTRIBUTES: 'a=b' });
  const { traces, logged } = open(env);
  startRun(traces);
  await traces?.close();
  expect(collector.requests).toMatchObject([
    { path: '/v1/traces', headers: { 'content-type': 'application/json', 'x-key': 'value' } },
  ]);
  expect(collector.readResource()).toEqual({ 'service.name': 'parley', 'service.version': '1.2.3', a: 'b' });
  expect(collector.listSpans()).toMatchObject([{ name: 'invoke_agent parley', parentSpanId: '' }]);
  expect(logged).toEqual([]);
});

test('protobuf is the default; gzip on request', async () => {
  const collector = await startCollector((response) => response.end());
  const { traces } = open({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip' });
  startRun(traces);
  await traces?.close();
  const [request] = collector.requests;
  expect(request?.headers).toMatchObject({ 'content-type': 'application/x-protobuf', 'content-encoding': 'gzip' });
  expect(readProtobufSpanNames(request?.body ?? Buffer.alloc(0))).toEqual(['invoke_agent parley']);
});

test('the parent of the environment is the parent of all runs, and decides whether they are sampled', async () => {
  const collector = await startCollector();
  const [traceId, spanId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
  for (const flags of ['01', '00']) {
    const { traces } = open(toEnv(collector.url, { TRACEPARENT: `00-${traceId}-${spanId}-${flags}` }));
    startRun(traces);
    await traces?.close();
  }
  expect(collector.listSpans()).toMatchObject([{ traceId, parentSpanId: spanId }]);
});

describe('a temporary failure', () => {
  /** Exports one span with a clock that does not wait. */
  async function exportSpan(url: string) {
    const finished = new InMemorySpanExporter();
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(finished)] })
      .getTracer('test')
      .startSpan('one')
      .end();
    const delays: number[] = [];
    const clock = { ...createFakeClock(), sleep: async (ms: number) => void delays.push(ms) };
    const logged: string[] = [];
    const ports = { clock, fetch: globalThis.fetch, log: (event: string) => void logged.push(event) };
    const options = { url, protocol: 'http/json', headers: {}, timeoutMs: 1000, isCompressed: false } as const;
    const exporter = new OtlpExporter(options, ports);
    const send = () =>
      new Promise<number>((resolve) => exporter.export(finished.getFinishedSpans(), ({ code }) => resolve(code)));
    return { send, delays, logged };
  }

  test('is repeated after the delay that the collector requests', async () => {
    const collector = await startCollector((response, count) => {
      response.writeHead(count < 3 ? 503 : 200, count === 1 ? { 'retry-after': '2' } : {}).end('{}');
    });
    const { send, delays, logged } = await exportSpan(collector.url);
    expect(await send()).toBe(0);
    expect([collector.requests.length, delays, logged]).toEqual([3, [2000, 3000], []]);
  });

  test('is given up after three attempts, logged once, and so is the end of the problem', async () => {
    const collector = await startCollector((response, count) => {
      response.writeHead(count <= 6 ? 429 : 200).end('{}');
    });
    const { send, delays, logged } = await exportSpan(collector.url);
    expect([await send(), await send(), await send()]).toEqual([1, 1, 0]);
    expect(delays).toEqual([1000, 3000, 1000, 3000]);
    expect(logged).toEqual(['traces not exported', 'traces exported again']);
  });

  test('is not repeated at the end of the program', async () => {
    const collector = await startCollector((response) => response.writeHead(503).end());
    const { traces, logged } = open(toEnv(collector.url));
    startRun(traces);
    await traces?.close();
    expect(collector.requests).toHaveLength(1);
    expect(logged).toEqual([
      { event: 'traces not exported', facts: { reason: 'The collector replied with status 503', spans: 1 } },
    ]);
  });
});

test.each([
  ['a status', 400, 'The collector replied with status 400'],
  ['a redirect', 302, expect.stringMatching(/redirect/i)],
])('%s is logged and does not reject', async (_, status, reason) => {
  const collector = await startCollector((response) => {
    response.writeHead(status, { location: 'http://127.0.0.1:9/' }).end();
  });
  const { traces, logged } = open(toEnv(collector.url));
  startRun(traces);
  await traces?.close();
  expect(logged).toMatchObject([{ event: 'traces not exported', facts: { reason } }]);
});

test('a collector that is not there is logged, without an error', async () => {
  const { traces, logged } = open(toEnv('http://127.0.0.1:9'));
  startRun(traces);
  await traces?.close();
  expect(logged).toMatchObject([{ facts: { reason: expect.stringMatching(/ECONNREFUSED|bad port/) } }]);
});

test('the end of the program waits 800 ms for a collector that does not reply', async () => {
  const collector = await startCollector(NO_REPLY);
  const { traces, clock, logged } = open(toEnv(collector.url));
  startRun(traces);
  let isClosed = false;
  const closed = traces?.close().then(() => (isClosed = true));
  await waitUntil(() => collector.requests.length === 1);
  await clock.advance(799);
  expect(isClosed).toBe(false);
  await clock.advance(1);
  await closed;
  expect(logged).toMatchObject([{ facts: { reason: 'The program ended before the spans were sent' } }]);
});

test('a reply that comes too late is a failure', async () => {
  const collector = await startCollector(NO_REPLY);
  const { traces, clock, logged } = open(toEnv(collector.url, { OTEL_EXPORTER_OTLP_TIMEOUT: '300' }));
  startRun(traces);
  const closed = traces?.close();
  await waitUntil(() => collector.requests.length === 1);
  await clock.advance(300);
  await closed;
  expect(logged).toMatchObject([{ facts: { reason: 'No reply in 300 ms' } }]);
});

test('headers with keys are hidden from tools and from the log; short values of other headers are not', () => {
  const { secrets, withheld } = open(
    toEnv('http://127.0.0.1:9', {
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abcdef,x-env=prod,x-team=0123456789abcdefg',
    }),
  );
  expect(withheld).toEqual(['OTEL_EXPORTER_OTLP_HEADERS']);
  expect(secrets).toContain('abcdef');
  expect(secrets).toContain('0123456789abcdefg');
  expect(secrets).not.toContain('prod');
});

test('the exporter console writes spans to the diagnostic log', async () => {
  const { traces, logged } = open({ OTEL_TRACES_EXPORTER: 'console' });
  startRun(traces);
  await traces?.close();
  expect(logged).toMatchObject([
    {
      event: 'span',
      facts: {
        name: 'invoke_agent parley',
        attributes: expect.arrayContaining(['gen_ai.conversation.id=session-1']),
        isError: true,
      },
    },
  ]);
});

test('variables that cannot be used are logged, and there are no traces', () => {
  const { traces, logged } = open(toEnv('http://127.0.0.1:9', { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }));
  expect(traces).toBeUndefined();
  expect(logged).toMatchObject([{ event: 'traces', facts: { problem: expect.stringContaining('grpc') } }]);
});
