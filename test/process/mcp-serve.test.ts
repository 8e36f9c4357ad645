// `parley mcp serve` as MCP clients use it: the built program, with the client of the MCP SDK.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';
import { CHAT_MODEL_FLAGS, startChatProvider } from '../support/chat-provider.ts';
import { type McpProgramOptions, startMcpServer } from '../support/mcp-client.ts';
import { isAlive, parseNumbers } from '../support/processes.ts';
import { startScriptedProvider } from '../support/scripted-provider.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { waitUntil } from '../support/wait-until.ts';

const OFFLINE = ['--provider', 'parley', '--model', 'offline'];

/** A command that writes its pid and then waits. */
const WAIT = 'run `echo $$ > pid; exec sleep 1000`';

async function readPid(cwd: string): Promise<number> {
  const file = join(cwd, 'pid');
  await waitUntil(() => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n'));
  return parseNumbers(readFileSync(file, 'utf8'))[0] as number;
}

describe('handshake and tools', () => {
  test('initialize and tools/list', async () => {
    const { client, readStderr } = await startMcpServer(OFFLINE);
    expect(client.getServerVersion()).toMatchObject({ name: 'parley', title: 'Parley' });
    expect(client.getServerCapabilities()).toEqual({ tools: {} });
    await client.ping();
    const { tools } = await client.listTools();
    expect(tools).toHaveLength(1);
    expect(tools[0]).toMatchObject({
      name: 'agent',
      inputSchema: { required: ['prompt'], additionalProperties: false },
      annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true, idempotentHint: false },
    });
    expect(Object.keys(tools[0]?.inputSchema.properties ?? {})).toEqual(['prompt', 'cwd', 'model', 'session']);
    expect(readStderr()).toBe('');
  });

  test('the version without a handshake', async () => {
    const { client, callAgent } = await startMcpServer(OFFLINE, {
      client: { versionNegotiation: { mode: { pin: '2026-07-28' } } },
    });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['agent']);
    expect((await callAgent({ prompt: 'say `hello`' })).structuredContent).toMatchObject({ status: 'completed' });
  });

  test('negotiation of the newest version', async () => {
    const { client } = await startMcpServer(OFFLINE, { client: { versionNegotiation: { mode: 'auto' } } });
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
  });

  test.each([
    [{}, /arguments\.prompt is required/],
    [{ prompt: 1 }, /arguments\.prompt must be a string/],
    [{ prompt: ' ' }, /arguments\.prompt must not be empty/],
    [{ prompt: 'x', cwd: '' }, /arguments\.cwd must not be empty/],
    [{ prompt: 'x', sesion: 'y' }, /arguments\.sesion is unknown \(did you mean session\?\)/],
  ])('arguments %j are refused', async (args, message) => {
    const { callAgent } = await startMcpServer(OFFLINE);
    await expect(callAgent(args)).rejects.toMatchObject({ code: -32602, message: expect.stringMatching(message) });
  });

  test('an unknown tool is refused', async () => {
    const { client } = await startMcpServer(OFFLINE);
    await expect(client.callTool({ name: 'other', arguments: {} })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('Unknown tool: other'),
    });
  });
});

