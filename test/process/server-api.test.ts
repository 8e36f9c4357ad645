// The HTTP API of `parley serve`: every route with valid and invalid input, and the status and body of each response.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { allCommands } from '../../scripts/pages/frames.ts';
import { commandTable } from '../../src/commands/command-table.ts';
import { addMultiSessionCommands } from '../../src/commands/multi-session/index.ts';
import { replaceSessionCommands } from '../../src/commands/shared-session/index.ts';
import { createDirectories } from '../support/program.ts';
import { OFFLINE, type Server, shareServer, startServer } from '../support/server.ts';
import { connectWebSocket } from '../support/server-clients.ts';

const failure = (code: string, message: unknown = expect.any(String)) => ({
  ...{ success: false, error: expect.objectContaining({ code, message }) },
});

const post = (server: Server, path: string, body?: unknown) => server.request(path, { method: 'POST', body });

const getServer = shareServer();

async function startWithPrompt() {
  const server = await startServer();
  const session = await server.createSession();
  const path = `/v1/sessions/${session}`;
  expect((await post(server, `${path}/commands/prompt?wait=settled`, { message: 'say `one`' })).status).toBe(200);
  return { server, session, path };
}

describe('sessions', () => {
  test('are created, listed, described, closed, opened again and deleted', async () => {
    const server = await startServer();
    const created = await post(server, '/v1/sessions', {});
    expect(created.status).toBe(201);
    expect(created.json).toMatchObject({ success: true, data: { sessionId: expect.any(String), resumed: false } });
    const { sessionId } = (created.json as { data: { sessionId: string } }).data;
    const path = `/v1/sessions/${sessionId}`;
    await post(server, `${path}/commands/prompt?wait=settled`, { message: 'say `one`' });
    expect((await server.request('/v1/sessions')).json).toEqual({
      success: true,
      data: {
        sessions: [expect.objectContaining({ id: sessionId, firstPrompt: 'say `one`', cwd: server.program.cwd })],
      },
    });
    const described = await server.request(path);
    expect(described.json).toMatchObject({
      success: true,
      data: { sessionId, isOpen: true, seq: expect.any(Number), cwd: server.program.cwd, clients: [] },
    });
    expect(described.json).toMatchObject({ data: { state: { sessionId, messageCount: 2, isStreaming: false } } });
    expect(await post(server, `${path}/close`)).toMatchObject({ status: 200, json: { success: true, data: null } });
    expect((await post(server, `${path}/commands/get_state`)).json).toMatchObject({ data: { messageCount: 2 } });
    const deleted = await server.request(path, { method: 'DELETE' });
    expect(deleted).toMatchObject({ status: 200, json: { success: true, data: null } });
    expect(await server.request(path)).toMatchObject({ status: 404, json: failure('not_found') });
    expect((await server.request('/v1/sessions')).json).toEqual({ success: true, data: { sessions: [] } });
  });

  test('a copy has the messages of the original, and is another session', async () => {
    const { server, session, path } = await startWithPrompt();
    const forked = await post(server, `${path}/fork`, {});
    expect(forked).toMatchObject({ status: 200, json: { success: true } });
    const { sessionId: copy } = (forked.json as { data: { sessionId: string } }).data;
    expect(copy).not.toBe(session);
    expect(await server.call(copy, 'get_last_assistant_text')).toEqual({ success: true, data: { text: 'one' } });
    await post(server, `/v1/sessions/${copy}/commands/prompt?wait=settled`, { message: 'say `two`' });
    expect(await server.call(session, 'get_last_assistant_text')).toEqual({ success: true, data: { text: 'one' } });
  });

  test('are searched by text, directory and number', async () => {
    const { server, session } = await startWithPrompt();
    const list = async (query: string) => {
      const { json } = await server.request(`/v1/sessions?${query}`);
      return (json as { data: { sessions: { id: string }[] } }).data.sessions.map(({ id }) => id);
    };
    expect(await list('query=ONE')).toEqual([session]);
    expect(await list('query=nothing-like-this')).toEqual([]);
    expect(await list(`cwd=${encodeURIComponent(server.program.cwd)}`)).toEqual([session]);
    expect(await list('cwd=/elsewhere')).toEqual([]);
    expect(await list('limit=1')).toEqual([session]);
    for (const query of ['limit=0', 'limit=x', 'limit=', 'limit=1.5', 'limit=100000'])
      expect((await server.request(`/v1/sessions?${query}`)).status).toBe(400);
  });

  test.each([
    ['POST', '/v1/sessions', { persist: 'yes' }, 400, 'invalid_params'],
    ['POST', '/v1/sessions', { cwd: 5 }, 400, 'invalid_params'],
    ['POST', '/v1/sessions', { cwd: '/nowhere/at/all' }, 422, 'config'],
    ['POST', '/v1/sessions', { cwd: 'a\0b' }, 422, 'config'],
    ['GET', '/v1/sessions?cwd=%00', undefined, 400, 'invalid_params'],
    ['POST', '/v1/sessions', { tools: ['x'] }, 422, 'config'],
    ['POST', '/v1/sessions', { forkOf: 'none' }, 404, 'not_found'],
    ['POST', '/v1/sessions', { id: 'none', mustExist: true }, 404, 'not_found'],
    ['POST', '/v1/sessions/none/fork', {}, 404, 'not_found'],
    ['POST', '/v1/sessions/none/close', undefined, 404, 'not_found'],
    ['DELETE', '/v1/sessions/none', undefined, 404, 'not_found'],
    ['GET', '/v1/sessions/none', undefined, 404, 'not_found'],
    ['GET', '/v1/sessions/none/events', undefined, 404, 'not_found'],
    ['GET', '/v1/sessions/none/export', undefined, 404, 'not_found'],
    ['GET', '/v1/sessions/none/dialogs', undefined, 404, 'not_found'],
    ['POST', '/v1/sessions/none/dialogs/x', { confirmed: true }, 404, 'not_found'],
    ['POST', '/v1/sessions/none/commands/get_state', {}, 404, 'not_found'],
    ['GET', '/v1/none', undefined, 404, 'not_found'],
    ['GET', '/v1', undefined, 404, 'not_found'],
  ])('%s %s with %j is %i %s', async (method, path, body, status, code) => {
    const server = await getServer();
    expect(await server.request(path, { method, body })).toMatchObject({ status, json: failure(code) });
  });
});

