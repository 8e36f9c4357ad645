// Files of the client: which requests are sent, and how their responses are used.
import { expect, test } from 'vitest';
import { FakeClient } from './fake-client.ts';

const READ = 'fs/read_text_file';
const WRITE = 'fs/write_text_file';
const { signal } = new AbortController();

test.each([
  [{}, undefined],
  [{ readTextFile: true }, ['readText']],
  [{ writeTextFile: true }, ['writeText']],
  [{ readTextFile: true, writeTextFile: true }, ['readText', 'writeText']],
])('capabilities %j', (capabilities, methods) => {
  const { files } = new FakeClient(capabilities).services;
  expect(files && Object.keys(files)).toEqual(methods);
});

function createFiles() {
  const client = new FakeClient({ readTextFile: true, writeTextFile: true });
  const { files } = client.services;
  if (!files?.readText || !files.writeText) throw new Error('The client offers no files');
  return { client, read: files.readText, write: files.writeText };
}

test('reads the text of a file', async () => {
  const { client, read } = createFiles();
  const text = read('/project/a.ts', signal);
  expect(client.last.params).toEqual({ sessionId: 'session-1', path: '/project/a.ts' });
  expect(client.respond(READ, { content: 'unsaved\n' })).toEqual({ kind: 'ignored' });
  expect(await text).toBe('unsaved\n');
});

test('writes the text of a file', async () => {
  const { client, write } = createFiles();
  const written = write('/project/a.ts', 'new', signal);
  expect(client.last.params).toEqual({ sessionId: 'session-1', path: '/project/a.ts', content: 'new' });
  client.respond(WRITE, null);
  expect(await written).toBe(undefined);
});

test.each([null, undefined, 'text', {}, { content: 7 }, { content: null }])(
  'the read result %j fails',
  async (result) => {
    const { client, read } = createFiles();
    const text = read('/a', signal);
    client.respond(READ, result);
    await expect(text).rejects.toThrow('The client returned no content for /a');
  },
);

test('an error response fails with its message', async () => {
  const { client, read, write } = createFiles();
  const text = read('/a', signal);
  client.refuse(READ, 'outside of the workspace');
  await expect(text).rejects.toMatchObject({
    code: 'tool_failed',
    message: 'The client refused fs/read_text_file: outside of the workspace',
  });
  const written = write('/a', '', signal);
  client.connection.receiveResponse({ id: client.find(WRITE).id, result: undefined, error: 'strange' });
  await expect(written).rejects.toThrow('The client refused fs/write_text_file: no reason was given');
});

test.each([
  { code: -32603, message: 'Internal error', data: { details: 'Permission denied for fs/write_text_file' } },
  { code: -32000, message: 'The user rejected the change' },
  { code: -32800, message: 'Request cancelled' },
])('the error %j is a denial', async (error) => {
  const { client, write } = createFiles();
  const written = write('/a', '', signal);
  client.connection.receiveResponse({ id: client.find(WRITE).id, result: undefined, error });
  await expect(written).rejects.toMatchObject({ code: 'refused', message: expect.stringContaining(error.message) });
});

test('an abort cancels the request, and its late response is ignored', async () => {
  const { client, read } = createFiles();
  const controller = new AbortController();
  const text = read('/a', controller.signal);
  controller.abort();
  await expect(text).rejects.toMatchObject({ code: 'aborted' });
  expect(client.last).toMatchObject({ method: '$/cancel_request', params: { requestId: client.find(READ).id } });
  expect(client.respond(READ, { content: 'late' })).toEqual({ kind: 'ignored' });
});

test('an aborted signal sends nothing', async () => {
  const { client, read } = createFiles();
  await expect(read('/a', AbortSignal.abort())).rejects.toMatchObject({ code: 'aborted' });
  expect(client.received).toEqual([]);
});

test('close fails all pending requests, and later ones at once', async () => {
  const { client, read, write } = createFiles();
  const pending = [read('/a', signal), write('/b', '', signal)];
  client.connection.close();
  for (const work of pending) await expect(work).rejects.toThrow('The client has disconnected.');
  await expect(read('/c', signal)).rejects.toThrow('The client has disconnected.');
  expect(client.methods).toEqual([READ, WRITE]);
  expect(client.services.files).toBe(undefined);
  expect(client.respond(READ, { content: 'late' })).toEqual({ kind: 'ignored' });
});
