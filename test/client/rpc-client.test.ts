// Tests of RpcClient: a method for every command, start and stop of the process, and listeners that remain after a restart.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, expectTypeOf, inject, onTestFinished, test } from 'vitest';
import { type CallMethods, RpcClient, type RpcClientOptions } from '../../src/client/index.ts';
import { commands } from '../../src/commands/index.ts';
import type { SessionState } from '../../src/protocol/index.ts';
import { isAlive } from '../support/processes.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { waitUntil } from '../support/wait-until.ts';

/** Stopped after the test. */
function createRpcClient(options: RpcClientOptions): RpcClient {
  const client = new RpcClient(options);
  onTestFinished(() => void client.stop({ graceMs: 0 }));
  return client;
}

function createParleyClient(options: RpcClientOptions = {}): RpcClient {
  const home = createTemporaryDirectory();
  return createRpcClient({
    cliPath: inject('program'),
    args: ['--no-session'],
    cwd: home,
    env: { HOME: home, PARLEY_DIR: home },
    ...options,
  });
}

/** An agent that replies to every call with its arguments and the frame, and also runs the code in `text`. */
function createEchoClient(text = '', options: RpcClientOptions = {}): RpcClient {
  const cliPath = join(createTemporaryDirectory(), 'agent.mjs');
  writeFileSync(
    cliPath,
    `import { createInterface } from 'node:readline';
    const say = (frame) => process.stdout.write(JSON.stringify(frame) + '\\n');
    createInterface({ input: process.stdin }).on('line', (line) => {
      const frame = JSON.parse(line);
      ${text}
      say({ type: 'response', id: frame.id, command: frame.type, success: true, data: { frame, argv: process.argv } });
    });`,
  );
  return createRpcClient({ cliPath, ...options });
}

const methodNames = commands.map(({ name }) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()));

test('every command has a method, numbered req_1, req_2, …', async () => {
  const client = createEchoClient();
  await client.start();
  const methods = client as unknown as Record<string, (params: object) => Promise<{ frame: object }>>;
  const sent = [];
  for (const method of methodNames) sent.push((await methods[method]?.({ marked: method }))?.frame);
  expect(sent).toEqual(commands.map(({ name }, i) => ({ marked: methodNames[i], id: `req_${i + 1}`, type: name })));
  expect(methodNames).toEqual(expect.arrayContaining(['setInterruptMode', 'setSessionName']));
});

test('no command has the same name as a method of the class', () => {
  const classMembers = [...Object.getOwnPropertyNames(RpcClient.prototype), ...Object.keys(new RpcClient())];
  expect(classMembers).toEqual(expect.arrayContaining(['start', 'stop', 'send', 'commands']));
  expect(methodNames.filter((name) => classMembers.includes(name))).toEqual([]);
});

test('the types follow from the declarations', () => {
  expectTypeOf<RpcClient>().toExtend<CallMethods>();
  expectTypeOf<RpcClient['getState']>().returns.resolves.toEqualTypeOf<SessionState>();
  expectTypeOf<RpcClient['setSessionName']>().parameter(0).toEqualTypeOf<{ name: string }>();
});

test('it behaves like an ordinary object', async () => {
  const client = new RpcClient();
  expect(await client).toBe(client);
  expect(JSON.stringify(client)).toBe('{"commands":{}}');
  expect(String(client)).toBe('[object Object]');
  expect(client instanceof RpcClient).toBe(true);
});

