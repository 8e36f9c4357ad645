import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildRequest } from '../../../src/llm/apis/anthropic-messages/request.ts';
import { normalizeCallId } from '../../../src/llm/call-id.ts';
import { KEY, OAUTH_TOKEN } from '../servers/anthropic-messages.ts';
import type { Fields } from '../servers/anthropic-messages-refusal.ts';
import { claude, createRequest } from './anthropic-fixture.ts';
import { assistant, BASH, READ, result, toolCall, user } from './request-samples.ts';

const CACHED = { cache_control: { type: 'ephemeral' } };
const model = claude('claude-sonnet-4-5');
const PNG = { type: 'image' as const, data: 'iVBORw0KGgo=', mimeType: 'image/png' };

const buildBody = (...args: Parameters<typeof createRequest>) => buildRequest(createRequest(...args)).body as Fields;
const buildMessages = (...args: Parameters<typeof createRequest>) =>
  buildBody(...args).messages as { role: string; content: Fields[] }[];

describe('the URL', () => {
  test.each([
    ['https://api.anthropic.com', 'https://api.anthropic.com/v1/messages'],
    ['https://api.anthropic.com/', 'https://api.anthropic.com/v1/messages'],
    ['https://api.anthropic.com/v1', 'https://api.anthropic.com/v1/messages'],
    ['https://gate.test/anthropic/v1/', 'https://gate.test/anthropic/v1/messages'],
    ['https://gate.test/v1/messages', 'https://gate.test/v1/messages'],
    ['https://x.test/v1?code=abc', 'https://x.test/v1/messages?code=abc'],
  ])('%s', (baseUrl, url) => {
    expect(buildRequest(createRequest(claude('x', { baseUrl }))).url).toBe(url);
  });
});

describe('the headers', () => {
  const buildHeaders = (...args: Parameters<typeof createRequest>) => buildRequest(createRequest(...args)).headers;

  test('contain the key and the version, and no unneeded beta', () => {
    expect(buildHeaders(model)).toEqual({ 'anthropic-version': '2023-06-01', 'x-api-key': KEY });
  });

  test('an OAuth token is sent as bearer token', () => {
    expect(buildHeaders(model, { apiKey: OAUTH_TOKEN })).toEqual({
      'anthropic-version': '2023-06-01',
      authorization: `Bearer ${OAUTH_TOKEN}`,
      'anthropic-beta': 'oauth-2025-04-20',
    });
  });

  test('custom headers win in any case, and betas are merged', () => {
    const headers = {
      Authorization: 'Bearer mine',
      'Anthropic-Beta': 'context-1m-2025-08-07, oauth-2025-04-20',
      'X-Team': 'a',
    };
    expect(buildHeaders(model, { headers, thinkingLevel: 'low' })).toEqual({
      'anthropic-version': '2023-06-01',
      authorization: 'Bearer mine',
      'x-team': 'a',
      'anthropic-beta': 'context-1m-2025-08-07,oauth-2025-04-20,interleaved-thinking-2025-05-14',
    });
  });

  test('without a key there is no auth header', () => {
    expect(buildHeaders(model, { apiKey: undefined })).toEqual({ 'anthropic-version': '2023-06-01' });
  });

  test('all credentials are secrets', () => {
    const headers = { Authorization: 'Bearer mine', 'X-Goog-Api-Key': 'goog', 'X-Team': 'a' };
    expect(buildRequest(createRequest(model, { headers })).secrets).toEqual([
      KEY,
      'Bearer mine',
      'mine',
      'goog',
      'goog',
    ]);
  });
});

