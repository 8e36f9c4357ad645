// Servers over stdio: their environment, what they write, and how they end.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isAlive } from '../support/processes.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { waitUntil } from '../support/wait-until.ts';
import { createToolFixture, getText } from '../tools/tool-fixture.ts';
import { createMcpFixture, defineScripted, defineTool, ports } from './mcp-fixture.ts';

const TOOLS = { lists: { tools: [[defineTool('echo'), defineTool('env'), defineTool('exit'), defineTool('never')]] } };

async function readServerFacts(run: () => Promise<Parameters<typeof getText>[0]>) {
  return JSON.parse(getText(await run())) as { env: Record<string, string>; cwd: string; pid: number };
}

test('a server gets PATH, HOME, the locale and the variables of its definition', async () => {
  const toolEnv = { PATH: process.env.PATH ?? '', HOME: '/h', LANG: 'C', LC_ALL: 'C', SECRET: 's', LD_PRELOAD: '' };
  const definition = defineScripted('one', TOOLS, { env: { OPENAI_API_KEY: 'key', OWN: '1' } });
  const { servers, tool, cwd } = createMcpFixture([definition], { ports: { toolEnv } });
  await servers.connect();
  const facts = await readServerFacts(() => tool('env').run({}, createToolFixture()));
  const names = Object.keys(facts.env).filter((name) => !name.startsWith('PARLEY_PROCESS_'));
  expect(names.sort()).toEqual(['HOME', 'LANG', 'LC_ALL', 'OPENAI_API_KEY', 'OWN', 'PATH']);
  expect(facts.cwd).toBe(cwd);
});

test('a definition can set the working directory', async () => {
  const other = createTemporaryDirectory();
  const { servers, tool } = createMcpFixture([defineScripted('one', TOOLS, { cwd: other })]);
  await servers.connect();
  expect((await readServerFacts(() => tool('env').run({}, createToolFixture()))).cwd).toBe(other);
});

describe('what a server writes', () => {
  test('lines that are not JSON-RPC are ignored', async () => {
    const stdout =
      'Starting…\n{"a":1}\n[]\n[1,{"jsonrpc":"1.0","id":1}]\n\n\xff\n{"jsonrpc":"2.0","id":77,"result":{}}\n';
    const { servers, notices, logs } = createMcpFixture([defineScripted('one', { ...TOOLS, stdout })]);
    await servers.connect();
    expect([servers.getStatus()[0]?.state, notices]).toEqual(['connected', []]);
    await servers.close();
    expect(logs).toContainEqual({ event: 'mcp_ignored_messages', facts: { server: 'one', count: expect.any(Number) } });
  });

  test('a deeply nested message is ignored', async () => {
    const { servers } = createMcpFixture([defineScripted('one', { ...TOOLS, nested: 100_000 })]);
    await servers.connect();
    expect(servers.getStatus()[0]?.state).toBe('connected');
  });

  test('a line that is too long ends the server', async () => {
    const { servers, notices } = createMcpFixture([defineScripted('one', { hugeLine: 17 * 1024 * 1024 })]);
    await servers.connect();
    expect(servers.getStatus()[0]).toMatchObject({ state: 'waiting' });
    expect(notices).toEqual(['MCP server "one" is not connected: it sent a line of more than 16 MiB']);
  });

  test.each(['notifications/message', 'notifications/tools/list_changed', 'notifications/unknown'])(
    'a flood of %s delays nothing',
    async (flood) => {
      const capabilities = { tools: { listChanged: true }, logging: {} };
      const { servers, tool, logs } = createMcpFixture([
        defineScripted('loud', { ...TOOLS, capabilities, flood }),
        defineScripted('calm', TOOLS),
      ]);
      await servers.connect();
      expect(servers.getStatus().map(({ state }) => state)).toEqual(['connected', 'connected']);
      const start = performance.now();
      let turns = 0;
      let slowest = 0;
      for (let last = start; last - start < 1000; turns += 1) {
        await new Promise((resolve) => setImmediate(resolve));
        slowest = Math.max(slowest, performance.now() - last);
        last = performance.now();
      }
      expect(turns).toBeGreaterThan(10);
      expect(slowest).toBeLessThan(2000);
      expect(getText(await tool('echo').run({ a: 1 }, createToolFixture()))).toBe('{"a":1}');
      expect(logs.length).toBeLessThan(1100);
    },
  );
});

