// How a session uses its MCP servers: when requests wait for them, what requests contain, and calls that are passed on to another tool.
import { object, optional, record, string, unknown } from 'valibot';
import { expect, test } from 'vitest';
import { createDeferred } from '../../../src/base/index.ts';
import { type Hooks, type SessionMcp, type Tool, tool } from '../../../src/contracts/index.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import { openSession } from './session-fixture.ts';

const draw = tool({
  name: 'mcp__art__draw',
  doc: 'Draws.',
  effect: 'execute',
  params: object({ what: string() }),
  run: async ({ what }) => ({ content: [{ type: 'text', text: `drew ${what}` }] }),
}) as unknown as Tool;

const pass = tool({
  name: 'pass',
  doc: 'Passes a call on.',
  effect: 'read',
  params: object({ name: string(), arguments: optional(record(string(), unknown())) }),
  delegate: ({ name, arguments: input }) =>
    name === draw.name ? { tool: draw, input: input as Record<string, unknown> } : undefined,
  run: async ({ name }) => ({ content: [{ type: 'text', text: `no ${name}` }], isError: true }),
}) as unknown as Tool;

function createMcp(changes: Partial<SessionMcp> = {}): SessionMcp {
  return {
    prepare: async () => {},
    toolsVersion: 0,
    planTools: (tools) => ({ tools: [...tools.filter(({ name }) => name !== draw.name), pass] }),
    addUris: (host) => host,
    getStatus: async () => [],
    close: async () => {},
    ...changes,
  };
}

const open = (mcp: SessionMcp, script: Parameters<typeof openSession>[0]['script'], hooks: readonly Hooks[] = []) =>
  openSession({ directory: createTemporaryDirectory(), tools: [draw], mcp, script, hooks });

test('a delegated call is a call of the other tool for hooks and events, and keeps its name in the conversation', async () => {
  const planned: unknown[] = [];
  const hooks: Hooks = {
    async toolCall({ toolName, effect, input }) {
      planned.push({ toolName, effect, input });
      return undefined;
    },
  };
  const calls = [{ name: 'pass', arguments: { name: draw.name, arguments: { what: 'a cat' } } }];
  const { prompt, events, models, session } = await open(createMcp(), [{ calls }, { text: 'ok' }], [hooks]);
  await prompt('draw');
  expect(planned).toEqual([{ toolName: draw.name, effect: 'execute', input: { what: 'a cat' } }]);
  const executed = events.filter(({ type }) => type.startsWith('tool_execution'));
  expect(executed).toMatchObject([
    { type: 'tool_execution_start', toolName: draw.name, args: { what: 'a cat' } },
    { type: 'tool_execution_end', toolName: draw.name, isError: false },
  ]);
  expect(session.history.messages().at(-2)).toMatchObject({
    role: 'toolResult',
    toolName: 'pass',
    content: [{ text: 'drew a cat' }],
  });
  expect(models.requests[0]?.tools.map(({ name }) => name)).toEqual(['pass']);
});

test('the arguments of a delegated call are checked by the other tool, and unknown names are left to the first', async () => {
  const calls = [
    { name: 'pass', arguments: { name: draw.name, arguments: { what: 1 } } },
    { name: 'pass', arguments: { name: 'other' } },
    { name: draw.name, arguments: { what: 'directly' } },
  ];
  const { prompt, events } = await open(createMcp(), [{ calls }, { text: 'ok' }]);
  await prompt('draw');
  const ended = events.filter(({ type }) => type === 'tool_execution_end');
  expect(ended).toMatchObject([
    {
      toolName: draw.name,
      isError: true,
      result: { content: [{ text: expect.stringContaining('Invalid arguments') }] },
    },
    { toolName: 'pass', isError: true, result: { content: [{ text: 'no other' }] } },
    { toolName: draw.name, isError: false, result: { content: [{ text: 'drew directly' }] } },
  ]);
});

test('a prompt is accepted before the servers are ready, and its request waits for them', async () => {
  const ready = createDeferred();
  const { session, models } = await open(createMcp({ prepare: () => ready.promise }), [{ text: 'ok' }]);
  const accepted = createDeferred();
  const ended = session.runs.prompt({ message: 'hi', onAccepted: () => accepted.resolve() });
  await accepted.promise;
  expect(models.requests).toEqual([]);
  ready.resolve();
  await ended;
  expect(models.requests).toHaveLength(1);
});

test('an abort ends the wait for the servers', async () => {
  const prepare = () => new Promise<void>(() => {});
  const { session, models, events } = await open(createMcp({ prepare }), []);
  const accepted = createDeferred();
  const ended = session.runs.prompt({ message: 'hi', onAccepted: () => accepted.resolve() });
  await accepted.promise;
  await session.runs.abort();
  await ended;
  expect(models.requests).toEqual([]);
  expect(events.at(-2)).toMatchObject({ type: 'agent_settled', aborted: true });
});

test('the prefix changes only when the tools have changed', async () => {
  const state = { toolsVersion: 1, section: 'one' };
  const mcp = createMcp({ planTools: (tools) => ({ tools, promptSection: state.section }) });
  Object.defineProperty(mcp, 'toolsVersion', { get: () => state.toolsVersion });
  const script = [{ text: 'a' }, { text: 'b' }, { text: 'c' }];
  const { prompt, models } = await open(mcp, script);
  await prompt('1');
  state.section = 'two';
  await prompt('2');
  state.toolsVersion = 2;
  await prompt('3');
  const prefixes = models.requests.map(({ systemPrompt, tools }) => JSON.stringify([systemPrompt, tools]));
  expect(prefixes[1]).toBe(prefixes[0]);
  expect(prefixes[0]).toContain('one');
  expect(prefixes[2]).toContain('two');
});

test('the servers are closed with the session', async () => {
  let closed = 0;
  const close = async () => {
    closed += 1;
  };
  const { session } = await open(createMcp({ close }), []);
  await session.close();
  expect(closed).toBe(1);
});
