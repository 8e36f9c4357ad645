// Slow, dead and crashing servers: time limits, attempts with growing delays, and what calls do meanwhile.
import { expect, test } from 'vitest';
import type { Ports, RunningProcess } from '../../src/contracts/index.ts';
import { createFakeClock, type FakeClock } from '../../src/testing/fake-clock.ts';
import { waitUntil } from '../support/wait-until.ts';
import { createToolFixture, getText } from '../tools/tool-fixture.ts';
import {
  createMcpFixture,
  defineScripted,
  defineTool,
  type FixtureOptions,
  ports,
  type Script,
} from './mcp-fixture.ts';

const TOOLS = { lists: { tools: [[defineTool('echo'), defineTool('exit')]] } };

/** A fake clock, and processes that can be started from another script and killed. */
function createFixture(script: Script, options: FixtureOptions = {}) {
  const clock = createFakeClock();
  const state = { script, children: [] as RunningProcess[], spawnTimes: [] as number[] };
  const start = clock.now();
  const processes: Ports['processes'] = {
    ...ports.processes,
    async spawn(request) {
      state.spawnTimes.push(clock.now() - start);
      const { server } = defineScripted('one', state.script);
      const child = await ports.processes.spawn({ ...request, args: server.type === 'stdio' ? server.args : [] });
      state.children.push(child);
      return child;
    },
  };
  const fixture = createMcpFixture([defineScripted('one', script)], { ...options, ports: { clock, processes } });
  const getState = () => fixture.servers.getStatus()[0]?.state;
  return { ...fixture, clock, state, getState };
}

/** Lets the processes work until the condition holds, then advances the time. */
async function advanceWhen(clock: FakeClock, ms: number, condition: () => boolean): Promise<void> {
  await waitUntil(condition);
  await clock.advance(ms);
}

test('a server that exits at once is started a few times with growing delays, then given up', async () => {
  const { servers, clock, state, notices, getState } = createFixture({ exit: 1 });
  await servers.connect();
  expect(getState()).toBe('waiting');
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    await advanceWhen(clock, 60_000, () => getState() === 'waiting' && state.spawnTimes.length === attempt);
  }
  await waitUntil(() => getState() === 'failed');
  await clock.advance(600_000);
  expect([state.spawnTimes.length, notices.length]).toEqual([6, 1]);
});

test('delays double from one second, with jitter', async () => {
  const { servers, clock, state, getState } = createFixture({ exit: 1 });
  await servers.connect();
  for (const [attempt, delay] of [1000, 2000, 4000, 8000].entries()) {
    await waitUntil(() => getState() === 'waiting' && state.spawnTimes.length === attempt + 1);
    await clock.advance(delay / 2 - 1);
    expect(state.spawnTimes.length).toBe(attempt + 1);
    await clock.advance(delay / 2 + 1);
    await waitUntil(() => state.spawnTimes.length === attempt + 2);
  }
});

test('a lost server keeps its tools, is connected again, and is given up after several losses', async () => {
  const { servers, clock, state, notices, getState } = createFixture(TOOLS);
  await servers.connect();
  await clock.advance(1000);
  const { tools } = servers;
  let changes = 0;
  servers.onChange(() => {
    changes += 1;
  });
  for (let loss = 1; loss <= 6; loss += 1) {
    expect(servers.tools).toBe(tools);
    state.children.at(-1)?.kill();
    await waitUntil(() => getState() !== 'connected');
    if (loss < 6) {
      expect(getState()).toBe('waiting');
      await clock.advance(60_000 * 0.9);
      await waitUntil(() => getState() === 'connected');
    }
  }
  await waitUntil(() => getState() === 'failed');
  expect([servers.tools.length, notices]).toEqual([0, ['MCP server "one" is not connected: it was ended by SIGKILL']]);
  await clock.advance(1000);
  expect(changes).toBe(1);
});

