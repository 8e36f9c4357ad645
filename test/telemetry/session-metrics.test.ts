// What the metrics count when a real agent with a scripted model works.
import { expect, onTestFinished, test } from 'vitest';
import { createAgentSession } from '../../src/app/sdk.ts';
import type { EventListener } from '../../src/contracts/index.ts';
import { type AgentEvent, type AssistantMessage, createEmptyUsage } from '../../src/protocol/index.ts';
import { createMetrics } from '../../src/telemetry/index.ts';
import {
  createFakeClock,
  createScriptedModels,
  createScriptedTools,
  type ScriptStep,
} from '../../src/testing/index.ts';
import { parsePrometheus, readSample } from '../support/prometheus.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

const USAGE = { input: 100, output: 20, cacheRead: 30, cacheWrite: 4 };
const COST = { input: 0.1, output: 0.2, cacheRead: 0, cacheWrite: 0, total: 0.3 };
const MODEL = { provider: 'testing', model: 'scripted' };

async function openObserved(script: readonly ScriptStep[]) {
  const directory = createTemporaryDirectory();
  const clock = createFakeClock();
  const models = createScriptedModels(script, { now: () => clock.now() });
  const scripted = createScriptedTools([
    { name: 'look', hold: 'look' },
    { name: 'fail', isError: true },
  ]);
  const agent = await createAgentSession({
    ...{ cwd: directory, agentDirectory: directory, persist: false, models, tools: scripted.tools },
    settings: { 'retry.baseDelayMs': 1 },
    ports: { clock },
  });
  onTestFinished(() => agent.close());
  const metrics = createMetrics({ clock, version: '1.2.3' });
  const stop = metrics.observeSession(agent.session);
  const read = (name: string, labels: Record<string, string> = {}) => readSample(metrics.render(), name, labels);
  return { agent, clock, models, tools: scripted, metrics, stop, read };
}

test('a run with tool calls: runs, turns, requests, tokens, cost, tools and times', async () => {
  const { agent, clock, models, tools, read } = await openObserved([
    {
      text: ['a', 'b'],
      calls: [{ name: 'look' }, { name: 'fail' }],
      usage: { ...USAGE, cost: COST },
      hold: 'answer',
    },
    { text: 'done', usage: { ...USAGE, cost: COST } },
  ]);
  const run = agent.prompt('go');
  await models.waitForHold('answer');
  await clock.advance(700);
  models.release('answer');
  const started = new Promise<void>((resolve) => {
    agent.subscribe(({ type }) => void (type === 'tool_execution_start' && resolve()));
  });
  await started;
  await clock.advance(2_000);
  tools.release('look');
  await run;
  expect(read('parley_runs_started_total')).toBe(1);
  expect(read('parley_runs_ended_total', { outcome: 'completed' })).toBe(1);
  expect(read('parley_run_duration_seconds_sum', { outcome: 'completed' })).toBe(2.7);
  expect(read('parley_turns_total')).toBe(2);
  expect(read('parley_model_requests_total', { ...MODEL, outcome: 'tool_use' })).toBe(1);
  expect(read('parley_model_requests_total', { ...MODEL, outcome: 'stop' })).toBe(1);
  expect(read('parley_first_delta_seconds_count', MODEL)).toBe(2);
  expect(read('parley_first_delta_seconds_sum', MODEL)).toBe(0.7);
  expect(read('parley_tokens_total', { ...MODEL, kind: 'input' })).toBe(200);
  expect(read('parley_tokens_total', { ...MODEL, kind: 'output' })).toBe(40);
  expect(read('parley_tokens_total', { ...MODEL, kind: 'cache_read' })).toBe(60);
  expect(read('parley_tokens_total', { ...MODEL, kind: 'cache_write' })).toBe(8);
  expect(read('parley_cost_usd_total', MODEL)).toBeCloseTo(0.6);
  expect(read('parley_tool_calls_total', { tool: 'look', outcome: 'success' })).toBe(1);
  expect(read('parley_tool_calls_total', { tool: 'fail', outcome: 'error' })).toBe(1);
  expect(read('parley_tool_call_duration_seconds_sum', { tool: 'look' })).toBe(2);
});

