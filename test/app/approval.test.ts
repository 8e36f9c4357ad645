// Approval: the host sees all that it allows, and allows no more than it was asked about.
import { expect, test } from 'vitest';
import { createGate } from '../../src/app/approval.ts';
import type { HostUi, PlannedCall } from '../../src/contracts/index.ts';

function call(toolName: string, input: Record<string, unknown>): PlannedCall {
  return { toolCallId: '1', toolName, effect: 'execute', input, signal: new AbortController().signal };
}

/** A host that answers every question with the same word. */
function stage(answer: string) {
  const asked: { title: string; message?: string | undefined }[] = [];
  const host = {
    async ask(question: { title: string; message?: string }) {
      asked.push(question);
      return { value: answer };
    },
  } as unknown as HostUi;
  return {
    asked,
    gate: createGate(
      () => 'on-write',
      () => host,
    ),
  };
}

test('the message holds all of the arguments', async () => {
  const { asked, gate } = stage('allow');
  const command = `echo ${'A'.repeat(50_000)}; touch HIDDEN`;
  expect(await gate(call('bash', { command }))).toBe(undefined);
  expect(asked[0]?.message).toBe(`bash ${JSON.stringify({ command })}`);
});

test('arguments that are too long to be shown are refused without a question', async () => {
  const { asked, gate } = stage('allow');
  const verdict = await gate(call('write', { path: 'a', content: 'A'.repeat(100_000) }));
  expect(verdict).toEqual({
    block: true,
    reason:
      'write was not run: its arguments are too long to be shown for approval (100031 characters, at most 100000). Use several smaller calls.',
  });
  expect(asked).toEqual([]);
});

test('characters that a screen does not show are escaped', async () => {
  const { asked, gate } = stage('allow');
  await gate(call('bash', { command: 'a\u202eb\u200bc\u0085d\u2028e\u{e0041}f\u00adg\u001bh\u3164i' }));
  expect(asked[0]?.message).toBe(
    'bash {"command":"a\\u202eb\\u200bc\\u0085d\\u2028e\\udb40\\udc41f\\u00adg\\u001bh\\u3164i"}',
  );
});

test('letters of any language stay as they are', async () => {
  const { asked, gate } = stage('allow');
  await gate(call('bash', { command: 'echo äöü 漢字 עברית 🎉' }));
  expect(asked[0]?.message).toBe('bash {"command":"echo äöü 漢字 עברית 🎉"}');
});

test('allow_session allows one tool for the session, and no other', async () => {
  const { asked, gate } = stage('allow_session');
  await gate(call('bash', { command: 'a' }));
  await gate(call('bash', { command: 'b' }));
  expect(asked.map(({ title }) => title)).toEqual(['Allow bash?']);
  await gate(call('write', { path: 'a' }));
  expect(asked.map(({ title }) => title)).toEqual(['Allow bash?', 'Allow write?']);
});

test('allow is for one call', async () => {
  const { asked, gate } = stage('allow');
  await gate(call('bash', { command: 'a' }));
  await gate(call('bash', { command: 'b' }));
  expect(asked).toHaveLength(2);
});

test('any other answer refuses', async () => {
  for (const answer of ['deny', 'yes', '']) {
    expect(await stage(answer).gate(call('bash', { command: 'a' }))).toMatchObject({ block: true });
  }
});
