// The task tool: its description, its size and its arguments.
import { expect, test } from 'vitest';
import type { SubagentRunner, TaskRequest, ToolContext } from '../../src/contracts/index.ts';
import { validate } from '../../src/contracts/index.ts';
import { BUNDLED_AGENTS } from '../../src/core/subagent/bundled-agents.ts';
import { createTaskTool } from '../../src/tools/task.ts';

const agents = BUNDLED_AGENTS;
const task = createTaskTool({ agents, canIsolate: true });

test('the description stays small', () => {
  const { name, doc: description, jsonSchema } = task;
  expect(Buffer.byteLength(JSON.stringify({ name, description, parameters: jsonSchema }))).toBeLessThanOrEqual(1200);
});

test('isolation parameters are omitted when isolation is not available', () => {
  const listParameters = (canIsolate: boolean) =>
    Object.keys(createTaskTool({ agents, canIsolate }).jsonSchema?.properties ?? {});
  expect(listParameters(true)).toEqual(['agent', 'context', 'tasks', 'schema', 'isolated', 'verify']);
  expect(listParameters(false)).toEqual(['agent', 'context', 'tasks', 'schema']);
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
  const requests: TaskRequest[] = [];
  const subagentRunner: SubagentRunner = {
    async run(request) {
      requests.push(request);
      return { content: [] };
    },
  };
  const params = validate(task.params, { agent: 'task', tasks: [{ id: 'A', task: 'do it' }], isolated: true, verify });
  await task.run(params, {
    subagents: subagentRunner,
    signal: new AbortController().signal,
    update() {},
  } as unknown as ToolContext);
  expect(requests).toEqual([
    { agent: 'task', isolated: true, verify, tasks: [{ id: 'A', description: undefined, assignment: 'do it' }] },
  ]);
});

test('an invalid verification is rejected with the name of the field', () => {
  expect(() => validate(task.params, { agent: 'a', verify: { onFailure: 'shrug' } })).toThrow(
    /verify\.onFailure must be/,
  );
  expect(() => validate(task.params, { agent: 'a', verify: 3 })).toThrow(/verify must be/);
});
