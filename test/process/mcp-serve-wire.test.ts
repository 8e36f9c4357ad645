// The lines of `parley mcp serve`: errors, batches, cancellation and the end of input, without a client library.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CHAT_MODEL_FLAGS, startChatProvider } from '../support/chat-provider.ts';
import { isAlive, parseNumbers } from '../support/processes.ts';
import { type Program, type ProgramOptions, runProgram, startProgram } from '../support/program.ts';
import { waitUntil } from '../support/wait-until.ts';

const OFFLINE = ['--provider', 'parley', '--model', 'offline'];
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

const request = (id: unknown, method: string, params?: object) => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params && { params }),
});
const call = (id: unknown, prompt: string, more: object = {}) =>
  request(id, 'tools/call', { name: 'agent', arguments: { prompt }, ...more });
const initialize = (protocolVersion = '2025-11-25', capabilities = {}) =>
  request('init', 'initialize', { protocolVersion, capabilities, clientInfo: { name: 'test', version: '1' } });

const startServer = (args: readonly string[] = OFFLINE, options: ProgramOptions = {}) =>
  startProgram(['mcp', 'serve', ...args], options);

/** Sends a line and returns the next response with this id. */
async function exchange(program: Program, frame: { id?: unknown }, id = frame.id) {
  program.send(frame);
  return program.nextFrame((received) => received.id === id && received.method === undefined);
}

async function close(program: Program) {
  program.stdin.end();
  const { code, stdout, stderr } = await program.exited;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

test('requests before initialize are refused, except ping', async () => {
  const program = startServer();
  expect(await exchange(program, request(1, 'tools/list'))).toMatchObject({ error: { code: -32600 } });
  expect(await exchange(program, call(2, 'say `hello`'))).toMatchObject({ error: { code: -32600 } });
  expect(await exchange(program, request(3, 'ping'))).toMatchObject({ result: {} });
  expect(await exchange(program, request(4, 'server/discover'))).toMatchObject({ error: { code: -32601 } });
  expect(await exchange(program, initialize())).toMatchObject({ result: { protocolVersion: '2025-11-25' } });
  expect(await exchange(program, { ...initialize(), id: 5 })).toMatchObject({ error: { code: -32600 } });
  expect(await exchange(program, request(6, 'tools/list'))).toMatchObject({ result: { tools: [{ name: 'agent' }] } });
  await close(program);
});

test.each([
  ['2024-11-05', '2024-11-05'],
  ['2025-03-26', '2025-03-26'],
  ['2025-06-18', '2025-06-18'],
  ['2025-11-25', '2025-11-25'],
  ['2024-10-07', '2025-11-25'],
  ['2099-01-01', '2025-11-25'],
])('the version %s is answered with %s', async (requested, answered) => {
  const program = startServer();
  expect(await exchange(program, initialize(requested))).toMatchObject({ result: { protocolVersion: answered } });
});

test.each([
  [{ capabilities: {} }, 'protocolVersion must be a string'],
  [{ protocolVersion: 1, capabilities: {} }, 'protocolVersion must be a string'],
  [{ protocolVersion: '2025-11-25' }, 'capabilities must be an object'],
])('initialize with %j is refused, and can be repeated', async (params, problem) => {
  const program = startServer();
  const error = { code: -32602, message: `Invalid params: ${problem}` };
  expect(await exchange(program, request(1, 'initialize', params))).toMatchObject({ error });
  expect(await exchange(program, initialize())).toMatchObject({ result: {} });
});

test.each([
  [request(1, 'resources/list'), { code: -32601, message: 'Method not found: resources/list' }],
  [request(1, 'constructor'), { code: -32601, message: 'Method not found: constructor' }],
  [
    { jsonrpc: '2.0', id: 1, method: 'tools/list', params: [] },
    { code: -32602, message: 'Invalid params: params must be an object' },
  ],
  [request(1, 'tools/list', { cursor: 'x' }), { code: -32602 }],
  [request(1, 'tools/call', {}), { code: -32602, message: 'Invalid params: name must be a string' }],
  [
    request(1, 'tools/call', { name: 'agent', arguments: 'x' }),
    { code: -32602, message: 'Invalid params: arguments must be an object' },
  ],
  [
    call(1, 'x', { _meta: { progressToken: {} } }),
    { code: -32602, message: expect.stringContaining('_meta.progressToken') },
  ],
  [request(null, 'ping'), { code: -32600 }],
  [{ jsonrpc: '1.0', id: 1, method: 'ping' }, { code: -32600 }],
])('%j is refused', async (frame, error) => {
  const program = startServer();
  await exchange(program, initialize());
  const isAnonymous = frame.id === null || frame.jsonrpc !== '2.0';
  expect(await exchange(program, frame, isAnonymous ? null : 1)).toMatchObject({ error });
  expect(await exchange(program, request(2, 'ping'))).toMatchObject({ result: {} });
  await close(program);
});

test('a line that is not JSON gets a parse error; blank lines and notifications get nothing', async () => {
  const program = startServer();
  await exchange(program, initialize());
  program.stdin.write('\n{"jsonrpc":\n{"jsonrpc":"2.0","method":"notifications/unknown"}\n');
  expect(await program.nextFrame((frame) => frame.id === null)).toMatchObject({ error: { code: -32700 } });
  await exchange(program, request(2, 'ping'));
  expect(await close(program)).toHaveLength(3);
});

test('a batch is answered as a batch in 2025-03-26, and refused in other versions', async () => {
  const batch = [
    request(1, 'ping'),
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    call(2, 'say `hello`'),
    7,
  ];
  const lines = (version: string, ...more: readonly unknown[]) =>
    [initialize(version), ...more].map((line) => `${JSON.stringify(line)}\n`).join('');
  const run = async (text: string) => {
    const { stdout } = await runProgram(['mcp', 'serve', ...OFFLINE], text);
    return stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  };
  const received = await run(lines('2025-03-26', batch, []));
  expect(received).toHaveLength(3);
  expect(received.find(({ id }) => id === null)).toMatchObject({ error: { code: -32600 } });
  expect(received.find((frame) => Array.isArray(frame))).toMatchObject([
    { jsonrpc: '2.0', id: 1, result: {} },
    { id: 2, result: { structuredContent: { status: 'completed' } } },
    { id: null, error: { code: -32600 } },
  ]);
  const refused = await run(lines('2025-06-18', batch));
  expect(refused).toHaveLength(2);
  expect(refused.find(({ id }) => id === null)).toMatchObject({ error: { code: -32600 } });
});

test('a request without a handshake', async () => {
  const program = startServer();
  const discovered = await exchange(program, request(1, 'server/discover', { _meta: META }));
  expect(discovered).toMatchObject({
    result: {
      resultType: 'complete',
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {} },
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'parley' } },
    },
  });
  expect(await exchange(program, request(2, 'tools/list', { _meta: META }))).toMatchObject({
    result: { resultType: 'complete', tools: [{ name: 'agent' }], cacheScope: 'private' },
  });
  const other = { ...META, 'io.modelcontextprotocol/protocolVersion': '2027-01-01' };
  expect(await exchange(program, request(3, 'tools/list', { _meta: other }))).toMatchObject({
    error: { code: -32022, data: { supported: ['2026-07-28'], requested: '2027-01-01' } },
  });
  const { 'io.modelcontextprotocol/clientCapabilities': _, ...incomplete } = META;
  expect(await exchange(program, request(4, 'tools/list', { _meta: incomplete }))).toMatchObject({
    error: { code: -32602, message: expect.stringContaining('clientCapabilities') },
  });
  await close(program);
});

