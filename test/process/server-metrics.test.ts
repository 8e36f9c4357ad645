// The metrics of the built server after real requests.
import { expect, test } from 'vitest';
import { readSample } from '../support/prometheus.ts';
import { startServer } from '../support/server.ts';

test('sessions, runs, tools, calls, refusals and the process', async () => {
  const server = await startServer();
  const sessionId = await server.createSession();
  await server.request(`/v1/sessions/${sessionId}/commands/prompt?wait=settled`, {
    method: 'POST',
    body: { message: 'run `echo hello`' },
  });
  await server.call(sessionId, 'set_model', { provider: 'none', modelId: 'none' });
  await server.request('/v1/sessions', { token: null });
  await server.request('/v1/sessions', { token: 'wrong' });
  await server.request('/v1/sessions', { headers: { host: 'evil.example' } });
  const { text, headers } = await server.request('/metrics');
  expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  const read = (name: string, labels: Record<string, string> = {}) => readSample(text, name, labels);
  const model = { provider: 'parley', model: 'offline' };
  expect(read('parley_sessions_open')).toBe(1);
  expect(read('parley_runs_ended_total', { outcome: 'completed' })).toBe(1);
  expect(read('parley_turns_total')).toBe(2);
  expect(read('parley_model_requests_total', { ...model, outcome: 'stop' })).toBe(1);
  expect(read('parley_tokens_total', { ...model, kind: 'output' })).toBeGreaterThan(0);
  expect(read('parley_first_delta_seconds_count', model)).toBe(2);
  expect(read('parley_tool_calls_total', { tool: 'bash', outcome: 'success' })).toBe(1);
  expect(read('parley_calls_total', { command: 'prompt', outcome: 'success' })).toBe(1);
  expect(read('parley_calls_total', { command: 'set_model', outcome: 'not_found' })).toBe(1);
  expect(read('parley_requests_refused_total', { reason: 'unauthorized' })).toBe(2);
  expect(read('parley_requests_refused_total', { reason: 'forbidden' })).toBe(1);
  expect(read('process_resident_memory_bytes')).toBeGreaterThan(1e6);
  expect(read('nodejs_eventloop_lag_max_seconds')).toBeGreaterThanOrEqual(0);
});

test('a closed session is not counted any more', async () => {
  const server = await startServer();
  const countOpen = async () => readSample((await server.request('/metrics')).text, 'parley_sessions_open');
  const [first] = [await server.createSession(), await server.createSession()];
  expect(await countOpen()).toBe(2);
  await server.request(`/v1/sessions/${first}/close`, { method: 'POST' });
  expect(await countOpen()).toBe(1);
});
