// Traces of the built program: one collector on loopback, the modes of the program, secrets, and collectors that fail.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createChunkRecorder } from '../support/chunk-recorder.ts';
import { startForwardProxy } from '../support/forward-proxy.ts';
import { type CollectedSpan, type Collector, NO_REPLY, startCollector } from '../support/otlp-collector.ts';
import { createDirectories, runProgram, startProgram, startRpc } from '../support/program.ts';
import { startServer, stopServer } from '../support/server.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

const OFFLINE = ['--provider', 'parley', '--model', 'offline'];
const KEY = 'canary-collector-key-5b1c';
const PROMPT = 'run `echo private-output`';

const toEnv = ({ url }: Pick<Collector, 'url'>, env: Record<string, string> = {}) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  OTEL_EXPORTER_OTLP_HEADERS: `x-api-key=${KEY}`,
  ...env,
});

/** The names of the spans as an indented tree, siblings in the order of their start. */
function drawTree(spans: readonly CollectedSpan[], parent = '', indent = ''): string[] {
  return spans
    .filter(({ parentSpanId }) => parentSpanId === parent)
    .toSorted((one, other) => one.startMs - other.startMs || one.endMs - other.endMs)
    .flatMap((span) => [indent + span.name, ...drawTree(spans, span.spanId, `${indent}  `)]);
}

const TOOL_RUN = ['invoke_agent parley', '  chat offline', '  execute_tool bash', '  chat offline'];

test('RPC mode: the tree of a run with a tool call, attributes, and nothing that is private', async () => {
  const collector = await startCollector();
  const program = startRpc(OFFLINE, {
    env: toEnv(collector, {
      ANTHROPIC_API_KEY: 'canary-anthropic-4f81',
      OTEL_SERVICE_NAME: 'my-agent',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test',
    }),
  });
  program.send({ type: 'prompt', message: PROMPT });
  await program.nextFrame({ type: 'agent_settled' });
  const { data } = await program.call({ type: 'get_state' });
  program.stdin.end();
  expect(await program.exited).toMatchObject({ code: 0, stderr: '' });
  const spans = collector.listSpans();
  expect(drawTree(spans)).toEqual(TOOL_RUN);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  expect(collector.readResource()).toMatchObject({ 'service.name': 'my-agent', 'deployment.environment': 'test' });
  const [root, chat, tool] = ['invoke_agent parley', 'chat offline', 'execute_tool bash'].map((name) =>
    spans.find((span) => span.name === name),
  );
  const conversation = { 'gen_ai.conversation.id': (data as { sessionId: string }).sessionId };
  const model = { 'gen_ai.provider.name': 'parley', 'gen_ai.request.model': 'offline' };
  expect(root?.attributes).toMatchObject({
    ...{ 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'parley', ...conversation, ...model },
    ...{ 'parley.run.outcome': 'completed', 'parley.run.turns': 2 },
  });
  expect(chat?.attributes).toMatchObject({
    ...{ 'gen_ai.operation.name': 'chat', ...conversation, ...model, 'gen_ai.response.model': 'offline' },
    'gen_ai.response.finish_reasons': ['tool_call'],
    'gen_ai.usage.input_tokens': expect.any(Number),
    'gen_ai.usage.output_tokens': expect.any(Number),
  });
  expect(tool?.attributes).toMatchObject({
    ...{ 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'bash', ...conversation },
    'gen_ai.tool.call.id': expect.stringMatching(/./),
  });
  // Internal, client, internal.
  expect([root?.kind, chat?.kind, tool?.kind]).toEqual([1, 3, 1]);
  for (const span of spans) expect(span.endMs).toBeGreaterThanOrEqual(span.startMs);
  const sent = collector.requests.map(({ body }) => body.toString()).join('');
  expect(sent).not.toMatch(/private|canary|echo/);
  expect(collector.requests[0]?.headers['x-api-key']).toBe(KEY);
});

