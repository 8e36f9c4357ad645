// Approval: the host sees the complete call, and an answer applies only to the call or tool that was asked about.
import { expect, test } from 'vitest';
import { createApprovalHook } from '../../src/app/approval-hook.ts';
import type { HostUi, PlannedToolCall, UiQuestion } from '../../src/contracts/index.ts';
import type { ApprovalPolicy } from '../../src/protocol/index.ts';

function plannedCall(toolName: string, input: Record<string, unknown>): PlannedToolCall {
  return {
    toolCallId: '1',
    toolName,
    effect: 'execute',
    input,
    cwd: '/project',
    signal: new AbortController().signal,
    listSubjects: () => [],
    isEscalated: () => false,
    previewDiff: async () => undefined,
  };
}

/** Creates a hook with a host that gives the same answer to every question. */
function createHookWithAnswer(answer: string, approvalTimeout = 30_000, policy: ApprovalPolicy = 'on-write') {
  const questions: Extract<UiQuestion, { method: 'select' }>[] = [];
  const timeouts: (number | undefined)[] = [];
  const host = {
    async ask(question: (typeof questions)[number], options: { timeout?: number }) {
      questions.push(question);
      timeouts.push(options.timeout);
      return { value: answer };
    },
  } as unknown as HostUi;
  return {
    questions,
    timeouts,
    approve: createApprovalHook({ approvalTimeout }, { policy }, () => host),
  };
}

test('the message contains all arguments', async () => {
  const { questions, approve } = createHookWithAnswer('allow');
  const command = `echo ${'A'.repeat(50_000)}; touch HIDDEN`;
  expect(await approve(plannedCall('bash', { command }))).toBe(undefined);
  expect(questions[0]?.message).toBe(`bash ${JSON.stringify({ command })}`);
});

test('a call with arguments that are too long to show is denied without asking', async () => {
  const { questions, approve } = createHookWithAnswer('allow');
  const result = await approve(plannedCall('write', { path: 'a', content: 'A'.repeat(100_000) }));
  expect(result).toEqual({
    block: true,
    reason:
      'write was not run: its arguments are too long to be shown for approval (100031 characters, at most 100000). Use several smaller calls.',
  });
  expect(questions).toEqual([]);
});

test('invisible characters are escaped', async () => {
  const { questions, approve } = createHookWithAnswer('allow');
  await approve(plannedCall('bash', { command: 'a\u202eb\u200bc\u0085d\u2028e\u{e0041}f\u00adg\u001bh\u3164i' }));
  expect(questions[0]?.message).toBe(
    'bash {"command":"a\\u202eb\\u200bc\\u0085d\\u2028e\\udb40\\udc41f\\u00adg\\u001bh\\u3164i"}',
  );
});

test('letters of all languages are not escaped', async () => {
  const { questions, approve } = createHookWithAnswer('allow');
  await approve(plannedCall('bash', { command: 'echo äöü 漢字 עברית 🎉' }));
  expect(questions[0]?.message).toBe('bash {"command":"echo äöü 漢字 עברית 🎉"}');
});

test('allow_session allows only this tool for the rest of the session', async () => {
  const { questions, approve } = createHookWithAnswer('allow_session');
  await approve(plannedCall('bash', { command: 'a' }));
  await approve(plannedCall('bash', { command: 'b' }));
  expect(questions.map(({ title }) => title)).toEqual(['Allow bash?']);
  await approve(plannedCall('write', { path: 'a' }));
  expect(questions.map(({ title }) => title)).toEqual(['Allow bash?', 'Allow write?']);
});

test('deny_session denies only this tool for the rest of the session, without asking', async () => {
  const { questions, approve } = createHookWithAnswer('deny_session');
  const denied = { block: true, reason: 'The user does not allow bash in this session. Nothing was run.' };
  expect(await approve(plannedCall('bash', { command: 'a' }))).toEqual(denied);
  expect(await approve(plannedCall('bash', { command: 'b' }))).toEqual(denied);
  await approve(plannedCall('write', { path: 'a' }));
  expect(questions.map(({ title }) => title)).toEqual(['Allow bash?', 'Allow write?']);
  expect(questions[0]?.options).toEqual(['allow', 'deny', 'allow_session']);
});

test('allow applies to one call', async () => {
  const { questions, approve } = createHookWithAnswer('allow');
  await approve(plannedCall('bash', { command: 'a' }));
  await approve(plannedCall('bash', { command: 'b' }));
  expect(questions).toHaveLength(2);
});

test('any other answer denies the call', async () => {
  for (const answer of ['deny', 'yes', '']) {
    expect(await createHookWithAnswer(answer).approve(plannedCall('bash', { command: 'a' }))).toMatchObject({
      block: true,
    });
  }
});

test('the request contains the call that is run, its directory and the diff', async () => {
  const { questions, approve } = createHookWithAnswer('allow');
  const previewDiff = async ({ path }: Readonly<Record<string, unknown>>) => `+1 ${path}`;
  await approve({ ...plannedCall('write', { path: 'a.txt', content: 'a.txt' }), previewDiff });
  expect(questions[0]?.toolCall).toEqual({
    toolCallId: '1',
    toolName: 'write',
    args: { path: 'a.txt', content: 'a.txt' },
    cwd: '/project',
    diff: '+1 a.txt',
  });
});

test('a diff that is too long is omitted; the arguments are still there', async () => {
  const { questions, approve } = createHookWithAnswer('allow');
  await approve({ ...plannedCall('write', { path: 'a' }), previewDiff: async () => '+'.repeat(200_001) });
  expect(questions[0]?.toolCall).toMatchObject({ args: { path: 'a' } });
  expect(questions[0]?.toolCall).not.toHaveProperty('diff');
});

test.each([
  [30_000, 30_000],
  [5, 5],
  [0, undefined],
])('approvalTimeout %s', async (approvalTimeout, expected) => {
  const { questions, timeouts, approve } = createHookWithAnswer('allow', approvalTimeout);
  await approve(plannedCall('bash', { command: 'a' }));
  expect(timeouts).toEqual([expected]);
  expect(questions[0]?.timeout).toBe(expected);
});

test('with the policy read-only, tools that write or execute are denied without asking, and tools that read run', async () => {
  const { questions, approve } = createHookWithAnswer('allow', undefined, 'read-only');
  const refusal = {
    block: true,
    reason: 'bash was not run: the session is read-only. Only tools that read are allowed.',
  };
  expect(await approve(plannedCall('bash', { command: 'ls' }))).toEqual(refusal);
  expect(await approve({ ...plannedCall('write', {}), effect: 'write' })).toMatchObject({ block: true });
  expect(await approve({ ...plannedCall('read', { path: 'a' }), effect: 'read' })).toBe(undefined);
  expect(questions).toEqual([]);
});