describe('commands', () => {
  test('a reply has the data of the command, or null', async () => {
    const { server, session } = await startWithPrompt();
    expect(await server.call(session, 'get_state')).toMatchObject({ success: true, data: { sessionId: session } });
    expect(await server.call(session, 'set_session_name', { name: 'One' })).toEqual({ success: true, data: null });
  });

  test('work is accepted with 202, and with wait=settled answered when it has ended', async () => {
    const { server, path, session } = await startWithPrompt();
    const accepted = await post(server, `${path}/commands/prompt`, { message: 'run `sleep 600`' });
    expect(accepted).toMatchObject({ status: 202, json: { success: true, data: { disposition: 'started' } } });
    const busy = await post(server, `${path}/commands/prompt`, { message: 'another' });
    expect(busy).toMatchObject({ status: 409, json: failure('busy') });
    const queued = await post(server, `${path}/commands/follow_up`, { message: 'later' });
    expect(queued.json).toMatchObject({ success: true, data: { disposition: 'queued' } });
    expect((await post(server, `${path}/commands/abort?wait=settled`)).status).toBe(200);
    expect(await server.call(session, 'get_state')).toMatchObject({ data: { isStreaming: false } });
    const settled = await post(server, `${path}/commands/prompt?wait=settled`, { message: 'say `two`' });
    expect(settled).toMatchObject({ status: 200, json: { success: true, outcome: { status: 'completed' } } });
  });

  test.each([
    ['/commands/none', {}, 404, 'unknown_command'],
    ['/commands/prompt', {}, 400, 'invalid_params'],
    ['/commands/prompt', { message: 1 }, 400, 'invalid_params'],
    ['/commands/set_model', { provider: 'x', modelId: 'y' }, 404, 'not_found'],
    ['/commands/branch', { entryId: 'none' }, 404, 'not_found'],
    ['/commands/set_session_name', { name: ' ' }, 400, 'invalid_params'],
    ['/commands/shutdown', {}, 422, 'refused'],
    ['/commands/get_schema', {}, 422, 'refused'],
    ['/dialogs/none', { confirmed: true }, 404, 'not_found'],
    ['/dialogs/none', { value: 1 }, 400, 'invalid_params'],
    ['/dialogs/none', {}, 400, 'invalid_params'],
    ['/dialogs/none', [], 400, 'invalid_params'],
  ])('%s with %j is %i %s', async (path, body, status, code) => {
    const server = await getServer();
    const session = await server.createSession();
    expect(await post(server, `/v1/sessions/${session}${path}`, body)).toMatchObject({ status, json: failure(code) });
  });

  test('a command without a session needs none, and one with a session says which id is missing', async () => {
    const server = await getServer();
    expect(await post(server, '/v1/commands/ping')).toMatchObject({ status: 200, json: { success: true, data: null } });
    expect(await post(server, '/v1/commands/get_state')).toMatchObject({ status: 404, json: failure('not_found') });
  });

  test('values of a wrong type are refused for every field of every command, and none ends in a 500', async () => {
    const server = await startServer();
    const session = await server.createSession();
    const declared = new Map(allCommands.map((command) => [command.name, command]));
    const values = [null, 1, -1, 1.5, 1e308, true, '', 'x', '__proto__', [], {}, [null], [1], { a: 1 }];
    const failed: unknown[] = [];
    let count = 0;
    for (const [name, command] of replaceSessionCommands(addMultiSessionCommands(commandTable))) {
      const { params } = (declared.get(name) ?? command) as { params?: { entries?: object } };
      const fields = Object.keys(params?.entries ?? {});
      const single = fields.flatMap((field) => values.map((value) => ({ [field]: value })));
      const all = values.map((value) => Object.fromEntries(fields.map((field) => [field, value])));
      for (const body of [{}, ...single, ...all]) {
        const { status, text } = await post(server, `/v1/sessions/${session}/commands/${name}`, body);
        count += 1;
        if (status >= 500 || /TypeError|undefined|is not a function/.test(text))
          failed.push([name, body, status, text]);
      }
    }
    expect(count).toBeGreaterThan(1000);
    expect(failed).toEqual([]);
  });
});

