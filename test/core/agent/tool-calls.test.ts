// Tool calls around an abort and after their result: what must not run, and what must not be emitted.
import { object } from 'valibot';
import { expect, test } from 'vitest';
import { type Tool, type ToolResult, tool } from '../../../src/contracts/index.ts';
import type { RunScope } from '../../../src/core/agent/scope.ts';
import { runToolCalls } from '../../../src/core/agent/tool-calls.ts';
import type { AgentEvent, AgentMessage } from '../../../src/protocol/index.ts';
import { createFakeClock } from '../../../src/testing/fake-clock.ts';
import { assistant, call } from '../entries.ts';

const text = (words: string): ToolResult => ({ content: [{ type: 'text', text: words }] });

interface Stage {
  readonly scope: RunScope;
  readonly events: AgentEvent[];
  readonly controller: AbortController;
}

function createStage(run: Tool['run'], toolCall?: (controller: AbortController) => Promise<undefined>): Stage {
  const controller = new AbortController();
  const events: AgentEvent[] = [];
  const only = tool({ name: 'read', doc: '', effect: 'execute', params: object({}), run }) as unknown as Tool;
  const scope: Partial<RunScope> = {
    signal: controller.signal,
    clock: createFakeClock(),
    emit(event) {
      events.push(event);
      return undefined;
    },
    hooks: toolCall ? { toolCall: () => toolCall(controller) } : {},
    record: async () => {},
    tools: new Map([['read', only]]),
    toolSurroundings: {} as RunScope['toolSurroundings'],
    interruptMode: 'wait',
    hasSteering: false,
    limits: { toolStarts: () => undefined, turnOver: () => undefined, halted: undefined },
  };
  return { scope: scope as RunScope, events, controller };
}

const answer = () => assistant([call('1')], { stopReason: 'toolUse' });

test('a call that was aborted while its permission was asked for does not run', async () => {
  let ran = 0;
  const { scope } = createStage(
    async () => {
      ran += 1;
      return text('ran');
    },
    async (controller) => {
      controller.abort();
      return undefined;
    },
  );
  const made: AgentMessage[] = [];
  const { results } = await runToolCalls(scope, answer(), made);
  expect(results).toMatchObject([{ isError: true, content: [{ text: 'Tool execution was aborted.' }] }]);
  expect([ran, made]).toEqual([0, results]);
});

test('updates that a tool sends after its result are not emitted', async () => {
  let late = () => {};
  const { scope, events } = createStage(async (_, { update }) => {
    update(text('half'));
    late = () => update(text('too late'));
    return text('whole');
  });
  const { results } = await runToolCalls(scope, answer(), []);
  late();
  expect(results).toMatchObject([{ content: [{ text: 'whole' }] }]);
  const updates = events.filter(({ type }) => type === 'tool_execution_update');
  expect(updates).toMatchObject([{ partialResult: text('half') }]);
  expect(events.at(-1)?.type).toBe('message_end');
});

test('updates of a tool that was given up after an abort are not emitted either', async () => {
  let late = () => {};
  const { scope, events, controller } = createStage((_, { update }) => {
    late = () => update(text('too late'));
    controller.abort();
    return new Promise(() => {});
  });
  const running = runToolCalls(scope, answer(), []);
  while (!controller.signal.aborted) await Promise.resolve();
  await (scope.clock as ReturnType<typeof createFakeClock>).advance(1000);
  const { results } = await running;
  late();
  expect(results).toMatchObject([{ isError: true, content: [{ text: 'Tool execution was aborted.' }] }]);
  expect(events.filter(({ type }) => type === 'tool_execution_update')).toEqual([]);
});
