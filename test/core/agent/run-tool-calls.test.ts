// Tool calls after an abort do not run, and updates after the result are not emitted.
import { object } from 'valibot';
import { expect, test } from 'vitest';
import { type Tool, type ToolResult, tool } from '../../../src/contracts/index.ts';
import type { RunScope } from '../../../src/core/agent/run-scope.ts';
import { runToolCalls } from '../../../src/core/agent/run-tool-calls.ts';
import type { AgentEvent, AgentMessage } from '../../../src/protocol/index.ts';
import { createFakeClock } from '../../../src/testing/fake-clock.ts';
import { assistant, call } from '../entries.ts';

const textResult = (text: string): ToolResult => ({ content: [{ type: 'text', text }] });

interface Fixture {
  readonly scope: RunScope;
  readonly events: AgentEvent[];
  readonly controller: AbortController;
}

function createFixture(run: Tool['run'], toolCall?: (controller: AbortController) => Promise<undefined>): Fixture {
  const controller = new AbortController();
  const events: AgentEvent[] = [];
  const readTool = tool({ name: 'read', doc: '', effect: 'execute', params: object({}), run }) as unknown as Tool;
  const scope: Partial<RunScope> = {
    signal: controller.signal,
    clock: createFakeClock(),
    emit(event) {
      events.push(event);
      return undefined;
    },
    hooks: toolCall ? { toolCall: () => toolCall(controller) } : {},
    record: async () => {},
    tools: new Map([['read', readTool]]),
    toolContext: {} as RunScope['toolContext'],
    interruptMode: 'wait',
    hasSteering: false,
    limits: { countToolCall: () => undefined, countTurn: () => undefined, haltReason: undefined },
  };
  return { scope: scope as RunScope, events, controller };
}

const createAnswer = () => assistant([call('1')], { stopReason: 'toolUse' });

test('a call does not run if the run is aborted during its toolCall hook', async () => {
  let runCount = 0;
  const { scope } = createFixture(
    async () => {
      runCount += 1;
      return textResult('ran');
    },
    async (controller) => {
      controller.abort();
      return undefined;
    },
  );
  const newMessages: AgentMessage[] = [];
  const { results } = await runToolCalls(scope, createAnswer(), newMessages);
  expect(results).toMatchObject([{ isError: true, content: [{ text: 'Tool execution was aborted.' }] }]);
  expect([runCount, newMessages]).toEqual([0, results]);
});

test('updates that a tool sends after its result are not emitted', async () => {
  let sendLateUpdate = () => {};
  const { scope, events } = createFixture(async (_, { update }) => {
    update(textResult('half'));
    sendLateUpdate = () => update(textResult('too late'));
    return textResult('whole');
  });
  const { results } = await runToolCalls(scope, createAnswer(), []);
  sendLateUpdate();
  expect(results).toMatchObject([{ content: [{ text: 'whole' }] }]);
  const updates = events.filter(({ type }) => type === 'tool_execution_update');
  expect(updates).toMatchObject([{ partialResult: textResult('half') }]);
  expect(events.at(-1)?.type).toBe('message_end');
});

test('updates of a tool that was abandoned after an abort are not emitted', async () => {
  let sendLateUpdate = () => {};
  const { scope, events, controller } = createFixture((_, { update }) => {
    sendLateUpdate = () => update(textResult('too late'));
    controller.abort();
    return new Promise(() => {});
  });
  const running = runToolCalls(scope, createAnswer(), []);
  while (!controller.signal.aborted) await Promise.resolve();
  await (scope.clock as ReturnType<typeof createFakeClock>).advance(1000);
  const { results } = await running;
  sendLateUpdate();
  expect(results).toMatchObject([{ isError: true, content: [{ text: 'Tool execution was aborted.' }] }]);
  expect(events.filter(({ type }) => type === 'tool_execution_update')).toEqual([]);
});