describe('failures', () => {
  test('a server that exits is named once, with its stderr and without secrets', async () => {
    const script = { exit: 7, stderr: 'first\nbad token hunter2hunter2\n' };
    const { servers, notices } = createMcpFixture([
      defineScripted('one', script, { env: { TOKEN: 'hunter2hunter2' } }),
    ]);
    await servers.connect();
    expect(notices).toEqual([
      'MCP server "one" is not connected: it exited with code 7. Its stderr ends with:\nfirst\nbad token [redacted]',
    ]);
    expect(servers.getStatus()).toEqual([
      { name: 'one', state: 'waiting', toolCount: 0, problem: expect.stringContaining('[redacted]') },
    ]);
  });

  test('stderr of any length is bounded', async () => {
    const { servers, notices } = createMcpFixture([defineScripted('one', { exit: 1, stderr: 'x'.repeat(100_000) })]);
    await servers.connect();
    expect(notices[0]?.length).toBeLessThan(1700);
  });

  test('a command that does not exist has failed at once', async () => {
    const server = { type: 'stdio' as const, command: '/no/such/command', args: [], env: {} };
    const { servers, notices } = createMcpFixture([{ name: 'one', source: 'test', server }]);
    await servers.connect();
    expect(servers.getStatus()[0]?.state).toBe('failed');
    expect(notices).toEqual(['MCP server "one" is not connected: Cannot start /no/such/command: no such command']);
  });

  test('a server that fails the handshake is named with its error', async () => {
    const replies = { initialize: { error: { code: -32000, message: 'no licence' } } };
    const { servers, notices } = createMcpFixture([defineScripted('one', { replies })]);
    await servers.connect();
    expect(notices[0]).toContain('no licence');
  });

  test('a server that ends during a call is named, and the call fails with the reason', async () => {
    const { servers, tool, notices } = createMcpFixture([defineScripted('one', TOOLS)]);
    await servers.connect();
    await expect(tool('exit').run({ stderr: 'out of memory' }, createToolFixture())).rejects.toThrow(
      'MCP server "one": it exited with code 4. Its stderr ends with:\nout of memory',
    );
    expect(notices).toEqual([expect.stringContaining('it exited with code 4')]);
    // The tools stay listed, and the next call connects again.
    expect(servers.tools.length).toBe(4);
    expect(getText(await tool('echo').run({}, createToolFixture()))).toBe('{}');
  });
});

describe('close', () => {
  test.each([[{}], [{ ignoreEnd: true }]])('ends the server: %j', async (script) => {
    const { servers, tool } = createMcpFixture([defineScripted('one', { ...TOOLS, ...script })]);
    await servers.connect();
    const { pid } = await readServerFacts(() => tool('env').run({}, createToolFixture()));
    expect(isAlive(pid)).toBe(true);
    const start = performance.now();
    await servers.close();
    expect(performance.now() - start).toBeLessThan(2500);
    await waitUntil(() => !isAlive(pid));
  });

  test('ends the children of the server too', async () => {
    const command = '/bin/sh';
    const directory = createTemporaryDirectory();
    const server = {
      type: 'stdio' as const,
      command,
      args: ['-c', `sleep 600 & echo $! > ${directory}/pid; cat`],
      env: {},
    };
    const { servers } = createMcpFixture([{ name: 'one', source: 'test', server }], { startupTimeoutMs: 1 });
    await servers.connect();
    await waitUntil(() => readPid(directory) > 0);
    const pid = readPid(directory);
    await servers.close();
    await waitUntil(() => !isAlive(pid));
  });

  test('fails open calls', async () => {
    const { servers, tool } = createMcpFixture([defineScripted('one', TOOLS)]);
    await servers.connect();
    const call = tool('never').run({}, createToolFixture());
    const failed = expect(call).rejects.toThrow('MCP server "one"');
    await servers.close();
    await failed;
  });

  test('can be called before and while the servers connect', async () => {
    const before = createMcpFixture([defineScripted('one', TOOLS)]);
    await before.servers.close();
    await before.servers.connect();
    expect(before.servers.tools).toEqual([]);
    const spawned: number[] = [];
    const processes: typeof ports.processes = {
      ...ports.processes,
      async spawn(request) {
        const child = await ports.processes.spawn(request);
        spawned.push(child.pid);
        return child;
      },
    };
    const during = createMcpFixture([defineScripted('one', { silent: true })], { ports: { processes } });
    const connecting = during.servers.connect();
    await waitUntil(() => spawned.length === 1);
    await during.servers.close();
    await connecting;
    await waitUntil(() => !spawned.some(isAlive));
    expect(during.notices).toEqual([]);
  });
});

function readPid(directory: string): number {
  try {
    return Number(readFileSync(`${directory}/pid`, 'utf8'));
  } catch {
    return 0;
  }
}
