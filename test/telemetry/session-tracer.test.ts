// The spans of a real agent with a scripted model: their tree, their attributes, and what they do not contain.
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { expect, onTestFinished, test } from 'vitest';
import { createAgentSession } from '../../src/app/sdk.ts';
import type { AgentEvent } from '../../src/protocol/index.ts';
import { createContentRecorder } from '../../src/telemetry/traces/message-content.ts';
import { createSessionTracer } from '../../src/telemetry/traces/session-tracer.ts';
import { SpanRecorder } from '../../src/telemetry/traces/span-recorder.ts';
import { ROOT_CONTEXT } from '../../src/telemetry/vendor/open-telemetry.ts';
import {
  createFakeClock,
  createScriptedModels,
  createScriptedTools,
  type ScriptStep,
} from '../../src/testing/index.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

const SECRET = 'sk-secret-0123456789abcdef';
const USAGE = { input: 100, output: 20, cacheRead: 30, cacheWrite: 4 };

async function openTraced(script: readonly ScriptStep[], { hasContent = false } = {}) {
  const directory = createTemporaryDirectory();
  const clock = createFakeClock();
  const models = createScriptedModels(script, { now: () => clock.now() });
  const tools = createScriptedTools([
    { name: 'look', hold: 'look', text: `found ${SECRET}` },
    { name: 'fail', isError: true, text: 'the private reason' },
  ]);
  const agent = await createAgentSession({
    ...{ cwd: directory, agentDirectory: directory, persist: false, models, tools: tools.tools, ports: { clock } },
  });
  onTestFinished(() => agent.close());
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const content = hasContent ? createContentRecorder(() => [SECRET]) : undefined;
  const recorder = new SpanRecorder(provider.getTracer('test'), clock, content);
  agent.subscribe(createSessionTracer(agent.session, { recorder, root: ROOT_CONTEXT, version: '1.2.3' }));
  const spans = () => exporter.getFinishedSpans();
  const find = (name: string) => {
    const found = spans().filter((span) => span.name === name);
    expect(found, name).toHaveLength(1);
    return found[0] as ReadableSpan;
  };
  const nextEvent = (type: AgentEvent['type']) =>
    new Promise<void>((resolve) => {
      const stop = agent.subscribe((event) => {
        if (event.type !== type) return;
        stop();
        resolve();
      });
    });
  return { agent, clock, models, tools, recorder, spans, find, nextEvent };
}

/** The names of the spans as an indented tree, siblings in the order of their start. */
function drawTree(spans: readonly ReadableSpan[], parent = '', indent = ''): string[] {
  const startOf = ({ startTime: [seconds, nanoseconds] }: ReadableSpan) => seconds * 1e9 + nanoseconds;
  return spans
    .filter(({ parentSpanContext }) => (parentSpanContext?.spanId ?? '') === parent)
    .toSorted((one, other) => startOf(one) - startOf(other))
    .flatMap((span) => [indent + span.name, ...drawTree(spans, span.spanContext().spanId, `${indent}  `)]);
}

const durationMs = ({ duration: [seconds, nanoseconds] }: ReadableSpan) => seconds * 1000 + nanoseconds / 1e6;

test('a run: its requests and tool calls are inside, with times and attributes of the conventions', async () => {
  const { agent, clock, models, tools, spans, find, nextEvent } = await openTraced([
    { text: 'a', calls: [{ id: 'c1', name: 'look' }], usage: USAGE, hold: 'answer' },
    { text: 'done', usage: USAGE },
  ]);
  const run = agent.prompt('go');
  await models.waitForHold('answer');
  await clock.advance(700);
  const called = nextEvent('tool_execution_start');
  models.release('answer');
  await called;
  await clock.advance(2_000);
  const secondTurn = nextEvent('turn_start');
  tools.release('look');
  await secondTurn;
  await run;
  expect(drawTree(spans())).toEqual([
    'invoke_agent parley',
    '  chat scripted',
    '  execute_tool look',
    '  chat scripted',
  ]);
  const root = find('invoke_agent parley');
  const conversation = { 'gen_ai.conversation.id': agent.session.id };
  const model = { 'gen_ai.provider.name': 'testing', 'gen_ai.request.model': 'scripted' };
  expect(root.attributes).toEqual({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'parley',
    'gen_ai.agent.version': '1.2.3',
    ...conversation,
    ...model,
    'gen_ai.usage.input_tokens': 268,
    'gen_ai.usage.output_tokens': 40,
    'gen_ai.usage.cache_read.input_tokens': 60,
    'gen_ai.usage.cache_creation.input_tokens': 8,
    'gen_ai.response.finish_reasons': ['stop'],
    'parley.run.outcome': 'completed',
    'parley.run.turns': 2,
  });
  expect(durationMs(root)).toBe(2_700);
  const [first] = spans().filter(({ name }) => name === 'chat scripted');
  expect(first?.attributes).toEqual({
    'gen_ai.operation.name': 'chat',
    ...conversation,
    ...model,
    'gen_ai.request.stream': true,
    'gen_ai.response.model': 'scripted',
    'gen_ai.response.finish_reasons': ['tool_call'],
    'gen_ai.response.time_to_first_chunk': 0.7,
    'gen_ai.usage.input_tokens': 134,
    'gen_ai.usage.output_tokens': 20,
    'gen_ai.usage.cache_read.input_tokens': 30,
    'gen_ai.usage.cache_creation.input_tokens': 4,
  });
  expect(first && durationMs(first)).toBe(700);
  const tool = find('execute_tool look');
  expect(tool.attributes).toEqual({
    'gen_ai.operation.name': 'execute_tool',
    ...conversation,
    'gen_ai.tool.name': 'look',
    'gen_ai.tool.call.id': 'c1',
    'gen_ai.tool.type': 'function',
  });
  expect([durationMs(tool), tool.status.code]).toEqual([2_000, 0]);
});

