// What the client offers: its buffers, its terminals and its forms. Each has a fallback.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { call, startScriptedHost } from './scripted-host.ts';

const FILES = { fs: { readTextFile: true, writeTextFile: true } };
const prepare = ({ cwd }: { cwd: string }) => writeFileSync(join(cwd, 'a.txt'), 'on disk\n');

test('an unsaved buffer is read from the client, and an edit is written to it', async () => {
  const buffers = new Map<string, string>();
  const { host, sessionId, provider } = await startScriptedHost({
    prepare: (directories) => {
      prepare(directories);
      buffers.set(join(directories.cwd, 'a.txt'), 'unsaved text\n');
    },
    capabilities: FILES,
    handlers: {
      'fs/read_text_file': ({ path }) => ({ content: buffers.get(String(path)) ?? '' }),
      'fs/write_text_file': ({ path, content }) => {
        buffers.set(String(path), String(content));
        return {};
      },
    },
    replies: [call('read', { path: 'a.txt' }), call('edit', { path: 'a.txt', oldText: 'unsaved', newText: 'edited' })],
  });
  await host.agent.request('session/set_mode', { sessionId, modeId: 'full' });
  await host.prompt(sessionId, 'Edit');
  expect(JSON.stringify(provider.requests[1])).toContain('unsaved text');
  expect([...buffers.values()]).toEqual(['edited text\n']);
  expect(host.requests('fs/read_text_file')[0]).toMatchObject({ sessionId, path: join(host.program.cwd, 'a.txt') });
  // The client saves its buffers itself.
  expect(readFileSync(join(host.program.cwd, 'a.txt'), 'utf8')).toBe('on disk\n');
});

test('when the client cannot read or write a file, the disk is used', async () => {
  const fail = () => {
    throw new Error('The buffer is gone');
  };
  const { host, sessionId, provider } = await startScriptedHost({
    prepare,
    capabilities: FILES,
    handlers: { 'fs/read_text_file': fail, 'fs/write_text_file': fail },
    replies: [call('read', { path: 'a.txt' }), call('write', { path: 'b.txt', content: 'B' })],
  });
  await host.agent.request('session/set_mode', { sessionId, modeId: 'full' });
  await host.prompt(sessionId, 'Read and write');
  expect(JSON.stringify(provider.requests[1])).toContain('on disk');
  expect(readFileSync(join(host.program.cwd, 'b.txt'), 'utf8')).toBe('B');
});

test('without the capability the client is not asked', async () => {
  const { host, sessionId } = await startScriptedHost({ prepare, replies: [call('read', { path: 'a.txt' })] });
  await host.prompt(sessionId, 'Read');
  expect(host.requests('fs/read_text_file')).toEqual([]);
});

/** A terminal of the client that has run the command already. */
function createTerminals(exitCode: number) {
  const released: unknown[] = [];
  const killed: unknown[] = [];
  let finish: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const handlers = {
    'terminal/create': () => ({ terminalId: 'terminal-1' }),
    'terminal/output': () => ({ output: 'from the terminal\n', truncated: false, exitStatus: { exitCode } }),
    'terminal/wait_for_exit': async () => {
      await ended;
      return { exitCode };
    },
    'terminal/kill': ({ terminalId }: Record<string, unknown>) => {
      killed.push(terminalId);
      finish();
      return {};
    },
    'terminal/release': ({ terminalId }: Record<string, unknown>) => {
      released.push(terminalId);
      return {};
    },
  };
  return { handlers, released, killed, finish: () => finish() };
}

test('bash runs in a terminal of the client: output, exit code and release', async () => {
  const terminals = createTerminals(0);
  terminals.finish();
  const { host, sessionId, provider } = await startScriptedHost({
    capabilities: { terminal: true },
    handlers: terminals.handlers,
    replies: [call('bash', { command: 'echo hi' })],
  });
  await host.agent.request('session/set_mode', { sessionId, modeId: 'full' });
  await host.prompt(sessionId, 'Run');
  expect(JSON.stringify(host.requests('terminal/create')[0])).toContain('echo hi');
  expect(host.requests('terminal/create')[0]).toMatchObject({ sessionId, cwd: host.program.cwd });
  expect(JSON.stringify(provider.requests[1])).toContain('from the terminal');
  expect(JSON.stringify(host.updates('tool_call_update'))).toContain('"type":"terminal","terminalId":"terminal-1"');
  expect(terminals.released).toEqual(['terminal-1']);
});