test('subagents: their tokens and tools count, their runs do not', async () => {
  const { agent, read } = await openObserved([
    { calls: [{ name: 'task', arguments: { agent: 'task', tasks: [{ id: 'One', assignment: 'do it' }] } }] },
    { calls: [{ name: 'fail' }], usage: USAGE },
    { text: 'did it', usage: USAGE },
    { text: 'all done', usage: USAGE },
  ]);
  await agent.prompt('go');
  expect(read('parley_subagents_started_total')).toBe(1);
  expect(read('parley_subagents_ended_total', { outcome: 'completed' })).toBe(1);
  expect(read('parley_runs_started_total')).toBe(1);
  expect(read('parley_turns_total')).toBe(4);
  expect(read('parley_tokens_total', { ...MODEL, kind: 'input' })).toBe(300);
  expect(read('parley_first_delta_seconds_count', MODEL)).toBe(4);
  expect(read('parley_tool_calls_total', { tool: 'fail', outcome: 'error' })).toBe(1);
  expect(read('parley_tool_calls_total', { tool: 'task', outcome: 'success' })).toBe(1);
});

test('errors and retries', async () => {
  const { agent, clock, read } = await openObserved([
    { error: 'overloaded', failure: { kind: 'overloaded', status: 529 } },
    { text: 'fine' },
    { error: 'wrong key', failure: { kind: 'auth', status: 401 } },
  ]);
  const retried = new Promise<void>((resolve) => {
    agent.subscribe(({ type }) => void (type === 'auto_retry_start' && resolve()));
  });
  const run = agent.prompt('go');
  await retried;
  await clock.advance(600_000);
  await run;
  await agent.prompt('again');
  expect(read('parley_model_requests_total', { ...MODEL, outcome: 'error' })).toBe(2);
  expect(read('parley_model_retries_total')).toBe(1);
  expect(read('parley_model_retries_ended_total', { outcome: 'success' })).toBe(1);
  expect(read('parley_runs_ended_total', { outcome: 'continued' })).toBe(1);
  expect(read('parley_runs_ended_total', { outcome: 'completed' })).toBe(1);
  expect(read('parley_runs_ended_total', { outcome: 'error' })).toBe(1);
});

test('an aborted run', async () => {
  const { agent, models, read } = await openObserved([{ text: 'long', hold: 'answer' }]);
  const run = agent.prompt('go');
  await models.waitForHold('answer');
  await agent.session.runs.abort();
  await run;
  expect(read('parley_runs_ended_total', { outcome: 'aborted' })).toBe(1);
  expect(read('parley_model_requests_total', { ...MODEL, outcome: 'aborted' })).toBe(1);
});

test('a compaction counts with its reason, its outcome and the tokens of its summary', async () => {
  const { agent, read } = await openObserved([
    { text: 'one', usage: USAGE },
    { text: 'two', usage: USAGE },
    { text: 'the summary of the history', usage: { ...USAGE, input: 1000 } },
    { text: 'the summary of the last turn', usage: { ...USAGE, input: 5000 } },
  ]);
  await agent.prompt('first');
  await agent.prompt('second');
  await agent.session.compaction.compact(undefined, { keepMessages: 1 });
  await agent.session.compaction.compact().catch(() => {});
  expect(read('parley_compactions_total', { reason: 'manual', outcome: 'completed' })).toBe(1);
  expect(read('parley_compactions_total', { reason: 'manual', outcome: 'failed' })).toBe(1);
  expect(read('parley_tokens_total', { ...MODEL, kind: 'input' })).toBe(6200);
});

test('open sessions: each is counted until its function is called, once', async () => {
  const { agent, metrics, stop, read } = await openObserved([{ text: 'unseen' }]);
  const stopSecond = metrics.observeSession(agent.session);
  expect(read('parley_sessions_open')).toBe(2);
  stop();
  stop();
  expect(read('parley_sessions_open')).toBe(1);
  stopSecond();
  await agent.prompt('go');
  expect(read('parley_sessions_open')).toBe(0);
  expect(read('parley_runs_started_total')).toBe(0);
});

test('only the first delta of an answer reads the clock, and no delta changes the text', () => {
  let readings = 0;
  let listener: EventListener = () => {};
  const clock = { now: () => ++readings };
  const metrics = createMetrics({ clock, version: '1' });
  metrics.observeSession({
    subscribe(added) {
      listener = added;
      return () => {};
    },
    models: {} as never,
  });
  const message: AssistantMessage = {
    ...{ role: 'assistant', content: [], api: 'x', usage: createEmptyUsage(), stopReason: 'stop', timestamp: 0 },
    ...{ provider: 'p', model: 'm' },
  };
  const delta: AgentEvent = {
    type: 'message_update',
    message,
    assistantMessageEvent: { type: 'text_delta', contentIndex: 0, delta: 'x', partial: message },
  };
  listener({ type: 'message_start', message });
  listener(delta);
  const text = metrics.render();
  for (let count = 0; count < 1000; count += 1) listener(delta);
  expect(readings).toBe(1);
  expect(metrics.render()).toBe(text);
  expect(parsePrometheus(text).get('parley_first_delta_seconds')?.samples.at(-1)?.value).toBe(1);
});
