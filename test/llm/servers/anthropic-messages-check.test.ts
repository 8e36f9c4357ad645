import { expect, test } from 'vitest';
import { buildRequest } from '../../../src/llm/apis/anthropic-messages/request.ts';
import { claude, createRequest } from '../apis/anthropic-fixture.ts';
import { assistant, result, toolCall, user } from '../apis/request-samples.ts';
import { checkBody, checkHeaders } from './anthropic-messages-check.ts';
import type { Fields } from './anthropic-messages-refusal.ts';

interface Body extends Fields {
  system: Fields[];
  tools: Fields[];
  messages: { role: string; content: Fields[] }[];
}

const thinking = { type: 'thinking' as const, thinking: 'Hm.', thinkingSignature: 'c2ln' };
const model = claude('claude-sonnet-4-5');
const messages = [
  user('Go'),
  assistant(model, [thinking, toolCall('a'), toolCall('b')]),
  result('a', 'A'),
  result('b', 'B', true),
  user([{ type: 'image', data: 'AAAA', mimeType: 'image/png' }]),
];

function createValidBody(): Body {
  return structuredClone(buildRequest(createRequest(model, { messages, thinkingLevel: 'low' })).body) as Body;
}

const createIssued = () => new Map([['c2ln', { thinking: 'Hm.', prefix: '' }]]);
const content = (body: Body, index: number) => body.messages[index]!.content;

test('a valid request is accepted', () => {
  expect(() => checkBody(createValidBody(), [], createIssued())).not.toThrow();
});

test.each<[string, (body: Body) => unknown, RegExp]>([
  ['an unknown field', (b) => Object.assign(b, { top_p: 1 }), /^top_p: Extra inputs/],
  ['an unknown model', (b) => Object.assign(b, { model: 'x' }), /^model: x/],
  ['too many tokens', (b) => Object.assign(b, { max_tokens: 99_999 }), /99999 > 64000/],
  ['no messages', (b) => b.messages.splice(0), /at least one message/],
  ['an assistant message first', (b) => b.messages.shift(), /first message must use/],
  ['two messages of one role', (b) => b.messages.splice(1, 0, b.messages[0]!), /roles must alternate/],
  ['an assistant message last', (b) => b.messages.pop(), /prefill/],
  ['empty text', (b) => Object.assign(content(b, 0)[0]!, { text: '' }), /must be non-empty/],
  ['blank text', (b) => Object.assign(content(b, 0)[0]!, { text: ' \n' }), /non-whitespace/],
  [
    'an unknown field in a block',
    (b) => Object.assign(content(b, 0)[0]!, { signature: '' }),
    /messages.0.content.0.text.signature/,
  ],
  [
    'a call without its result',
    (b) => content(b, 2).splice(1, 1),
    /without `tool_result` blocks immediately after: b\./,
  ],
  ['a result without its call', (b) => content(b, 1).splice(2, 1), /unexpected `tool_use_id` found.*: b\./],
  ['text before the results', (b) => content(b, 2).unshift({ type: 'text', text: 'x' }), /immediately after: b\./],
  ['two results for one call', (b) => content(b, 2).push(content(b, 2)[0]!), /single result/],
  ['a bad id', (b) => Object.assign(content(b, 1)[1]!, { id: 'a|b' }), /should match pattern/],
  ['a duplicate id', (b) => Object.assign(content(b, 1)[2]!, { id: 'a' }), /must be unique/],
  ['an error result without content', (b) => delete content(b, 2)[1]!.content, /cannot be empty if `is_error`/],
  [
    'an unsupported image type',
    (b) => Object.assign(content(b, 2)[2]!.source as Fields, { media_type: 'image/bmp' }),
    /media_type/,
  ],
  [
    'an altered signature',
    (b) => Object.assign(content(b, 1)[0]!, { signature: 'x' }),
    /messages.1.content.0: Invalid `signature`/,
  ],
  ['altered thinking', (b) => Object.assign(content(b, 1)[0]!, { thinking: 'x' }), /Invalid `signature`/],
  [
    'thinking left out of the turn',
    (b) => content(b, 1).shift(),
    /Expected `thinking` or `redacted_thinking`, but found `tool_use`/,
  ],
  [
    'a budget over the limit',
    (b) => Object.assign(b, { max_tokens: 2000 }),
    /must be greater than `thinking.budget_tokens`/,
  ],
  ['a small budget', (b) => Object.assign(b.thinking as Fields, { budget_tokens: 5 }), /greater than or equal to 1024/],
  [
    'adaptive thinking',
    (b) => Object.assign(b, { thinking: { type: 'adaptive' } }),
    /"thinking.type.adaptive" is not supported/,
  ],
  ['an effort', (b) => Object.assign(b, { output_config: { effort: 'low' } }), /does not support the effort/],
  [
    'a fifth cache marker',
    (b) => Object.assign(content(b, 2)[0]!, { cache_control: { type: 'ephemeral' } }),
    /maximum of 4 blocks/,
  ],
  [
    'a cache marker on thinking',
    (b) => Object.assign(content(b, 1)[0]!, { cache_control: {} }),
    /thinking.cache_control: Extra/,
  ],
  ['two tools with the same name', (b) => b.tools.push(b.tools[0]!), /names must be unique/],
  ['a tool without a schema', (b) => delete b.tools[0]!.input_schema, /input_schema.type: Field required/],
  ['an empty system prompt', (b) => Object.assign(b.system[0]!, { text: '' }), /^system: text content blocks/],
])('rejects %s', (_name, mutate, message) => {
  const body = createValidBody();
  mutate(body);
  expect(() => checkBody(body, [], createIssued())).toThrow(message);
});

test('rejects thinking from another conversation, unless the request allows dropping it', () => {
  const bound = buildRequest(
    createRequest(claude('claude-opus-5-5'), {
      messages: messages.with(1, assistant(claude('claude-opus-5-5'), [thinking, toolCall('a'), toolCall('b')])),
      thinkingLevel: 'low',
    }),
  );
  const body = bound.body as Body;
  const betas = ['thinking-binding-controls-2026-08-01'];
  expect(() => checkBody(body, betas, createIssued())).not.toThrow();
  expect(() => checkBody(body, [], createIssued())).toThrow(/block_binding: Extra inputs/);
  expect(() => checkBody({ ...body, thinking: { type: 'adaptive' } }, betas, createIssued())).toThrow(
    /bound to a different conversation/,
  );
});

test.each<[string, Record<string, string>, RegExp]>([
  ['no version', { 'x-api-key': 'k' }, /anthropic-version/],
  ['no key', { 'anthropic-version': '2023-06-01' }, /x-api-key header is required/],
  ['a wrong key', { 'anthropic-version': '2023-06-01', 'x-api-key': 'x' }, /invalid x-api-key/],
  ['a token without its beta', { 'anthropic-version': '2023-06-01', authorization: 'Bearer k' }, /OAuth/],
  [
    'an unknown beta',
    { 'anthropic-version': '2023-06-01', 'x-api-key': 'k', 'anthropic-beta': 'x' },
    /Unexpected value/,
  ],
])('rejects headers: %s', (_name, headers, message) => {
  expect(() => checkHeaders(headers, ['k'])).toThrow(message);
});