describe('the body', () => {
  test('of a first request', () => {
    expect(buildBody(model)).toEqual({
      model: 'claude-sonnet-4-5',
      max_tokens: 32_000,
      stream: true,
      system: [{ type: 'text', text: 'You are a careful engineer.', ...CACHED }],
      tools: [
        { name: 'read', description: 'Read a file.', input_schema: READ.parameters },
        { name: 'bash', description: 'Run a command.', input_schema: BASH.parameters, ...CACHED },
      ],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello', ...CACHED }] }],
    });
  });

  test('omits an empty system prompt and an empty list of tools', () => {
    expect(Object.keys(buildBody(model, { systemPrompt: ' \n', tools: [] }))).toEqual([
      'model',
      'max_tokens',
      'stream',
      'messages',
    ]);
  });

  test('limits the tokens to those of the model and the request', () => {
    expect(buildBody(model, { maxTokens: 500 }).max_tokens).toBe(500);
    expect(buildBody(model, { maxTokens: 5_000_000 }).max_tokens).toBe(32_000);
  });

  test('of a conversation with all kinds of content', () => {
    const messages = [
      user([{ type: 'text', text: 'What is this?' }, PNG]),
      assistant(model, [
        { type: 'thinking', thinking: 'Hm.', thinkingSignature: 'c2ln' },
        { type: 'thinking', thinking: '', thinkingSignature: 'aGlk', redacted: true },
        { type: 'thinking', thinking: 'unsigned' },
        { type: 'text', text: ' ' },
        { type: 'text', text: 'I look.' },
        toolCall('toolu_1'),
        toolCall('toolu_2', 'bash', { command: 'ls' }),
      ]),
      result('toolu_1', [{ type: 'text', text: '' }, { type: 'text', text: 'An image:' }, PNG]),
      result('toolu_2', 'no such file', true),
      user('Stop that'),
      user([
        { type: 'text', text: 'and ' },
        { type: 'text', text: '  ' },
        { type: 'text', text: 'go on' },
      ]),
    ];
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } };
    expect(buildMessages(model, { messages, thinkingLevel: 'low' })).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { ...image, ...CACHED },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
          { type: 'redacted_thinking', data: 'aGlk' },
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', id: 'toolu_1', name: 'read', input: { path: 'a' } },
          { type: 'tool_use', id: 'toolu_2', name: 'bash', input: { command: 'ls' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'An image:' }, image] },
          {
            type: 'tool_result',
            tool_use_id: 'toolu_2',
            content: [{ type: 'text', text: 'no such file' }],
            is_error: true,
          },
          { type: 'text', text: 'Stop that' },
          { type: 'text', text: 'and ' },
          { type: 'text', text: 'go on', ...CACHED },
        ],
      },
    ]);
  });

  test('tool results come first and in the order of their calls', () => {
    const messages = [
      user('Go'),
      assistant(model, [toolCall('a'), toolCall('b')]),
      user('Wait'),
      result('b', 'B'),
      result('a', 'A'),
    ];
    expect(buildMessages(model, { messages })[2]?.content.map((block) => block.tool_use_id ?? block.text)).toEqual([
      'a',
      'b',
      'Wait',
    ]);
  });

  test('a result may be empty, an error result may not', () => {
    const messages = [
      user('Go'),
      assistant(model, [toolCall('a'), toolCall('b')]),
      result('a', ' '),
      result('b', [], true),
    ];
    expect(buildMessages(model, { messages })[2]?.content).toEqual([
      { type: 'tool_result', tool_use_id: 'a' },
      {
        type: 'tool_result',
        tool_use_id: 'b',
        content: [{ type: 'text', text: 'The tool failed without output.' }],
        is_error: true,
        ...CACHED,
      },
    ]);
  });

  test.each([
    [
      { ...PNG, mimeType: 'image/JPG' },
      { type: 'base64', media_type: 'image/jpeg', data: PNG.data },
    ],
    [urlImage('https://x.test/a.png'), { type: 'url', url: 'https://x.test/a.png' }],
    [urlImage('data:image/webp;base64,UklGRg=='), { type: 'base64', media_type: 'image/webp', data: 'UklGRg==' }],
  ])('converts images: %j', (image, source) => {
    expect(buildMessages(model, { messages: [user([image])] })[0]?.content).toEqual([
      { type: 'image', source, ...CACHED },
    ]);
  });

  test.each([
    [{ ...PNG, mimeType: 'image/bmp' }, 'this model does not read image/bmp'],
    [{ ...PNG, data: '' }, 'it is empty'],
    [urlImage('http://x.test/a.png'), 'only https addresses can be sent to this model'],
  ])('an unsupported image becomes a note: %j', (image, reason) => {
    expect(buildMessages(model, { messages: [user([image])] })[0]?.content).toMatchObject([
      { text: `[An image was left out: ${reason}.]` },
    ]);
  });

  test('images become notes for a model without vision', () => {
    const textOnly = claude('claude-sonnet-4-5', { input: ['text'] });
    const [first] = buildMessages(textOnly, { messages: [user([PNG])] });
    expect(first?.content).toMatchObject([{ type: 'text', text: expect.stringContaining('cannot see images') }]);
  });
});

describe('cache markers', () => {
  test('are on the last two user messages, four in total, and never on thinking', () => {
    const turns = Array.from({ length: 4 }, (_, n) => [
      assistant(model, [{ type: 'thinking', thinking: 't', thinkingSignature: 's' }, toolCall(`c${n}`)]),
      result(`c${n}`, `R${n}`),
    ]).flat();
    const body = buildBody(model, { messages: [user('Go'), ...turns], thinkingLevel: 'low' });
    const marked = (body.messages as { content: Fields[] }[]).map(({ content }) =>
      content.map((b) => 'cache_control' in b),
    );
    expect(marked.flatMap((marks, index) => (marks.includes(true) ? [index] : []))).toEqual([6, 8]);
    expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(4);
  });
});

describe('tool-call ids', () => {
  test('valid ids are not changed', () => {
    expect(normalizeCallId('toolu_01A-b')).toBe('toolu_01A-b');
    expect(normalizeCallId('x'.repeat(64))).toBe('x'.repeat(64));
  });

  test('invalid ids become valid, deterministic and distinct', () => {
    const id = fc.string({ unit: fc.constantFrom('a', '_', '|', '.', 'é', '😀', ' '), maxLength: 90 });
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.oneof(id, fc.string({ minLength: 60, maxLength: 200 })), { maxLength: 50 }),
        (ids) => {
          const mapped = ids.map(normalizeCallId);
          for (const id of mapped) expect(id).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
          expect(mapped).toEqual(ids.map(normalizeCallId));
          expect(new Set(mapped).size).toBe(ids.length);
        },
      ),
    );
  });

  test('a call and its result get the same id', () => {
    const messages = [user('Go'), assistant(claude('other'), [toolCall('call_1|fc_2')]), result('call_1|fc_2', 'x')];
    const [, answer, results] = buildMessages(model, { messages });
    expect(answer?.content[0]?.id).toBe(results?.content[0]?.tool_use_id);
  });
});

function urlImage(url: string) {
  return { type: 'image' as const, source: { type: 'url' as const, url } };
}
