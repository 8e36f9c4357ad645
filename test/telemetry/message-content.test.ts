// Content of messages in spans: long texts, images and values that are no text.
import { expect, test } from 'vitest';
import { createContentRecorder } from '../../src/telemetry/traces/message-content.ts';

const SECRET = 'sk-secret-0123456789abcdef';
const LIMIT = 16 * 1024;

test('a long text is truncated after its secrets are removed, and the JSON stays complete', () => {
  const { describeArguments } = createContentRecorder(() => [SECRET]);
  const text = `${'x'.repeat(LIMIT - 6)}${SECRET}${'y'.repeat(LIMIT)}`;
  const described = String(describeArguments({ text })['gen_ai.tool.call.arguments']);
  expect(JSON.parse(described)).toEqual({ text: `${'x'.repeat(LIMIT - 6)}[redac` });
});

test('keys that become known later are removed, too, also from names', () => {
  const secrets: string[] = [];
  const { describeArguments } = createContentRecorder(() => secrets);
  expect(JSON.stringify(describeArguments({ [SECRET]: 1 }))).toContain(SECRET);
  secrets.push(SECRET);
  expect(JSON.stringify(describeArguments({ [SECRET]: 1 }))).not.toContain(SECRET);
});

test('an image is named without its data', () => {
  const { describeInput } = createContentRecorder(() => []);
  const content = [{ type: 'image' as const, data: 'aGVsbG8=', mimeType: 'image/png' }];
  const attributes = describeInput([{ role: 'user', content, timestamp: 0 }]);
  expect(attributes).toEqual({ 'gen_ai.input.messages': '[{"role":"user","parts":[{"type":"image"}]}]' });
});

test('every kind of message has a role of the conventions', () => {
  const { describeInput } = createContentRecorder(() => []);
  const timestamp = 0;
  const text = [{ type: 'text' as const, text: 'a' }];
  const described = describeInput([
    { role: 'toolResult', toolCallId: 'c1', toolName: 'read', content: text, isError: false, timestamp },
    { role: 'bashExecution', command: 'ls', output: 'b', cancelled: false, truncated: false, timestamp },
    { role: 'compactionSummary', summary: 'c', tokensBefore: 1, timestamp },
    { role: 'custom', customType: 'x', content: 'd', display: true, timestamp },
  ]);
  expect(JSON.parse(String(described['gen_ai.input.messages']))).toEqual([
    { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', result: [{ type: 'text', content: 'a' }] }] },
    { role: 'user', parts: [{ type: 'text', content: 'ls\nb' }] },
    { role: 'user', parts: [{ type: 'text', content: 'c' }] },
    { role: 'user', parts: [{ type: 'text', content: 'd' }] },
  ]);
});