describe('calls', () => {
  test('a call in another directory; the session is stored for the user alone and can be continued', async () => {
    const { callAgent, home } = await startMcpServer(OFFLINE);
    const cwd = createTemporaryDirectory();
    writeFileSync(join(cwd, 'a.txt'), 'first line\n');
    const first = await callAgent({ prompt: 'run `cat a.txt`', cwd });
    const { sessionId } = first.structuredContent;
    expect(first.isError).toBeUndefined();
    expect(first.structuredContent).toMatchObject({ status: 'completed', usage: { costUsd: 0 } });
    expect(first.content[0]?.text).toBe(first.structuredContent.text);
    expect(first.content[0]?.text).toContain('first line');
    expect(first.content[1]?.text).toContain(`session: ${sessionId}`);
    const next = await callAgent({ prompt: 'what did the command print?', session: sessionId });
    expect(next.structuredContent).toMatchObject({ sessionId, status: 'completed' });
    expect(next.structuredContent.text).toContain('first line');
    const [folder = ''] = readdirSync(join(home, 'sessions'));
    const files = readdirSync(join(home, 'sessions', folder)).filter((name) => name.endsWith('.jsonl'));
    expect(files).toHaveLength(1);
    expect(statSync(join(home, 'sessions', folder, files[0] as string)).mode & 0o777).toBe(0o600);
    // No lock: other processes may use the session between calls.
    expect(readdirSync(join(home, 'sessions', folder)).filter((name) => name.endsWith('.lock'))).toEqual([]);
  });

  test('a session continues in another process', async () => {
    const first = await startMcpServer(OFFLINE);
    const { sessionId } = (await first.callAgent({ prompt: 'run `echo 42`' })).structuredContent;
    await first.client.close();
    const second = await startMcpServer(OFFLINE, { directories: first });
    const { structuredContent } = await second.callAgent({
      prompt: 'what did the command print?',
      session: sessionId,
    });
    expect(structuredContent.text).toContain('42');
  });

  test.each([
    [{ session: 'none' }, 'Session not found: none. Omit `session` to start a new one.'],
    [{ model: 'no/such' }, 'Model not found: no/such. List the models with `parley models`.'],
    [{ cwd: 'missing' }, 'missing'],
  ])('a failure before the start is a result: %j', async (args, message) => {
    const { callAgent } = await startMcpServer(OFFLINE);
    const result = await callAgent({ prompt: 'say `hello`', ...args });
    expect(result).toMatchObject({ isError: true, structuredContent: { status: 'error', text: '' } });
    expect(result.content.map(({ text }) => text).join()).toContain(message);
    expect(result.structuredContent.error).toContain(message);
  });

  test('the directory of a stored session cannot be changed', async () => {
    const { callAgent, cwd } = await startMcpServer(OFFLINE);
    mkdirSync(join(cwd, 'sub'));
    const { sessionId } = (await callAgent({ prompt: 'say `hello`', cwd: 'sub' })).structuredContent;
    for (const same of ['sub', './sub/', join(cwd, 'sub')]) {
      const again = await callAgent({ prompt: 'say `hello`', session: sessionId, cwd: same });
      expect(again.structuredContent).toMatchObject({ sessionId, status: 'completed' });
    }
    const { structuredContent } = await callAgent({ prompt: 'say `hello`', session: sessionId, cwd: '/' });
    expect(structuredContent.error).toMatch(/^Session .* works in .*, not in \/\. Omit `cwd`\.$/);
  });

  test('the model is chosen by name, also for a stored session', async () => {
    const provider = await startChatProvider();
    const { callAgent } = await startMcpServer(OFFLINE, { directories: provider.createDirectories() });
    provider.add({ text: 'from the provider', tokens: [7, 5] });
    const { structuredContent } = await callAgent({ prompt: 'hi', model: 'own/m' });
    expect(structuredContent).toMatchObject({ text: 'from the provider', usage: { input: 7, output: 5 } });
    const { sessionId } = structuredContent;
    const other = await callAgent({ prompt: 'say `hello`', session: sessionId, model: 'offline' });
    expect(other.structuredContent).toMatchObject({ sessionId, status: 'completed' });
    expect(provider.requests).toHaveLength(1);
  });

  test('a failure of the provider is an error, and the session can be continued', async () => {
    const { directories, flags } = await startScriptedProvider([{ status: 400 }, { text: 'better now' }]);
    const { callAgent } = await startMcpServer(flags, { directories });
    const failed = await callAgent({ prompt: 'hi' });
    expect(failed).toMatchObject({ isError: true, structuredContent: { status: 'error' } });
    expect(failed.structuredContent.error).toContain('400');
    const session = failed.structuredContent.sessionId;
    expect((await callAgent({ prompt: 'again', session })).structuredContent).toMatchObject({ text: 'better now' });
  });

  test('two calls at once; two calls in one session run one after another', async () => {
    const { callAgent, cwd } = await startMcpServer(OFFLINE);
    for (const name of ['one', 'two']) mkdirSync(join(cwd, name));
    // Each command waits for the file that the other one writes.
    const meet = (own: string, other: string) =>
      callAgent({ prompt: `run \`touch ${own}; while [ ! -e ../${other}/${other} ]; do sleep 0.01; done\``, cwd: own });
    const both = await Promise.all([meet('one', 'two'), meet('two', 'one')]);
    expect(both.map(({ structuredContent }) => structuredContent.status)).toEqual(['completed', 'completed']);
    const session = both[0].structuredContent.sessionId;
    const results = await Promise.all(
      ['a', 'b'].map((word) => callAgent({ prompt: `run \`echo ${word} >> order\``, session })),
    );
    expect(results.map(({ structuredContent }) => structuredContent.status)).toEqual(['completed', 'completed']);
    expect(readFileSync(join(cwd, 'one', 'order'), 'utf8')).toBe('a\nb\n');
  });

  test('a project that is not trusted runs nothing of its own', async () => {
    const { callAgent, cwd } = await startMcpServer(OFFLINE);
    mkdirSync(join(cwd, '.parley', 'extensions'), { recursive: true });
    writeFileSync(
      join(cwd, '.parley', 'extensions', 'own.ts'),
      "import { writeFileSync } from 'node:fs'; writeFileSync('ran', ''); export default () => {};",
    );
    expect((await callAgent({ prompt: 'say `hello`' })).structuredContent.status).toBe('completed');
    expect(existsSync(join(cwd, 'ran'))).toBe(false);
  });
});

