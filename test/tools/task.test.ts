// The tool that hands work on: what the model is told, what it costs, what becomes of the arguments.
import { expect, test } from 'vitest';
import type { Subagents, TaskRequest, ToolContext } from '../../src/contracts/index.ts';
import { check } from '../../src/contracts/index.ts';
import { BUNDLED } from '../../src/core/subagent/bundled.ts';
import { createTaskTool } from '../../src/tools/task.ts';

const agents = BUNDLED;
const task = createTaskTool({ agents, canIsolate: true });

test('it costs the model little', () => {
  const { name, doc: description, parameters } = task;
  expect(Buffer.byteLength(JSON.stringify({ name, description, parameters }))).toBeLessThanOrEqual(1200);
});

test('without isolation it is not offered', () => {
  const offered = (canIsolate: boolean) =>
    Object.keys(createTaskTool({ agents, canIsolate }).parameters?.properties ?? {});
  expect(offered(true)).toEqual(['agent', 'context', 'tasks', 'schema', 'isolated', 'verify']);
  expect(offered(false)).toEqual(['agent', 'context', 'tasks', 'schema']);
});

test.each<[string, unknown]>([
  ['false', false],
  ['true', true],
  ['no name', ''],
  ['a name', 'ci'],
  [
    'inline',
    {
      commands: [{ name: 'tests', command: 'make test', timeoutMs: 1000, optional: true }],
      onFailure: 'discard_patch',
    },
  ],
  ['a profile with changes', { profile: 'ci', commands: [{ name: 'extra', command: 'make lint' }] }],
])('verify: %s', async (_, verify) => {
  const asked: TaskRequest[] = [];
  const subagents: Subagents = {
    async run(request) {
      asked.push(request);
      return { content: [] };
    },
  };
  const params = check(task.params, { agent: 'task', tasks: [{ id: 'A', task: 'do it' }], isolated: true, verify });
  await task.run(params, { subagents, signal: new AbortController().signal, update() {} } as unknown as ToolContext);
  expect(asked).toEqual([
    { agent: 'task', isolated: true, verify, tasks: [{ id: 'A', description: undefined, assignment: 'do it' }] },
  ]);
});

test('what is not a verification is refused with the field', () => {
  expect(() => check(task.params, { agent: 'a', verify: { onFailure: 'shrug' } })).toThrow(/verify\.onFailure must be/);
  expect(() => check(task.params, { agent: 'a', verify: 3 })).toThrow(/verify must be/);
});
