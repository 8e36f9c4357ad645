// Tests of the strict loopback Bedrock server: each case is a valid request with one error.
import { expect, test } from 'vitest';
import { checkConverse } from './bedrock-check.ts';
import { createSignature, HIDDEN, type IssuedThinking } from './bedrock-frames.ts';
import { crc32, eventMessage } from './event-stream.ts';
import { type Fields, Refusal } from './loopback.ts';

const SONNET = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0';
const THOUGHT = { reasoningContent: { reasoningText: { text: 'Hm', signature: createSignature('Hm') } } };
const REDACTED = { reasoningContent: { redactedContent: 'c2VjcmV0' } };
const ISSUED: IssuedThinking = new Map<string, string | typeof HIDDEN>([
  [createSignature('Hm'), 'Hm'],
  ['c2VjcmV0', HIDDEN],
]);
const CALL = { toolUse: { toolUseId: 'tooluse_1', name: 'read', input: {} } };
const RESULT = { toolResult: { toolUseId: 'tooluse_1', content: [{ text: 'x' }] } };
const CACHE_POINT = { cachePoint: { type: 'default' } };
const userMessage = (...content: Fields[]): Fields => ({ role: 'user', content });
const assistantMessage = (...content: Fields[]): Fields => ({ role: 'assistant', content });
const PROMPT = userMessage({ text: 'Go' });
const spec = { name: 'read', description: 'Read.', inputSchema: { json: { type: 'object' } } };
const VALID: Fields = {
  system: [{ text: 'Be kind.' }, CACHE_POINT],
  messages: [PROMPT, assistantMessage(THOUGHT, REDACTED, { text: 'Ok' }, CALL), userMessage(RESULT, CACHE_POINT)],
  inferenceConfig: { maxTokens: 8000 },
  toolConfig: { tools: [{ toolSpec: spec }] },
  additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 2000 } },
};

function checkRequest(body: Fields, model = SONNET): string | undefined {
  try {
    checkConverse(model, body, ISSUED);
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    return (JSON.parse(thrown.body) as { message: string }).message;
  }
}

test('a valid request is accepted', () => expect(checkRequest(VALID)).toBeUndefined());

const { additionalModelRequestFields: _thinking, ...PLAIN } = VALID;
const messages = (...list: Fields[]): Fields => ({ ...PLAIN, messages: list });
const altered = { reasoningContent: { reasoningText: { text: 'Hmm', signature: createSignature('Hm') } } };
const image = (format: string) => ({ image: { format, source: { bytes: 'AA==' } } });
const cases: [string, Fields, RegExp][] = [
  ['an unknown field', { ...VALID, stream: true }, /extraneous key \[stream\]/],
  ['an unknown block', messages(userMessage({ video: {} })), /extraneous key \[video\]/],
  ['an assistant message first', messages(assistantMessage({ text: 'Hi' }), PROMPT), /must start with a user message/],
  ['two messages of one role', messages(PROMPT, PROMPT), /must alternate/],
  ['an assistant message last', messages(PROMPT, assistantMessage({ text: 'Hi' })), /prefill/],
  ['an empty message', messages(userMessage()), /is empty/],
  ['blank text', messages(userMessage({ text: ' ' })), /is blank/],
  [
    'a call without its result',
    messages(PROMPT, assistantMessage(CALL), PROMPT),
    /Expected toolResult blocks at messages.2/,
  ],
  [
    'more results than calls',
    messages(PROMPT, assistantMessage(CALL), userMessage(RESULT, RESULT)),
    /exceeds the number of toolUse/,
  ],
  ['a result without a call', messages(userMessage(RESULT)), /exceeds the number of toolUse/],
  [
    'a result without content',
    messages(PROMPT, assistantMessage(CALL), userMessage({ toolResult: { toolUseId: 'tooluse_1', content: [] } })),
    /is empty/,
  ],
  [
    'a bad id',
    messages(PROMPT, assistantMessage({ toolUse: { ...CALL.toolUse, toolUseId: 'a/b' } }), userMessage(RESULT)),
    /failed to satisfy constraint/,
  ],
  [
    'redacted thinking sent as text',
    messages(
      PROMPT,
      assistantMessage({ reasoningContent: { reasoningText: { text: '', signature: 'c2VjcmV0' } } }, CALL),
      userMessage(RESULT),
    ),
    /Invalid `signature`/,
  ],
  ['altered thinking', messages(PROMPT, assistantMessage(altered, CALL), userMessage(RESULT)), /Invalid `signature`/],
  ['an unsupported image format', messages(userMessage(image('bmp'))), /Invalid image format/],
  ['calls without tools', { ...VALID, toolConfig: undefined }, /toolConfig field must be defined/],
  [
    'too many cache points',
    { ...VALID, system: [{ text: 'a' }, CACHE_POINT, CACHE_POINT, CACHE_POINT, CACHE_POINT] },
    /maximum of 4/,
  ],
  ['too many output tokens', { ...VALID, inferenceConfig: { maxTokens: 64_001 } }, /exceeds the model limit/],
  [
    'a thinking budget above the output limit',
    { ...VALID, inferenceConfig: { maxTokens: 2000 } },
    /must be greater than/,
  ],
  [
    'an unsupported thinking type',
    { ...VALID, additionalModelRequestFields: { thinking: { type: 'adaptive' } } },
    /not supported/,
  ],
  [
    'a turn that started without thinking',
    { ...VALID, messages: [PROMPT, assistantMessage(CALL), userMessage(RESULT)] },
    /Expected `thinking`/,
  ],
];
test.each(cases)('rejects %s', (_name, body, pattern) => expect(checkRequest(body)).toMatch(pattern));

test('checks the limits of each model', () => {
  expect(checkRequest(VALID, 'claude-0')).toMatch(/identifier is invalid/);
  const simple = { messages: [PROMPT] };
  expect(checkRequest({ ...simple, system: [{ text: 'a' }, CACHE_POINT] }, 'openai.gpt-oss-120b-1:0')).toMatch(
    /prompt caching/,
  );
  expect(checkRequest({ messages: [userMessage(image('png'))] }, 'openai.gpt-oss-120b-1:0')).toMatch(
    /image content block/,
  );
  expect(
    checkRequest(
      { ...PLAIN, system: [], messages: [PROMPT, assistantMessage(CALL), userMessage(RESULT)] },
      'mistral.mistral-large-3-675b-instruct',
    ),
  ).toMatch(/length of 9/);
  expect(
    checkRequest({ ...simple, additionalModelRequestFields: { thinking: {} } }, 'openai.gpt-oss-120b-1:0'),
  ).toMatch(/extraneous key/);
});

test('encodes event stream messages as documented', () => {
  expect(crc32(Buffer.from('123456789'))).toBe(0xcbf43926);
  const bytes = Buffer.from(eventMessage({ a: 'b' }, '{}'));
  // Total length, header length and their checksum; one header; the payload; the checksum of the message.
  expect(bytes.length).toBe(12 + 6 + 2 + 4);
  expect([bytes.readUInt32BE(0), bytes.readUInt32BE(4), bytes.readUInt32BE(8)]).toEqual([
    24,
    6,
    crc32(bytes.subarray(0, 8)),
  ]);
  expect([...bytes.subarray(12, 18)]).toEqual([1, 97, 7, 0, 1, 98]);
  expect(bytes.readUInt32BE(20)).toBe(crc32(bytes.subarray(0, 20)));
});
