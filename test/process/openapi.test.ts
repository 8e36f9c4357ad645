// The built server replies as its OpenAPI document says: every kind of route and several commands, successes and failures.
import { expect, onTestFinished, test } from 'vitest';
import { OpenApiDocument } from '../support/openapi-document.ts';
import { type ServerRequest, startServer } from '../support/server.ts';

interface CheckedRequest extends ServerRequest {
  readonly query?: string;
}

/** A server whose responses are checked against its own document. */
async function startCheckedServer() {
  const server = await startServer();
  const openApi = new OpenApiDocument((await server.request('/openapi.json')).json as Record<string, unknown>);
  const request = async (path: string, params: Record<string, string> = {}, checked: CheckedRequest = {}) => {
    const { query = '', method = 'GET' } = checked;
    const address = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
    const { status, headers, text, json } = await server.request(address + query, checked);
    const [type = ''] = (headers['content-type'] ?? '').split(';');
    const value = (type === 'application/json' ? json : text) as Body;
    const problems = openApi.validateResponse(path, method.toLowerCase(), status, type, value);
    expect(problems, `${method} ${path}: ${text.slice(0, 300)}`).toEqual([]);
    return { status, value };
  };
  return { ...server, openApi, request };
}

// biome-ignore lint/suspicious/noExplicitAny: the document has checked it
type Body = any;

test('sessions, commands, dialogs, files and the server', async () => {
  const { request } = await startCheckedServer();
  expect(await request('/healthz', {}, { token: null })).toMatchObject({ status: 200, value: { status: 'ok' } });
  expect((await request('/metrics')).value).toContain('parley_sessions_open');
  const created = await request('/v1/sessions', {}, { method: 'POST', body: {} });
  expect(created.status).toBe(201);
  const { sessionId } = created.value.data as { sessionId: string };
  const session = { sessionId };
  const call = (command: string, body?: unknown, query = '') =>
    request(`/v1/sessions/{sessionId}/commands/${command}`, session, { method: 'POST', body, query });
  expect((await call('prompt', { message: 'say `hello`' }, '?wait=settled')).value).toMatchObject({
    outcome: { status: 'completed' },
  });
  expect((await call('get_last_assistant_text')).value.data).toEqual({ text: 'hello' });
  expect((await call('prompt', { message: 'count to 3' })).status).toBe(202);
  expect((await call('abort', {}, '?wait=settled')).status).toBe(200);
  for (const command of ['get_state', 'get_messages', 'get_tree', 'get_entries', 'get_session_stats', 'get_commands'])
    expect((await call(command)).status, command).toBe(200);
  expect((await call('set_session_name', { name: 'One' })).value.data).toBeNull();
  expect((await request('/v1/sessions/{sessionId}', session)).value.data).toMatchObject({ sessionId, isOpen: true });
  expect((await request('/v1/sessions/{sessionId}/dialogs', session)).value.data).toEqual({ dialogs: [] });
  expect((await request('/v1/sessions/{sessionId}/export', session)).value).toContain('<!doctype html>');
  const listed = (await request('/v1/sessions')).value.data.sessions as { id: string }[];
  expect(listed.map(({ id }) => id)).toEqual([sessionId]);
  const copy = await request('/v1/sessions/{sessionId}/fork', session, { method: 'POST' });
  expect(copy.value.data.sessionId).not.toBe(sessionId);
  for (const command of ['get_available_models', 'get_settings', 'auth_status', 'ping'])
    expect((await request(`/v1/commands/${command}`, {}, { method: 'POST' })).status, command).toBe(200);
  expect((await request('/v1/sessions/{sessionId}/close', session, { method: 'POST' })).status).toBe(200);
  expect((await request('/v1/sessions/{sessionId}', session, { method: 'DELETE' })).status).toBe(200);
  expect((await request('/v1/sessions/{sessionId}', session)).status).toBe(404);
});

test('failures have the declared form', async () => {
  const { request } = await startCheckedServer();
  const created = await request('/v1/sessions', {}, { method: 'POST' });
  const session = { sessionId: created.value.data.sessionId as string };
  const prompt = '/v1/sessions/{sessionId}/commands/prompt';
  expect((await request('/v1/sessions', {}, { token: null })).status).toBe(401);
  expect((await request('/v1/sessions', {}, { token: 'wrong' })).status).toBe(401);
  expect((await request(prompt, session, { method: 'POST', body: { message: 1 } })).status).toBe(400);
  expect((await request(prompt, session, { method: 'POST', body: [] })).status).toBe(400);
  expect((await request(prompt, { sessionId: 'none' }, { method: 'POST', body: { message: 'a' } })).status).toBe(404);
  const dialog = { ...session, requestId: 'none' };
  const answer = '/v1/sessions/{sessionId}/dialogs/{requestId}';
  expect((await request(answer, dialog, { method: 'POST', body: { confirmed: true } })).status).toBe(404);
  expect((await request(answer, dialog, { method: 'POST', body: { x: 1 } })).status).toBe(400);
  const setModel = '/v1/sessions/{sessionId}/commands/set_model';
  const unknownModel = { provider: 'none', modelId: 'none' };
  expect((await request(setModel, session, { method: 'POST', body: unknownModel })).value).toMatchObject({
    success: false,
    error: { code: expect.any(String), message: expect.any(String) },
  });
});

test.each(['delta', 'full'])('every frame of an event stream matches the schema: %s', async (stream) => {
  const { url, token, openApi, request } = await startCheckedServer();
  const created = await request('/v1/sessions', {}, { method: 'POST' });
  const { sessionId } = created.value.data as { sessionId: string };
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const response = await fetch(`${url}v1/sessions/${sessionId}/events?after=0&stream=${stream}`, {
    headers: { authorization: `Bearer ${token}` },
    signal: stop.signal,
  });
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  const message = 'think about tests, then run `echo hello`';
  await request('/v1/sessions/{sessionId}/commands/prompt', { sessionId }, { method: 'POST', body: { message } });
  const frames: { type: string; seq?: number }[] = [];
  let text = '';
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += Buffer.from(chunk).toString();
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const data = /^data: (.*)$/m.exec(event)?.[1];
      if (data !== undefined) frames.push(JSON.parse(data));
    }
    if (frames.some(({ type }) => type === 'session_settled')) break;
  }
  for (const frame of frames)
    expect(openApi.validate('components/schemas/StreamFrame', frame), JSON.stringify(frame).slice(0, 300)).toEqual([]);
  const types = frames.map(({ type }) => type);
  expect(types.slice(0, 3)).toEqual(['ready', 'session_attached', 'session_snapshot']);
  expect(types).toEqual(expect.arrayContaining(['message_update', 'tool_execution_end', 'agent_settled']));
});