test('a connection of a minute starts a new series of failures', async () => {
  const { servers, clock, state, notices, getState } = createFixture(TOOLS);
  await servers.connect();
  for (let loss = 1; loss <= 8; loss += 1) {
    await clock.advance(61_000);
    state.children.at(-1)?.kill();
    await waitUntil(() => getState() === 'waiting');
    await clock.advance(1000);
    await waitUntil(() => getState() === 'connected');
  }
  expect(notices).toHaveLength(8);
});

test('a call to a lost server connects at once', async () => {
  const { servers, state, tool, getState } = createFixture(TOOLS);
  await servers.connect();
  state.children[0]?.kill();
  await waitUntil(() => getState() === 'waiting');
  expect(getText(await tool('echo').run({ a: 1 }, createToolFixture()))).toBe('{"a":1}');
  expect(getState()).toBe('connected');
});

test('a call to a server that cannot be started fails with its name and the reason', async () => {
  const { servers, state, tool, getState } = createFixture(TOOLS);
  await servers.connect();
  state.script = { exit: 9, stderr: 'no database' };
  state.children[0]?.kill();
  await waitUntil(() => getState() === 'waiting');
  const echo = tool('echo');
  await expect(echo.run({}, createToolFixture())).rejects.toThrow(
    'MCP server "one" is not connected: it exited with code 9. Its stderr ends with:\nno database',
  );
  // One call makes one attempt.
  expect(state.children).toHaveLength(2);
});

test('an abort ends a call that waits for the connection', async () => {
  const { servers, state, tool, getState } = createFixture(TOOLS);
  await servers.connect();
  state.script = { silent: true };
  state.children[0]?.kill();
  await waitUntil(() => getState() === 'waiting');
  const fixture = createToolFixture();
  const failed = expect(tool('echo').run({}, fixture)).rejects.toMatchObject({ code: 'aborted' });
  await waitUntil(() => state.children.length === 2);
  fixture.abort();
  await failed;
});

test('a slow server delays nothing, is named once, and its tools follow', async () => {
  const { servers, clock, notices, getState } = createFixture({ ...TOOLS, silent: true }, { startupTimeoutMs: 5000 });
  let isReady = false;
  const connecting = servers.connect().then(() => {
    isReady = true;
  });
  await waitUntil(() => getState() === 'connecting');
  await waitForTimer(clock, 4999, () => isReady);
  expect(isReady).toBe(false);
  await clock.advance(1);
  await connecting;
  expect([getState(), notices]).toEqual([
    'connecting',
    ['MCP server "one" has not answered within 5 s. Its tools follow when it does'],
  ]);
  await clock.advance(60_000);
  await waitUntil(() => getState() === 'failed');
  expect(notices).toHaveLength(1);
  expect(servers.getStatus()[0]?.problem).toBe('it did not answer within 60 s');
});

/** The timers are set when the SDK has been loaded. */
async function waitForTimer(clock: FakeClock, ms: number, isReady: () => boolean): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  await clock.advance(ms);
  expect(isReady()).toBe(false);
}

test('good servers are used while others are slow or dead, and each bad one is named once', async () => {
  const { servers, notices } = createMcpFixture(
    [
      defineScripted('silent', { silent: true }),
      defineScripted('dead', { exit: 1 }),
      defineScripted('good', TOOLS),
      defineScripted('no-list', { replies: { 'tools/list': 'silent' } }),
    ],
    { startupTimeoutMs: 3000 },
  );
  await servers.connect();
  const connected = servers.getStatus().filter(({ state }) => state === 'connected');
  expect(connected).toEqual([{ name: 'good', state: 'connected', toolCount: 2 }]);
  expect(servers.tools.map(({ name }) => name)).toEqual(['mcp__good__echo', 'mcp__good__exit']);
  expect(notices.map((notice) => notice.match(/"(.*?)"/)?.[1]).sort()).toEqual(['dead', 'no-list', 'silent']);
});

test('connect can be called again, and returns the same promise', async () => {
  const { servers, state } = createFixture(TOOLS);
  expect(servers.connect()).toBe(servers.connect());
  await servers.connect();
  expect(state.children).toHaveLength(1);
});
