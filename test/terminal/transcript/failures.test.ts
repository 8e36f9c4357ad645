// A failure is printed once: not for every retry, and not again when all retries have failed.
import { expect, test } from 'vitest';
import type { AgentEvent } from '../../../src/protocol/index.ts';
import { Transcript } from '../../../src/terminal/transcript/transcript.ts';

function show(...events: readonly object[]): string[] {
  const rows: string[] = [];
  const transcript = new Transcript(
    (lines) => void rows.push(...lines.map((spans) => spans.map(({ text }) => text).join(''))),
    () => 80,
  );
  for (const event of events) transcript.handleEvent(event as AgentEvent);
  return rows.filter((row) => row !== '');
}

function fail(willRetry: boolean, ...between: readonly object[]): object[] {
  const message = { role: 'assistant', content: [], stopReason: 'error', errorMessage: '503 Overloaded' };
  return [
    { type: 'message_start', message },
    { type: 'message_end', message },
    ...between,
    { type: 'agent_end', messages: [], willRetry },
  ];
}
const retryStart = { type: 'auto_retry_start', attempt: 1, maxAttempts: 2, delayMs: 1, errorMessage: '503 Overloaded' };
const settled = { type: 'agent_settled' };

test('without retries', () => {
  expect(show(...fail(false), settled)).toEqual(['Error: 503 Overloaded']);
});

test('after retries that failed too', () => {
  const end = { type: 'auto_retry_end', success: false, attempt: 2, finalError: '503 Overloaded' };
  const events = [...fail(true), retryStart, ...fail(true), retryStart, ...fail(false, end), settled];
  expect(show(...events)).toEqual(['Error: 503 Overloaded (2 retries failed)']);
});

test('a retry that succeeds leaves no error', () => {
  const message = { role: 'assistant', content: [{ type: 'text', text: 'Hi' }], stopReason: 'stop' };
  const success = [
    { type: 'message_start', message },
    { type: 'message_update', assistantMessageEvent: { type: 'text_delta', delta: 'Hi' } },
    { type: 'message_end', message },
    { type: 'auto_retry_end', success: true, attempt: 1 },
    { type: 'agent_end', messages: [], willRetry: false },
  ];
  expect(show(...fail(true), retryStart, ...success, settled)).toEqual(['Hi']);
});

test('the user stopped the agent while it waited for the first retry', () => {
  const end = { type: 'auto_retry_end', success: false, attempt: 1, finalError: 'aborted' };
  expect(show(...fail(true), retryStart, end, settled)).toEqual(['Error: 503 Overloaded']);
});