test('a cancelled call gets no response and no more progress', async () => {
  const program = startServer();
  await exchange(program, initialize());
  program.send(call(1, 'run `echo $$ > pid; exec sleep 1000`', { _meta: { progressToken: 7 } }));
  const file = join(program.cwd, 'pid');
  await waitUntil(() => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n'));
  expect(await exchange(program, request(1, 'ping'))).toMatchObject({ error: { code: -32600 } });
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
  program.send(cancel, cancel, { ...cancel, params: { requestId: 99 } }, { ...cancel, params: {} });
  await waitUntil(() => !isAlive(parseNumbers(readFileSync(file, 'utf8'))[0] as number));
  await exchange(program, request(2, 'ping'));
  const frames = await close(program);
  expect(frames.filter(({ id, result }) => id === 1 && result)).toEqual([]);
});

test('the end of input finishes running calls, and the result is sent', async () => {
  const program = startServer();
  await exchange(program, initialize());
  program.send(call(1, 'run `sleep 0.3; echo finished`', { _meta: { progressToken: 'p' } }));
  const frames = await close(program);
  const at = frames.findIndex(({ id }) => id === 1);
  expect(frames[at]).toMatchObject({ result: { structuredContent: { status: 'completed' } } });
  expect(JSON.stringify(frames[at])).toContain('finished');
  // No progress after the result.
  expect(at).toBe(frames.length - 1);
  expect(frames.filter(({ method }) => method === 'notifications/progress').length).toBeGreaterThan(0);
});

test('an approval is withdrawn when the call is cancelled, and denied at the end of input', async () => {
  const provider = await startChatProvider();
  const write = { calls: [{ name: 'write', arguments: { path: 'note.txt', content: 'hi' } }] };
  const args = ['--approval-mode', 'on-write', '--set', 'approvalTimeout=0', ...CHAT_MODEL_FLAGS];
  const program = startServer(args, { directories: provider.createDirectories() });
  await exchange(program, initialize('2025-11-25', { elicitation: {} }));
  provider.add(write);
  program.send(call(1, 'go'));
  const asked = await program.nextFrame((frame) => frame.method === 'elicitation/create');
  program.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
  const withdrawn = await program.nextFrame((frame) => frame.method === 'notifications/cancelled');
  expect(withdrawn).toMatchObject({ params: { requestId: asked.id } });
  // A late answer has no effect.
  program.send({ jsonrpc: '2.0', id: asked.id, result: { action: 'accept', content: { answer: 'allow' } } });
  provider.add(write);
  program.send(call(2, 'go'));
  await program.nextFrame((frame) => frame.method === 'elicitation/create');
  const frames = await close(program);
  expect(frames.at(-1)).toMatchObject({ id: 2, result: { structuredContent: { status: 'completed' } } });
  expect(existsSync(join(program.cwd, 'note.txt'))).toBe(false);
});

test.each([
  [['serve', 'now'], 'Unknown argument: now'],
  [['serve', '--mode', 'json'], 'takes no --mode'],
  [['serve', '--approval-mode', 'sometimes'], '--approval-mode'],
  [['serve', '--tools', 'nothing-like-this'], 'nothing-like-this'],
  [['serve', '--unknown-flag'], 'Unknown flag: --unknown-flag'],
])('parley mcp %j is refused', async (args, message) => {
  const { code, stdout, stderr } = await runProgram(['mcp', ...args]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(message);
});

test('the help', async () => {
  expect((await runProgram(['mcp', 'serve', '--help'])).stdout).toContain('parley mcp serve');
  expect((await runProgram(['help', 'mcp'])).stdout).toContain('parley mcp');
});
