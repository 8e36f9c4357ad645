// The strict loopback Bedrock refuses what the real one refuses: each case is a good request with one thing wrong.
import { expect, test } from 'vitest';
import { checkConverse } from './bedrock-check.ts';
import { HIDDEN, type IssuedThinking, signatureOf } from './bedrock-frames.ts';
import { crc32, eventMessage } from './event-stream.ts';
import { type Fields, Refusal } from './loopback.ts';

const SONNET = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0';
const THOUGHT = { reasoningContent: { reasoningText: { text: 'Hm', signature: signatureOf('Hm') } } };
const UNSEEN = { reasoningContent: { redactedContent: 'c2VjcmV0' } };
const ISSUED: IssuedThinking = new Map<string, string | typeof HIDDEN>([
  [signatureOf('Hm'), 'Hm'],
  ['c2VjcmV0', HIDDEN],
]);
const CALL = { toolUse: { toolUseId: 'tooluse_1', name: 'read', input: {} } };
const RESULT = { toolResult: { toolUseId: 'tooluse_1', content: [{ text: 'x' }] } };
const MARK = { cachePoint: { type: 'default' } };
const asks = (...content: Fields[]): Fields => ({ role: 'user', content });
const says = (...content: Fields[]): Fields => ({ role: 'assistant', content });
const GO = asks({ text: 'Go' });
const spec = { name: 'read', description: 'Read.', inputSchema: { json: { type: 'object' } } };
const GOOD: Fields = {
  system: [{ text: 'Be kind.' }, MARK],
  messages: [GO, says(THOUGHT, UNSEEN, { text: 'Ok' }, CALL), asks(RESULT, MARK)],
  inferenceConfig: { maxTokens: 8000 },
  toolConfig: { tools: [{ toolSpec: spec }] },
  additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 2000 } },
};

function refused(body: Fields, model = SONNET): string | undefined {
  try {
    checkConverse(model, body, ISSUED);
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    return (JSON.parse(thrown.body) as { message: string }).message;
  }
}

test('a good request is taken', () => expect(refused(GOOD)).toBeUndefined());

const { additionalModelRequestFields: _thinking, ...PLAIN } = GOOD;
const messages = (...list: Fields[]): Fields => ({ ...PLAIN, messages: list });
const altered = { reasoningContent: { reasoningText: { text: 'Hmm', signature: signatureOf('Hm') } } };
const image = (format: string) => ({ image: { format, source: { bytes: 'AA==' } } });
const cases: [string, Fields, RegExp][] = [
  ['an unknown field', { ...GOOD, stream: true }, /extraneous key \[stream\]/],
  ['an unknown block', messages(asks({ video: {} })), /extraneous key \[video\]/],
  ['the model first', messages(says({ text: 'Hi' }), GO), /must start with a user message/],
  ['twice the same side', messages(GO, GO), /must alternate/],
  ['the model having the last word', messages(GO, says({ text: 'Hi' })), /prefill/],
  ['an empty message', messages(asks()), /is empty/],
  ['blank text', messages(asks({ text: ' ' })), /is blank/],
  ['a call without its result', messages(GO, says(CALL), GO), /Expected toolResult blocks at messages.2/],
  ['a result too many', messages(GO, says(CALL), asks(RESULT, RESULT)), /exceeds the number of toolUse/],
  ['a result for nothing', messages(asks(RESULT)), /exceeds the number of toolUse/],
  [
    'a result without content',
    messages(GO, says(CALL), asks({ toolResult: { toolUseId: 'tooluse_1', content: [] } })),
    /is empty/,
  ],
  [
    'a bad id',
    messages(GO, says({ toolUse: { ...CALL.toolUse, toolUseId: 'a/b' } }), asks(RESULT)),
    /failed to satisfy constraint/,
  ],
  [
    'hidden thinking that shows itself',
    messages(
      GO,
      says({ reasoningContent: { reasoningText: { text: '', signature: 'c2VjcmV0' } } }, CALL),
      asks(RESULT),
    ),
    /Invalid `signature`/,
  ],
  ['altered thinking', messages(GO, says(altered, CALL), asks(RESULT)), /Invalid `signature`/],
  ['an image of another kind', messages(asks(image('bmp'))), /Invalid image format/],
  ['calls without tools', { ...GOOD, toolConfig: undefined }, /toolConfig field must be defined/],
  ['too many marks', { ...GOOD, system: [{ text: 'a' }, MARK, MARK, MARK, MARK] }, /maximum of 4/],
  ['too long an answer', { ...GOOD, inferenceConfig: { maxTokens: 64_001 } }, /exceeds the model limit/],
  ['more thinking than answer', { ...GOOD, inferenceConfig: { maxTokens: 2000 } }, /must be greater than/],
  [
    'thinking of another kind',
    { ...GOOD, additionalModelRequestFields: { thinking: { type: 'adaptive' } } },
    /not supported/,
  ],
  ['a turn that began without thinking', { ...GOOD, messages: [GO, says(CALL), asks(RESULT)] }, /Expected `thinking`/],
];
test.each(cases)('%s', (_name, body, words) => expect(refused(body)).toMatch(words));

test('what models differ in', () => {
  expect(refused(GOOD, 'claude-0')).toMatch(/identifier is invalid/);
  const simple = { messages: [GO] };
  expect(refused({ ...simple, system: [{ text: 'a' }, MARK] }, 'openai.gpt-oss-120b-1:0')).toMatch(/prompt caching/);
  expect(refused({ messages: [asks(image('png'))] }, 'openai.gpt-oss-120b-1:0')).toMatch(/image content block/);
  expect(
    refused(
      { ...PLAIN, system: [], messages: [GO, says(CALL), asks(RESULT)] },
      'mistral.mistral-large-3-675b-instruct',
    ),
  ).toMatch(/length of 9/);
  expect(refused({ ...simple, additionalModelRequestFields: { thinking: {} } }, 'openai.gpt-oss-120b-1:0')).toMatch(
    /extraneous key/,
  );
});

test('a message of the event stream, as it is documented', () => {
  expect(crc32(Buffer.from('123456789'))).toBe(0xcbf43926);
  const bytes = Buffer.from(eventMessage({ a: 'b' }, '{}'));
  // Total, headers, and their sum; one header; the payload; the sum of all.
  expect(bytes.length).toBe(12 + 6 + 2 + 4);
  expect([bytes.readUInt32BE(0), bytes.readUInt32BE(4), bytes.readUInt32BE(8)]).toEqual([
    24,
    6,
    crc32(bytes.subarray(0, 8)),
  ]);
  expect([...bytes.subarray(12, 18)]).toEqual([1, 97, 7, 0, 1, 98]);
  expect(bytes.readUInt32BE(20)).toBe(crc32(bytes.subarray(0, 20)));
});
