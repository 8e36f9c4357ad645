// Errors: unknown methods, wrong params, lines that are not JSON-RPC. Every request is answered exactly once.
import { expect, test } from 'vitest';
import { refusalOf, startHost } from './acp-host.ts';

test.each(['session/unknown', 'fs/read_text_file', '_vendor/unknown', 'constructor', 'toString', ''])(
  'the unknown method "%s" is refused with -32601',
  async (method) => {
    const host = await startHost({ sendsInvalid: true });
    expect(await refusalOf(host.agent.request(method, {}))).toMatchObject({ code: -32601 });
  },
);

test('unknown notifications and notifications with wrong params are ignored', async () => {
  const host = await startHost({ sendsInvalid: true });
  await host.agent.notify('$/unknown', {});
  await host.agent.notify('_vendor/event', { a: 1 });
  await host.agent.notify('session/cancel', { sessionId: 7 } as never);
  expect((await host.open()).sessionId).not.toBe('');
  expect(host.frames.filter((frame) => frame.sender === 'agent' && frame.error !== undefined)).toEqual([]);
});

test.each([
  ['session/prompt', 'sessionId', { prompt: [] }],
  ['session/set_mode', 'modeId', {}],
  ['session/close', 'sessionId', { sessionId: 7 }],
  ['session/delete', 'sessionId', {}],
  ['session/load', 'sessionId', { cwd: '/tmp', mcpServers: [] }],
  ['session/resume', 'cwd', { sessionId: 'x' }],
  ['session/list', 'cwd', { cwd: 7 }],
  ['authenticate', 'methodId', {}],
  ['_session/steering', 'sessionId', { prompt: [] }],
])('%s with a wrong %s is refused with -32602', async (method, field, params) => {
  const host = await startHost({ sendsInvalid: true });
  const refusal = await refusalOf(host.agent.request(method, params));
  expect(refusal.code).toBe(-32602);
  expect(JSON.stringify(refusal)).toContain(field);
  expect(JSON.stringify(refusal)).not.toMatch(/TypeError|undefined|\[object|Cannot read/);
});

test.each(['session/prompt', 'session/set_mode', '_parley/get_state', '_session/steering'])(
  '%s of an unknown session is refused',
  async (method) => {
    const host = await startHost({ sendsInvalid: true });
    const params = { sessionId: 'unknown', prompt: [{ type: 'text', text: 'x' }], modeId: 'ask' };
    const refusal = await refusalOf(host.agent.request(method, params));
    expect(refusal.code).toBe(-32002);
    expect(JSON.stringify(refusal)).toContain('unknown');
  },
);

test('closing an unknown session is harmless', async () => {
  const host = await startHost();
  expect(await host.agent.request('session/close', { sessionId: 'unknown' })).toEqual({});
});

test('lines that are not requests get one error each, and the connection stays usable', async () => {
  const host = await startHost({ sendsInvalid: true });
  host.program.stdin.write('not json\n{"jsonrpc":"1.0","id":1,"method":"x"}\n\n[]\n');
  await host.waitFor('a parse error', ({ error }) => (error as { code?: number } | undefined)?.code === -32700);
  await host.waitFor('an invalid request', ({ error }) => (error as { code?: number } | undefined)?.code === -32600);
  expect((await host.open()).sessionId).not.toBe('');
});

test('stdout has only frames, and stderr nothing', async () => {
  const host = await startHost();
  const { sessionId } = await host.open();
  await host.prompt(sessionId, 'say `hello`');
  host.program.stdin.end();
  const { code, stdout, stderr } = await host.program.exited;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const line of stdout.trimEnd().split('\n')) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
});