describe('progress and cancellation', () => {
  test('progress increases and names what the agent does', async () => {
    const { callAgent, cwd } = await startMcpServer(OFFLINE);
    writeFileSync(join(cwd, 'a.txt'), 'text\n');
    const received: { progress: number; message?: string }[] = [];
    const onprogress = (update: { progress: number; message?: string }) => void received.push(update);
    await callAgent({ prompt: 'run `sleep 0.3` and read `a.txt` and run `sleep 0.3`' }, { onprogress });
    const messages = received.map(({ message }) => message);
    expect(messages[0]).toBe('Waiting for the model');
    expect(messages).toContain('bash: sleep 0.3');
    expect(received.map(({ progress }) => progress)).toEqual(received.map((_, at) => at + 1));
  });

  test('cancelling a call ends the running tool, and the session can be continued', async () => {
    const { callAgent, cwd } = await startMcpServer(OFFLINE);
    const { sessionId } = (await callAgent({ prompt: 'say `hello`' })).structuredContent;
    const controller = new AbortController();
    const running = callAgent({ prompt: WAIT, session: sessionId }, { signal: controller.signal });
    const pid = await readPid(cwd);
    controller.abort();
    await expect(running).rejects.toThrow();
    await waitUntil(() => !isAlive(pid));
    const { structuredContent } = await callAgent({ prompt: 'run `echo next`', session: sessionId });
    expect(structuredContent).toMatchObject({ sessionId, status: 'completed' });
  });

  test('a cancelled call that waits for another one in its session does not run', async () => {
    const { callAgent, cwd } = await startMcpServer(OFFLINE);
    const { sessionId } = (await callAgent({ prompt: 'say `hello`' })).structuredContent;
    const first = new AbortController();
    const second = new AbortController();
    const running = callAgent({ prompt: WAIT, session: sessionId }, { signal: first.signal });
    await readPid(cwd);
    const waiting = callAgent({ prompt: 'run `touch ran`', session: sessionId }, { signal: second.signal });
    second.abort();
    await expect(waiting).rejects.toThrow();
    first.abort();
    await expect(running).rejects.toThrow();
    await callAgent({ prompt: 'say `hello`', session: sessionId });
    expect(existsSync(join(cwd, 'ran'))).toBe(false);
  });

  test('no process survives the end of the client', async () => {
    const { callAgent, client, cwd, pid } = await startMcpServer(['--on-eof', 'abort', ...OFFLINE]);
    const running = callAgent({ prompt: WAIT });
    const child = await readPid(cwd);
    await client.close();
    expect((await running).structuredContent.status).toBe('aborted');
    await waitUntil(() => !isAlive(child) && !isAlive(pid));
  });

  test('no process survives SIGTERM', async () => {
    const { callAgent, cwd, pid } = await startMcpServer(OFFLINE);
    const running = callAgent({ prompt: WAIT });
    const child = await readPid(cwd);
    process.kill(pid, 'SIGTERM');
    await Promise.allSettled([running]);
    await waitUntil(() => !isAlive(child) && !isAlive(pid));
  });
});

