// How often progress is sent, and what it says.
import { expect, test } from 'vitest';
import { createActivityDescriber } from '../../../../src/app/modes/mcp/server/describe-activity.ts';
import { createProgressReporter } from '../../../../src/app/modes/mcp/server/progress-reporter.ts';
import type { AgentEvent } from '../../../../src/protocol/index.ts';
import { createFakeClock } from '../../../../src/testing/fake-clock.ts';

function createReporter() {
  const clock = createFakeClock();
  const sent: [number, string][] = [];
  return { clock, sent, reporter: createProgressReporter(clock, (count, message) => void sent.push([count, message])) };
}

test('at most four messages per second, of which the last is always sent', async () => {
  const { clock, sent, reporter } = createReporter();
  for (let at = 0; at < 100; at++) {
    reporter.report(`step ${at}`);
    await clock.advance(10);
  }
  await clock.advance(1000);
  expect(sent.length).toBeLessThanOrEqual(5);
  expect(sent.map(([count]) => count)).toEqual(sent.map((_, at) => at + 1));
  expect(sent[0]).toEqual([1, 'step 0']);
  expect(sent.at(-1)?.[1]).toBe('step 99');
});

test('the same message is not sent twice in a row, but repeated with its time while nothing happens', async () => {
  const { clock, sent, reporter } = createReporter();
  reporter.report('bash: npm test');
  reporter.report('bash: npm test');
  await clock.advance(5000);
  expect(sent).toEqual([[1, 'bash: npm test']]);
  await clock.advance(65_000);
  expect(sent.slice(1, 3)).toEqual([
    [2, 'bash: npm test (10 s)'],
    [3, 'bash: npm test (20 s)'],
  ]);
  expect(sent.at(-1)).toEqual([8, 'bash: npm test (1 min 10 s)']);
});

test('nothing is sent after the end', async () => {
  const { clock, sent, reporter } = createReporter();
  reporter.report('one');
  reporter.report('two');
  reporter.stop();
  reporter.report('three');
  await clock.advance(60_000);
  expect(sent).toEqual([[1, 'one']]);
});

const call = (toolName: string, args: Record<string, unknown>): AgentEvent => ({
  type: 'tool_execution_start',
  toolCallId: 'c',
  toolName,
  args,
});

test.each<[AgentEvent, string | undefined]>([
  [call('bash', { command: 'npm test', timeout: 5 }), 'bash: npm test'],
  [call('read', { path: 'src/a.ts', offset: 3 }), 'Reading src/a.ts'],
  [call('edit', { path: 'src/a.ts', edits: [] }), 'Editing src/a.ts'],
  [call('grep', { path: 'src', pattern: 'TODO' }), 'grep: TODO'],
  [call('own', { count: 3, query: 'words' }), 'own: words'],
  [call('own', {}), 'own'],
  [call('bash', { command: 'a\nb\u001b[31m' }), 'bash: a b␛[31m'],
  [call('bash', { command: 'x'.repeat(1000) }), `bash: ${'x'.repeat(193)}…`],
  [{ type: 'turn_start' }, 'Waiting for the model'],
  [{ type: 'agent_start' }, undefined],
])('%j is described', (event, text) => {
  const describe = createActivityDescriber(
    new Map([
      ['read', { fileAccess: 'read' as const }],
      ['edit', { fileAccess: 'modified' as const }],
      ['bash', {}],
    ]),
  );
  expect(describe(event)).toBe(text);
});

test('later turns are counted', () => {
  const describe = createActivityDescriber(new Map());
  describe({ type: 'turn_start' });
  expect(describe({ type: 'turn_start' })).toBe('Turn 2: waiting for the model');
});