test('subagents are inside the tool call that started them, also those of subagents', async () => {
  const { agent, spans, find } = await openTraced([
    { calls: [{ name: 'task', arguments: { agent: 'task', tasks: [{ id: 'Outer', assignment: 'one' }] } }] },
    { calls: [{ name: 'task', arguments: { agent: 'quick_task', tasks: [{ id: 'Inner', assignment: 'two' }] } }] },
    { calls: [{ name: 'fail' }], usage: USAGE },
    { text: 'inner done', usage: USAGE },
    { text: 'outer done', usage: USAGE },
    { text: 'all done', usage: USAGE },
  ]);
  await agent.prompt('go');
  expect(drawTree(spans())).toEqual([
    'invoke_agent parley',
    '  chat scripted',
    '  execute_tool task',
    '    invoke_agent task',
    '      chat scripted',
    '      execute_tool task',
    '        invoke_agent quick_task',
    '          chat scripted',
    '          execute_tool fail',
    '          chat scripted',
    '      chat scripted',
    '  chat scripted',
  ]);
  expect(new Set(spans().map((span) => span.spanContext().traceId)).size).toBe(1);
  const subagents = spans().filter(({ name }) => /^invoke_agent .*task$/.test(name));
  expect(subagents.map(({ attributes }) => attributes)).toEqual([
    expect.objectContaining({ 'gen_ai.agent.id': 'Outer.Inner', 'gen_ai.usage.output_tokens': 40 }),
    expect.objectContaining({
      'gen_ai.agent.id': 'Outer',
      'gen_ai.agent.name': 'task',
      'gen_ai.conversation.id': agent.session.id,
      'gen_ai.usage.output_tokens': 20,
      'parley.run.outcome': 'completed',
    }),
  ]);
  const failed = find('execute_tool fail');
  expect([failed.status, failed.attributes['error.type']]).toEqual([{ code: 2 }, 'tool_error']);
});

test('a retry is an event of the run; the failed request is an error with the status of the provider', async () => {
  const { agent, clock, spans, find, nextEvent } = await openTraced([
    { error: '529 overloaded: the private text', failure: { kind: 'overloaded', status: 529 } },
    { text: 'fine' },
  ]);
  const retried = nextEvent('auto_retry_start');
  const run = agent.prompt('go');
  await retried;
  await clock.advance(600_000);
  await run;
  expect(drawTree(spans())).toEqual(['invoke_agent parley', '  chat scripted', '  chat scripted']);
  const root = find('invoke_agent parley');
  expect(root.events).toMatchObject([
    { name: 'retry', attributes: { 'parley.retry.attempt': 1, 'error.type': '529' } },
  ]);
  expect(root.attributes).toMatchObject({ 'parley.run.outcome': 'completed', 'parley.run.turns': 2 });
  expect(root.status.code).toBe(0);
  const [failed] = spans();
  expect(failed?.attributes).toMatchObject({ 'error.type': '529', 'gen_ai.response.finish_reasons': ['error'] });
  expect(failed?.status).toEqual({ code: 2 });
});

test('a run that fails, and one that is aborted', async () => {
  const { agent, models, spans } = await openTraced([
    { error: 'no route', failure: { kind: 'auth' } },
    { text: 'long', hold: 'answer' },
  ]);
  await agent.prompt('go');
  const run = agent.prompt('again');
  await models.waitForHold('answer');
  await agent.session.runs.abort();
  await run;
  const roots = spans().filter(({ name }) => name === 'invoke_agent parley');
  expect(roots.map(({ attributes, status }) => [attributes['parley.run.outcome'], status.code])).toEqual([
    ['error', 2],
    ['aborted', 0],
  ]);
  expect(roots[0]?.attributes['error.type']).toBe('_OTHER');
});