describe('approvals', () => {
  const ASK = ['--approval-mode', 'on-write', ...CHAT_MODEL_FLAGS];

  async function startWithCall(answer?: (message: string) => object, client: McpProgramOptions['client'] = {}) {
    const provider = await startChatProvider();
    const asked: string[] = [];
    const options: McpProgramOptions = answer
      ? {
          client: { capabilities: { elicitation: {} }, ...client },
          prepare: (client: Client) =>
            client.setRequestHandler('elicitation/create', async ({ params }) => {
              asked.push(JSON.stringify(params));
              return answer(params.message) as never;
            }),
        }
      : {};
    const server = await startMcpServer(ASK, { ...options, directories: provider.createDirectories() });
    provider.add({ calls: [{ name: 'write', arguments: { path: 'note.txt', content: 'hi' } }] });
    return { ...server, asked, provider };
  }

  test('without elicitation a call that needs approval is denied', async () => {
    const { callAgent, cwd, provider } = await startWithCall();
    expect((await callAgent({ prompt: 'go' })).structuredContent).toMatchObject({ status: 'completed', text: 'Done.' });
    expect(existsSync(join(cwd, 'note.txt'))).toBe(false);
    expect(JSON.stringify(provider.requests[1])).toContain('write was not');
  });

  test.each([
    ['allow', true],
    ['deny', false],
    ['something else', false],
  ])('the answer %s', async (value, isWritten) => {
    const { callAgent, cwd, asked } = await startWithCall(() => ({ action: 'accept', content: { answer: value } }));
    expect((await callAgent({ prompt: 'go' })).structuredContent.status).toBe('completed');
    expect(existsSync(join(cwd, 'note.txt'))).toBe(isWritten);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain('Allow write?');
    expect(asked[0]).toContain('"enum":["allow","deny","allow_session","allow_always"]');
  });

  test('the version without a handshake asks by results, for each call of the model', async () => {
    const { callAgent, cwd, asked, provider } = await startWithCall(
      (message) => ({ action: 'accept', content: { answer: message.includes('note.txt') ? 'allow' : 'deny' } }),
      { versionNegotiation: { mode: { pin: '2026-07-28' } } },
    );
    provider.add({ calls: [{ name: 'write', arguments: { path: 'other.txt', content: 'hi' } }] });
    expect((await callAgent({ prompt: 'go' })).structuredContent).toMatchObject({ status: 'completed', text: 'Done.' });
    expect([existsSync(join(cwd, 'note.txt')), existsSync(join(cwd, 'other.txt'))]).toEqual([true, false]);
    expect(asked).toHaveLength(2);
  });

  test.each(['decline', 'cancel'])('the action %s denies the call', async (action) => {
    const { callAgent, cwd } = await startWithCall(() => ({ action }));
    expect((await callAgent({ prompt: 'go' })).structuredContent.status).toBe('completed');
    expect(existsSync(join(cwd, 'note.txt'))).toBe(false);
  });
});