test('content on request, without keys, also not those of the collector', async () => {
  const collector = await startCollector();
  const env = {
    ...toEnv(collector, { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true' }),
    ANTHROPIC_API_KEY: 'canary-anthropic-4f81',
  };
  const message = `run \`echo private-output; echo canary-anthropic-4f81 ${KEY}; env\``;
  const { code, stdout } = await runProgram([...OFFLINE, message], '', { env });
  expect(code).toBe(0);
  // The variable with the key of the collector is not passed to commands.
  expect(stdout).not.toContain('OTEL_EXPORTER_OTLP_HEADERS');
  const sent = collector.requests.map(({ body }) => body.toString()).join('');
  expect(sent).toContain('private-output');
  expect(sent).toContain('gen_ai.tool.call.arguments');
  expect(sent).not.toContain('canary');
});

describe('other modes', () => {
  test('a single message', async () => {
    const collector = await startCollector();
    expect(await runProgram([...OFFLINE, PROMPT], '', { env: toEnv(collector) })).toMatchObject({ code: 0 });
    expect(drawTree(collector.listSpans())).toEqual(TOOL_RUN);
  });

  test('a dialect with many sessions: each run is a trace of its own session', async () => {
    const collector = await startCollector();
    const program = startRpc([...OFFLINE, '--dialect', 'opal'], { env: toEnv(collector) });
    const sessions: unknown[] = [];
    for (const id of [1, 2]) {
      program.send({ jsonrpc: '2.0', id, method: 'session/start', params: { session: false } });
      const { result } = (await program.nextFrame({ id })) as unknown as { result: { session_id: string } };
      sessions.push(result.session_id);
      const params = { session_id: result.session_id, text: PROMPT };
      program.send({ jsonrpc: '2.0', id: id + 10, method: 'agent/prompt', params });
      await program.nextFrame(({ params: event }) => (event as { type?: string } | undefined)?.type === 'agent_end');
    }
    program.stdin.end();
    expect(await program.exited).toMatchObject({ code: 0 });
    const spans = collector.listSpans();
    expect(drawTree(spans)).toEqual([...TOOL_RUN, ...TOOL_RUN]);
    const roots = spans.filter(({ parentSpanId }) => parentSpanId === '');
    expect(roots.map(({ attributes }) => attributes['gen_ai.conversation.id'])).toEqual(sessions);
  });

  test('the server: runs of a session that clients call over HTTP', async () => {
    const collector = await startCollector();
    const server = await startServer(OFFLINE, { env: toEnv(collector) });
    const sessionId = await server.createSession();
    await server.request(`/v1/sessions/${sessionId}/commands/prompt?wait=settled`, {
      method: 'POST',
      body: { message: PROMPT },
    });
    expect(await stopServer(server)).toMatchObject({ code: 143 });
    expect(drawTree(collector.listSpans())).toEqual(TOOL_RUN);
    expect(collector.listSpans()[0]?.attributes['gen_ai.conversation.id']).toBe(sessionId);
  });

  test('a run that is interrupted by a signal is sent as interrupted or aborted', async () => {
    const collector = await startCollector();
    const program = startRpc(OFFLINE, { env: toEnv(collector) });
    program.send({ type: 'prompt', message: 'run `sleep 600`' });
    await program.nextFrame({ type: 'tool_execution_start' });
    program.kill('SIGTERM');
    expect(await program.exited).toMatchObject({ code: 143 });
    expect(collector.listSpans().map(({ name }) => name)).toContain('invoke_agent parley');
  });
});

test('the trace continues the one of the program that started Parley', async () => {
  const collector = await startCollector();
  const [traceId, parentSpanId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
  const env = toEnv(collector, { TRACEPARENT: `00-${traceId}-${parentSpanId}-01` });
  await runProgram([...OFFLINE, 'say `hello`'], '', { env });
  expect(collector.listSpans().find(({ name }) => name === 'invoke_agent parley')).toMatchObject({
    traceId,
    parentSpanId,
  });
});

test.each([
  ['OTEL_SDK_DISABLED', 'true'],
  ['OTEL_TRACES_EXPORTER', 'none'],
  ['OTEL_TRACES_SAMPLER', 'always_off'],
])('%s=%s: nothing is sent', async (name, value) => {
  const collector = await startCollector();
  const env = toEnv(collector, { [name]: value });
  expect(await runProgram([...OFFLINE, 'say `hello`'], '', { env })).toMatchObject({ code: 0, stdout: 'hello\n' });
  expect(collector.requests).toEqual([]);
});

test('without the variables no code of OpenTelemetry is loaded', async () => {
  const collector = await startCollector();
  const listLoaded = async (env: Record<string, string>) => {
    const recorder = createChunkRecorder(createTemporaryDirectory());
    await runProgram([...OFFLINE, 'say `hello`'], '', { env: { ...recorder.env, ...env } });
    return recorder.listLoaded();
  };
  const [without, withTraces] = [await listLoaded({}), await listLoaded(toEnv(collector))];
  expect(without.size).toBeGreaterThan(1);
  expect([...without].filter((name) => !withTraces.has(name))).toEqual([]);
  expect(withTraces.size).toBeGreaterThan(without.size);
});

test('the proxy of the user is used', async () => {
  const collector = await startCollector();
  const { port } = new URL(collector.url);
  const proxy = await startForwardProxy({ ports: { 4318: Number(port) } });
  const env = toEnv({ url: 'http://collector.test:4318' }, { HTTP_PROXY: proxy.url });
  expect(await runProgram([...OFFLINE, 'say `hello`'], '', { env })).toMatchObject({ code: 0 });
  expect(proxy.forwarded).toEqual([{ how: 'forward', to: 'collector.test:4318' }]);
  expect(drawTree(collector.listSpans())).toEqual(['invoke_agent parley', '  chat offline']);
});

describe('a collector that fails does not disturb the run', () => {
  /** The frames that a host sees, without the values that differ between two runs. */
  async function converse(env: Record<string, string>) {
    const directories = createDirectories();
    const program = startProgram(['--mode', 'rpc', '--log-file', join(directories.home, 'log'), ...OFFLINE], {
      directories,
      env,
    });
    program.send({ type: 'prompt', message: PROMPT });
    await program.nextFrame({ type: 'session_settled' });
    program.stdin.end();
    const { code, stderr } = await program.exited;
    const types = program.frames.map(({ type }) => type).filter((type) => type !== 'tool_execution_update');
    return { code, stderr, types, log: readFileSync(join(directories.home, 'log'), 'utf8') };
  }

  test.each([
    ['not there', async () => 'http://127.0.0.1:9', /ECONNREFUSED|bad port/],
    [
      'without a reply',
      async () => (await startCollector(NO_REPLY)).url,
      /The program ended before the spans were sent/,
    ],
    [
      'with an error',
      async () => (await startCollector((response) => response.writeHead(500).end())).url,
      /The collector replied with status 500/,
    ],
  ])('%s', async (_, start, reason) => {
    const plain = await converse({});
    const traced = await converse(toEnv({ url: await start() }));
    expect(traced).toMatchObject({ code: plain.code, stderr: plain.stderr, types: plain.types });
    // Written before the exit, so the exit was not forced by its own time limit.
    expect(traced.log).toMatch(reason);
    expect(traced.log).not.toContain(KEY);
  });
});
