// Requests to the built `parley serve` as a user of plain tools sends them: parameters, methods, media types and files.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createDirectories } from '../support/program.ts';
import { OFFLINE, type Server, startServer } from '../support/server.ts';
import { connectWebSocket } from '../support/server-clients.ts';

const messageOf = ({ json }: { json: unknown }) => (json as { error: { message: string } }).error.message;

const post = (server: Server, path: string, headers: Record<string, string> = {}, body: unknown = {}) =>
  server.request(path, { method: 'POST', headers, body });

test('a misspelt or repeated parameter that restricts is refused: nothing is done with full access', async () => {
  const server = await startServer();
  const session = await server.createSession();
  for (const query of ['acces=read', 'Access=read', 'access=full&access=read', 'access=read&access=full', 'access=']) {
    const response = await post(
      server,
      `/v1/sessions/${session}/commands/set_session_name?${query}`,
      {},
      { name: 'x' },
    );
    expect([query, response.status]).toEqual([query, 400]);
    // The helper adds a question mark.
    const path = `/ws?${query}&token=${server.token}&client=x`;
    const refused = connectWebSocket(server, {}, { path, token: null });
    await expect(refused).rejects.toMatchObject({ status: 400 });
  }
  expect(await server.call(session, 'get_state')).not.toHaveProperty('data.sessionName');
  expect((await server.request(`/v1/sessions/${session}/events?aftr=1`)).status).toBe(400);
  expect(messageOf(await server.request('/v1/sessions?limt=1'))).toContain('Unknown query parameter: limt. Allowed');
  expect(messageOf(await post(server, '/v1/sessions', {}, { tool: ['read'] }))).toContain('Unknown field: tool.');
  for (const features of [{ skils: false }, ['skills']])
    expect(await post(server, '/v1/sessions', {}, { features })).toMatchObject({ status: 400 });
  expect(messageOf(await post(server, '/v1/sessions', {}, { features: { skils: false } }))).toContain('skils');
});

test('methods, media types and encodings', async () => {
  const server = await startServer();
  const wrong = await server.request('/v1/sessions', { method: 'PUT' });
  expect([wrong.status, wrong.headers.allow]).toEqual([405, 'GET, POST, HEAD, OPTIONS']);
  expect(await server.request('/v1/sessions', { method: 'OPTIONS' })).toMatchObject({ status: 204, text: '' });
  expect(await server.request('/v1/sessions', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
  expect((await server.request('/v1/sessions', { token: null })).headers['www-authenticate']).toBe('Bearer');
  const send = async (headers: Record<string, string>) => (await post(server, '/v1/commands/ping', headers)).status;
  expect(await send({ 'content-type': 'application/x-www-form-urlencoded' })).toBe(200);
  expect(await send({ 'content-type': 'text/plain' })).toBe(415);
  expect(await send({ 'content-encoding': 'gzip' })).toBe(415);
});

test('every response has the security headers and is not stored', async () => {
  const server = await startServer();
  const session = await server.createSession();
  const paths = ['/', '/docs', '/none', '/v1/none', '/healthz', '/metrics', '/openapi.json', '/assets/none.js'];
  for (const path of [...paths, `/v1/sessions/${session}`, '/v1/sessions/none', '/v1/sessions?x=1']) {
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT']) {
      const { headers } = await server.request(path, { method });
      expect([path, method, headers]).toEqual([
        ...[path, method],
        expect.objectContaining({
          'content-security-policy': expect.stringMatching(/^default-src 'none'(?!.*unsafe)/),
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
          'cache-control': 'no-store',
        }),
      ]);
    }
  }
});

describe('files', () => {
  test('an artifact is downloaded as it is, and an export as a page of the current branch', async () => {
    const directories = createDirectories();
    const lines = Array.from({ length: 60_000 }, (_, index) => `<script>é ${index}</script>`).join('\n');
    writeFileSync(join(directories.cwd, 'large.txt'), lines);
    const server = await startServer(OFFLINE, { directories });
    const path = `/v1/sessions/${await server.createSession()}`;
    await post(server, `${path}/commands/prompt?wait=settled`, {}, { message: 'run `cat large.txt`' });
    const listed = await server.request(`${path}/artifacts`);
    const [{ id, bytes }] = (listed.json as { data: { artifacts: [{ id: string; bytes: number }] } }).data.artifacts;
    const file = await server.request(`${path}/artifacts/${id}/file`);
    expect(file.status).toBe(200);
    expect(file.text.trimEnd()).toBe(lines);
    expect(file.headers).toMatchObject({
      ...{ 'content-length': String(bytes), 'content-type': 'application/octet-stream' },
      ...{ 'content-disposition': `attachment; filename="${id}.txt"`, 'x-content-type-options': 'nosniff' },
    });
    expect((await server.request(`${path}/artifacts/none/file`)).status).toBe(404);
    const saved = await server.request(`${path}/export?download=true&branch=true`);
    expect(saved.headers['content-disposition']).toMatch(/^attachment; filename="[\w-]+\.html"$/);
    expect(saved.headers['content-security-policy']).toContain('sandbox allow-scripts');
    expect(saved.text).toContain('<!doctype html>');
  });
});