test('a message that is queued during a run belongs to it; one that is queued at its end gets a span of its own', async () => {
  const { agent, models, spans } = await openTraced([
    { text: 'one', hold: 'answer' },
    { text: 'two' },
    { text: 'three' },
  ]);
  const run = agent.prompt('first');
  await models.waitForHold('answer');
  await agent.session.runs.followUp({ message: 'second' });
  const stop = agent.subscribe(async ({ type }) => {
    if (type !== 'agent_end') return;
    stop();
    await agent.session.runs.followUp({ message: 'third' });
  });
  models.release('answer');
  await run;
  const runs = spans().filter(({ name }) => name === 'invoke_agent parley');
  expect(runs.map(({ attributes }) => attributes['parley.run.turns'])).toEqual([2, 1]);
  expect(new Set(runs.map((span) => span.spanContext().traceId)).size).toBe(2);
});

test('a compaction has the tokens of its summary', async () => {
  const { agent, find } = await openTraced([
    { text: 'one' },
    { text: 'two' },
    { text: 'the history', usage: USAGE },
    { text: 'the last turn', usage: USAGE },
  ]);
  await agent.prompt('first');
  await agent.prompt('second');
  await agent.session.compaction.compact(undefined, { keepMessages: 1 });
  const span = find('compact');
  expect(span.parentSpanContext).toBeUndefined();
  expect(span.attributes).toMatchObject({
    'gen_ai.operation.name': 'compact',
    'gen_ai.conversation.id': agent.session.id,
    'gen_ai.request.model': 'scripted',
    'gen_ai.usage.input_tokens': 268,
    'parley.compaction.reason': 'manual',
    'parley.compaction.tokens_before': expect.any(Number),
  });
});

test('what is open at the end of the program is ended as interrupted', async () => {
  const { agent, models, recorder, spans, nextEvent } = await openTraced([{ calls: [{ name: 'look' }] }]);
  const called = nextEvent('tool_execution_start');
  void agent.prompt('go');
  await called;
  recorder.endAll();
  expect(models.remaining).toBe(0);
  expect(spans().map(({ name, attributes }) => [name, attributes['error.type']])).toEqual([
    ['chat scripted', undefined],
    ['execute_tool look', 'interrupted'],
    ['invoke_agent parley', 'interrupted'],
  ]);
});

const PRIVATE_SCRIPT: readonly ScriptStep[] = [
  {
    thinking: 'the private thought',
    text: 'the private answer',
    calls: [
      { id: 'c1', name: 'fail', arguments: { input: 'the private argument' } },
      { id: 'c2', name: 'look', arguments: { input: SECRET } },
    ],
  },
  { error: '400 the private error' },
];

async function runPrivately(hasContent: boolean) {
  const traced = await openTraced(PRIVATE_SCRIPT, { hasContent });
  traced.tools.release('look');
  await traced.agent.prompt(`the private prompt ${SECRET}`);
  const text = JSON.stringify(
    traced.spans().map(({ name, attributes, events, status }) => ({ name, attributes, events, status })),
  );
  return { ...traced, text };
}

test('by default no span contains a text of the conversation', async () => {
  const { text, spans } = await runPrivately(false);
  expect(spans()).toHaveLength(5);
  expect(text).not.toMatch(/private|secret/);
});

test('content on request: messages, arguments and results in the form of the conventions, without secrets', async () => {
  const { text, spans, find } = await runPrivately(true);
  expect(text).not.toContain(SECRET);
  const [chat] = spans().filter(({ name }) => name === 'chat scripted');
  const parse = (span: ReadableSpan | undefined, name: string) => JSON.parse(String(span?.attributes[name]));
  expect(parse(chat, 'gen_ai.input.messages')).toEqual([
    { role: 'user', parts: [{ type: 'text', content: 'the private prompt [redacted]' }] },
  ]);
  expect(parse(chat, 'gen_ai.output.messages')).toEqual([
    {
      role: 'assistant',
      parts: [
        { type: 'reasoning', content: 'the private thought' },
        { type: 'text', content: 'the private answer' },
        { type: 'tool_call', id: 'c1', name: 'fail', arguments: { input: 'the private argument' } },
        { type: 'tool_call', id: 'c2', name: 'look', arguments: { input: '[redacted]' } },
      ],
      finish_reason: 'tool_call',
    },
  ]);
  expect(parse(find('execute_tool fail'), 'gen_ai.tool.call.arguments')).toEqual({ input: 'the private argument' });
  expect(parse(find('execute_tool look'), 'gen_ai.tool.call.result')).toEqual([
    { type: 'text', text: 'found [redacted]' },
  ]);
  expect(find('invoke_agent parley').status).toEqual({ code: 2, message: '400 the private error' });
  expect(find('invoke_agent parley').attributes['gen_ai.system_instructions']).toContain('"type":"text"');
});