describe('dialogs', () => {
  test('are listed and answered', async () => {
    const server = await startServer([...OFFLINE, '--approval-mode', 'ask']);
    const session = await server.createSession();
    const path = `/v1/sessions/${session}`;
    const watcher = await connectWebSocket(server, { session });
    await post(server, `${path}/commands/prompt`, { message: 'run `echo approved`' });
    const { id } = await watcher.next({ type: 'extension_ui_request', method: 'select' });
    const { json } = await server.request(`${path}/dialogs`);
    expect(json).toEqual({ success: true, data: { dialogs: [expect.objectContaining({ id, method: 'select' })] } });
    const answer = await post(server, `${path}/dialogs/${id}?client=phone`, { value: 'allow' });
    expect(answer).toMatchObject({ status: 200, json: { success: true, data: null } });
    expect(await watcher.next({ method: 'cancel' })).toMatchObject({ targetId: id, answeredBy: 'phone' });
    expect(JSON.stringify(await watcher.next({ type: 'tool_execution_end' }))).toContain('approved');
    expect((await post(server, `${path}/dialogs/${id}`, { value: 'allow' })).status).toBe(404);
    expect((await server.request(`${path}/dialogs`)).json).toEqual({ success: true, data: { dialogs: [] } });
  });
});

describe('files', () => {
  test('an export is a page that cannot use the server', async () => {
    const { server, path } = await startWithPrompt();
    const { status, headers, text } = await server.request(`${path}/export`);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toContain('sandbox allow-scripts');
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(text).toContain('<!doctype html>');
    expect(text).toContain('say `one`');
  });

  test('an artifact is the whole output of which a result shows a part', async () => {
    const directories = createDirectories();
    const lines = Array.from({ length: 60_000 }, (_, index) => `line ${index}`).join('\n');
    writeFileSync(join(directories.cwd, 'large.txt'), lines);
    const server = await startServer(OFFLINE, { directories });
    const session = await server.createSession();
    const path = `/v1/sessions/${session}`;
    expect((await server.request(`${path}/artifacts`)).json).toEqual({ success: true, data: { artifacts: [] } });
    await post(server, `${path}/commands/prompt?wait=settled`, { message: 'run `cat large.txt`' });
    const listed = await server.request(`${path}/artifacts`);
    expect(listed).toMatchObject({ status: 200, json: { data: { artifacts: [{ toolName: 'bash' }] } } });
    const [artifact] = (listed.json as { data: { artifacts: { id: string }[] } }).data.artifacts;
    const read = (query: string) => server.request(`${path}/artifacts/${artifact?.id}${query}`);
    let text = '';
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const { json } = await read(`?offset=${offset}`);
      const { data } = json as { data: { text: string; nextOffset?: number } };
      text += data.text;
      offset = data.nextOffset;
    }
    expect(text.trimEnd()).toBe(lines);
    expect(await read('?offset=5&limit=9')).toMatchObject({ status: 200, json: { data: { text: '0\nline 1\n' } } });
    for (const query of ['?offset=x', '?offset=-1', '?limit=0', '?limit=', '?offset=1.5'])
      expect(await read(query)).toMatchObject({ status: 400, json: failure('invalid_params') });
  });

  test.each(['none', '..%2f..%2fserve%2ftoken', '%2e%2e%2f0', 'a%00b', '__proto__'])(
    'the artifact %s does not exist',
    async (id) => {
      const server = await getServer();
      const response = await server.request(`/v1/sessions/${await server.createSession()}/artifacts/${id}`);
      expect(response.status).toBe(404);
      expect(response.text).not.toContain(server.token);
    },
  );

  test('health needs no token, metrics and the OpenAPI document do', async () => {
    const server = await getServer();
    expect(await server.request('/healthz', { token: null })).toMatchObject({
      ...{ status: 200, json: { status: 'ok', version: expect.any(String), uptimeSeconds: expect.any(Number) } },
    });
    for (const path of ['/metrics', '/openapi.json']) {
      expect((await server.request(path, { token: null })).status).toBe(401);
      expect((await server.request(path)).status).toBe(200);
    }
    expect((await server.request('/openapi.json')).json).toMatchObject({ openapi: expect.stringMatching(/^3\.1/) });
  });
});