describe('the process', () => {
  test('arguments are: runtime, path, --mode rpc, the model, then args', async () => {
    const client = createEchoClient('', { provider: 'p', model: 'm', args: ['--x'], runtime: process.execPath });
    await client.start();
    const { argv } = (await client.callUndeclared('argv')) as { argv: string[] };
    expect(argv[0]).toBe(process.execPath);
    expect(argv[1]).toMatch(/agent\.mjs$/);
    expect(argv.slice(2)).toEqual(['--mode', 'rpc', '--provider', 'p', '--model', 'm', '--x']);
  });

  test('a session with the real program from start to stop', async () => {
    const client = createParleyClient();
    const types: string[] = [];
    client.onEvent((event) => types.push(event.type));
    await client.start();
    expect(await client.ready()).toMatchObject({ dialect: 'omp' });
    const collected = client.collectEvents();
    const messages = await client.promptAndWait('Hello');
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect((await collected).map(({ type }) => type)).toEqual(types);
    expect(types.at(-1)).toBe('agent_settled');
    await client.waitForIdle();
    await client.setInterruptMode({ mode: 'wait' });
    await client.setSessionName({ name: 'greeting' });
    expect(await client.getState()).toMatchObject({ interruptMode: 'wait', sessionName: 'greeting' });
    await expect(client.callUndeclared('fly')).rejects.toThrow('Unknown command: fly');
    const pid = client.pid as number;
    expect(await client.stop()).toMatchObject({ code: 143 });
    expect(isAlive(pid)).toBe(false);
    expect(await client.stop()).toMatchObject({ code: 143 });
  });

  test('calls before the start and after the exit fail with a clear message', async () => {
    const client = createParleyClient();
    await expect(client.getState()).rejects.toThrow('The agent is not running. Await start() first.');
    expect(() => client.send({ type: 'abort' })).toThrow('The agent is not running');
    expect(await client.stop()).toBeUndefined();
    await client.start();
    await expect(client.start()).rejects.toThrow('The agent is already running');
    await client.close();
    await expect(client.getState()).rejects.toThrow('The agent exited with code 0 before it answered get_state');
  });

  test('a failed start can be repeated', async () => {
    const client = createRpcClient({ cliPath: 'x.js', runtime: '/nowhere/node' });
    for (let i = 0; i < 2; i++) await expect(client.start()).rejects.toThrow('Cannot start /nowhere/node');
  });

  test('when the process dies, all pending calls fail with its exit code and stderr', async () => {
    const client = createEchoClient(`if (frame.type === 'die') { process.stderr.write('no more'); process.exit(9); }
      if (frame.type === 'get_state') return;`);
    const exits: unknown[] = [];
    client.onExit((exitInfo) => exits.push(exitInfo));
    await client.start();
    const waiting = [client.getState(), client.waitForIdle(), client.collectEvents(), client.promptAndWait('x')];
    const failures = Promise.allSettled([...waiting, client.callUndeclared('die')]);
    for (const outcome of await failures) {
      expect(outcome).toMatchObject({ reason: { name: 'AgentExitedError', exitCode: 9, stderr: 'no more' } });
    }
    expect(exits).toMatchObject([{ code: 9 }]);
    expect(client.stderr).toBe('no more');
  });

  test('listeners remain after a restart', async () => {
    const client = createEchoClient(
      `say({ type: 'agent_settled', aborted: false }); say({ type: 'never_heard_of', n: 1 });`,
    );
    const [events, others]: [string[], unknown[]] = [[], []];
    client.onEvent((event) => events.push(event.type));
    const stop = client.onUnhandled((frame) => others.push(frame));
    await client.start();
    await client.getState();
    await client.stop();
    await client.start();
    await client.getState();
    stop();
    await client.getState();
    expect(events).toEqual(['agent_settled', 'agent_settled', 'agent_settled']);
    expect(others).toEqual([
      { type: 'never_heard_of', n: 1 },
      { type: 'never_heard_of', n: 1 },
    ]);
  });

  test('a process that ignores SIGTERM is killed', async () => {
    const client = createEchoClient(`process.on('SIGTERM', () => {});`);
    await client.start();
    await client.getState();
    expect(await client.stop({ graceMs: 50 })).toMatchObject({ signal: 'SIGKILL' });
  });

  test('a raw frame is sent unchanged, and its reply goes to onUnhandled', async () => {
    const client = createEchoClient();
    const others: unknown[] = [];
    client.onUnhandled((frame) => others.push(frame));
    await client.start();
    client.send({ type: 'odd', id: 'mine', deep: [1] });
    await waitUntil(() => others.length > 0);
    expect(others).toMatchObject([{ id: 'mine', data: { frame: { type: 'odd', id: 'mine', deep: [1] } } }]);
  });

  test('an aborted signal ends the waiting calls', async () => {
    const client = createEchoClient(`if (frame.type === 'get_state') return;`);
    await client.start();
    const signal = AbortSignal.timeout(20);
    await expect(client.waitForIdle({ signal })).rejects.toThrow(/timeout/);
    await expect(client.collectEvents({ signal })).rejects.toThrow(/timeout/);
    await expect(client.promptAndWait('x', { signal })).rejects.toThrow(/timeout/);
  });
});