test('cancel kills and releases the terminal', async () => {
  const terminals = createTerminals(137);
  const { host, sessionId } = await startScriptedHost({
    capabilities: { terminal: true },
    handlers: terminals.handlers,
    replies: [call('bash', { command: 'sleep 1000' })],
  });
  await host.agent.request('session/set_mode', { sessionId, modeId: 'full' });
  const prompt = host.prompt(sessionId, 'Run');
  await host.waitFor('the terminal', ({ method }) => method === 'terminal/wait_for_exit');
  await host.agent.notify('session/cancel', { sessionId });
  expect(await prompt).toMatchObject({ stopReason: 'cancelled' });
  await expect.poll(() => terminals.released).toEqual(['terminal-1']);
  expect(terminals.killed).toEqual(['terminal-1']);
});

test('when the client cannot create a terminal, the command runs here', async () => {
  const { host, sessionId, provider } = await startScriptedHost({
    capabilities: { terminal: true },
    handlers: {
      'terminal/create': () => {
        throw new Error('No terminals left');
      },
    },
    replies: [call('bash', { command: 'echo from-$((40 + 2))' })],
  });
  await host.agent.request('session/set_mode', { sessionId, modeId: 'full' });
  await host.prompt(sessionId, 'Run');
  expect(JSON.stringify(provider.requests[1])).toContain('from-42');
});

const EXTENSION = `export default (pi) => pi.registerCommand('dialogs', {
  description: 'Asks three questions',
  async handler(args, ctx) {
    const name = await ctx.ui.input('Your name?', 'Ada');
    const size = await ctx.ui.select('Which size?', ['small', 'large']);
    const sure = await ctx.ui.confirm('Sure?', 'This cannot be undone');
    ctx.ui.notify([name, size, sure].join(' '));
    pi.appendEntry('answers', { name, size, sure });
  },
});`;
const prepareExtension = ({ home }: { home: string }) => {
  mkdirSync(join(home, 'extensions'), { recursive: true });
  writeFileSync(join(home, 'extensions/dialogs.ts'), EXTENSION);
};

test('dialogs of extensions are forms where the client offers them', async () => {
  const { host, sessionId } = await startScriptedHost({
    prepare: prepareExtension,
    capabilities: { elicitation: { form: {} }, session: { notices: {} } },
    handlers: {
      'elicitation/create': ({ message, requestedSchema }) => {
        const { properties } = requestedSchema as { properties: Record<string, { type: string }> };
        const [[key, { type }] = ['', { type: '' }]] = Object.entries(properties);
        if (String(message).includes('name')) return { action: 'accept', content: { [key]: 'Grace' } };
        return type === 'boolean'
          ? { action: 'accept', content: { [key]: true } }
          : { action: 'accept', content: { [key]: 'large' } };
      },
    },
  });
  expect(await host.prompt(sessionId, '/dialogs')).toMatchObject({ stopReason: 'end_turn' });
  expect(host.requests('elicitation/create').length).toBeGreaterThan(0);
  await host.waitForUpdate('the answers', (update) => JSON.stringify(update).includes('Grace large true'));
});

test('without forms, choices are permission options and texts take their default', async () => {
  const { host, sessionId } = await startScriptedHost({
    prepare: prepareExtension,
    capabilities: { session: { notices: {} } },
    handlers: {
      'session/request_permission': ({ options }) => {
        const list = options as { optionId: string; name: string }[];
        const chosen = list.find(({ name }) => /large|yes/i.test(name)) ?? list[0];
        return { outcome: { outcome: 'selected', optionId: chosen?.optionId } };
      },
    },
  });
  expect(await host.prompt(sessionId, '/dialogs')).toMatchObject({ stopReason: 'end_turn' });
  await host.waitForUpdate('the answers', (update) => JSON.stringify(update).includes('large true'));
  expect(host.requests('elicitation/create')).toEqual([]);
});
