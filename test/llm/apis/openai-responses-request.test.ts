// Requests in the Responses format: the exact body, and histories of any kind that a strict server accepts.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ApiRequest } from '../../../src/contracts/index.ts';
import { repairHistory } from '../../../src/core/context/repair-history.ts';
import { buildRequest } from '../../../src/llm/apis/openai-responses/request.ts';
import { collectSecrets } from '../../../src/llm/http/headers.ts';
import { type AssistantMessage, type ModelMessage, THINKING_LEVELS } from '../../../src/protocol/index.ts';
import { KEY } from '../servers/openai-responses.ts';
import { checkBody } from '../servers/openai-responses-check.ts';
import { type Answer, createSequentialIds, createStream, type Fields } from '../servers/openai-responses-frames.ts';
import { type Issued, recordIssued } from '../servers/openai-responses-items.ts';
import { SERVED } from '../servers/openai-responses-models.ts';
import { createRequest, gpt } from './openai-responses-fixture.ts';
import { readStream } from './openai-responses-reading.ts';
import { assistant, BASH, READ, result, toolCall, user } from './request-samples.ts';

const createIssued = (): Issued => ({ encrypted: new Map(), followers: new Map(), reasons: new Map() });

function buildBody(overrides: Partial<ApiRequest> = {}): Fields {
  return buildRequest(createRequest(overrides.model ?? gpt(), overrides)).body as Fields;
}

function buildItems(...messages: ModelMessage[]): Fields[] {
  return buildBody({ messages }).input as Fields[];
}

const RS = '{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"sealed"}';
const thought = { type: 'thinking' as const, thinking: 'Hm.', thinkingSignature: RS };
const ownReply = (content: AssistantMessage['content'], stopReason: AssistantMessage['stopReason'] = 'stop') =>
  assistant(gpt(), content, { stopReason });

describe('the body', () => {
  test('of a first request', () => {
    expect(buildBody()).toEqual({
      model: 'gpt-5',
      stream: true,
      store: false,
      include: ['reasoning.encrypted_content'],
      prompt_cache_key: 'session',
      reasoning: { effort: 'medium', summary: 'auto' },
      instructions: 'You are a careful engineer.',
      tools: [
        { type: 'function', ...READ, strict: false },
        { type: 'function', ...BASH, strict: false },
      ],
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] }],
    });
    expect(Object.keys(buildBody({ maxTokens: 900 }))).toEqual([
      'model',
      'stream',
      'store',
      'include',
      'prompt_cache_key',
      'max_output_tokens',
      'reasoning',
      'instructions',
      'tools',
      'input',
    ]);
  });

  test('of a conversation, item by item', () => {
    const text = {
      type: 'text' as const,
      text: 'Reading.',
      textSignature: '{"v":1,"id":"msg_1","phase":"commentary"}',
    };
    const answer = ownReply([thought, text, toolCall('call_1|fc_1', 'read', { path: 'ä' })]);
    const last = ownReply([
      { type: 'text', text: 'Done.', textSignature: '{"v":1,"id":"msg_2","phase":"final_answer"}' },
    ]);
    expect(
      buildItems(user('Go'), answer, result('call_1|fc_1', 'A'), last, user([{ type: 'text', text: 'More' }])),
    ).toEqual([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go' }] },
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'sealed' },
      {
        type: 'message',
        role: 'assistant',
        id: 'msg_1',
        phase: 'commentary',
        status: 'completed',
        content: [{ type: 'output_text', text: 'Reading.', annotations: [] }],
      },
      { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'read', arguments: '{"path":"ä"}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'A' },
      { type: 'message', role: 'assistant', phase: 'final_answer', content: 'Done.' },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'More' }] },
    ]);
  });

  test('omits empty fields and respects the limits', () => {
    const minimal = buildBody({ systemPrompt: ' ', tools: [], sessionId: '', model: gpt('gpt-4.1') });
    expect(Object.keys(minimal)).toEqual(['model', 'stream', 'store', 'input']);
    const limited = buildBody({ maxTokens: 1, sessionId: 's'.repeat(100) });
    expect(limited).toMatchObject({ max_output_tokens: 16, prompt_cache_key: 's'.repeat(64) });
  });
});

describe('URL and headers', () => {
  test('a query stays at the end', () => {
    const { url } = buildRequest(createRequest(gpt('gpt-5', { baseUrl: 'https://x.test/v1/?api-version=2' })));
    expect(url).toBe('https://x.test/v1/responses?api-version=2');
  });

  test.each(['https://x.test/v1', 'https://x.test/v1/', 'https://x.test/v1/responses'])('%s', (baseUrl) => {
    expect(buildRequest(createRequest(gpt('gpt-5', { baseUrl }))).url).toBe('https://x.test/v1/responses');
  });

  test('custom headers override the default ones', () => {
    const buildHeaders = (headers: Record<string, string>) => buildRequest(createRequest(gpt(), { headers })).headers;
    expect(buildHeaders({})).toEqual({ authorization: `Bearer ${KEY}` });
    expect(buildHeaders({ Authorization: 'Bearer other' })).toEqual({ authorization: 'Bearer other' });
    expect(buildHeaders({ 'API-Key': 'azure' })).toEqual({ 'api-key': 'azure' });
    expect(buildRequest(createRequest(gpt(), { apiKey: undefined })).headers).toEqual({});
  });

  test('all credentials are secrets', () => {
    const headers = { Authorization: 'Bearer other', 'api-key': 'azure', 'X-Title': 'open' };
    expect(collectSecrets({ apiKey: 'key', headers })).toEqual(['key', 'Bearer other', 'other', 'azure', 'azure']);
    expect(collectSecrets({ apiKey: undefined })).toEqual([]);
  });
});

describe('thinking', () => {
  test.each(Object.keys(SERVED))('%s gets only supported efforts', (id) => {
    for (const thinkingLevel of THINKING_LEVELS)
      checkBody(buildBody({ model: gpt(id), thinkingLevel }), createIssued());
  });

  const cases: [string, string[]][] = [
    ['gpt-5', ['minimal', 'minimal', 'low', 'medium', 'high', 'high']],
    ['openai/gpt-5-mini-2025-08-07', ['minimal', 'minimal', 'low', 'medium', 'high', 'high']],
    ['gpt-5.1', ['none', 'low', 'low', 'medium', 'high', 'high']],
    ['gpt-5.2', ['none', 'low', 'low', 'medium', 'high', 'xhigh']],
    ['gpt-6-sol', ['none', 'low', 'low', 'medium', 'high', 'xhigh']],
    ['gpt-6.1-sol', ['low', 'low', 'low', 'medium', 'high', 'xhigh']],
    ['gpt-6-astra', ['low', 'low', 'low', 'medium', 'high', 'xhigh']],
    ['gpt-5.1-codex-max', ['low', 'low', 'low', 'medium', 'high', 'xhigh']],
    ['gpt-5-pro', ['high', 'high', 'high', 'high', 'high', 'high']],
    ['o4-mini', ['low', 'low', 'low', 'medium', 'high', 'high']],
    ['unknown/model', ['', 'low', 'low', 'medium', 'high', 'high']],
    ['gpt-4.1', ['', '', '', '', '', '']],
  ];
  test.each(cases)('%s: %s', (id, efforts) => {
    const actual = THINKING_LEVELS.map((thinkingLevel) => {
      const { effort = '' } = (buildBody({ model: gpt(id), thinkingLevel }).reasoning ?? {}) as { effort?: string };
      return effort;
    });
    expect(actual).toEqual(efforts);
  });

  test('an unknown model gets the additional levels of its entry', () => {
    const model = gpt('else', { thinkingLevels: ['off', 'minimal', 'xhigh'] });
    expect(buildBody({ model, thinkingLevel: 'minimal' }).reasoning).toEqual({ effort: 'minimal', summary: 'auto' });
    expect(buildBody({ model, thinkingLevel: 'xhigh' }).reasoning).toEqual({ effort: 'xhigh', summary: 'auto' });
  });

  test('off requests no summary', () => {
    expect(buildBody({ thinkingLevel: 'off' }).reasoning).toEqual({ effort: 'minimal' });
  });
});

describe('reasoning and the item after it', () => {
  const buildTypes = (...content: AssistantMessage['content']) =>
    buildItems(user('Go'), ownReply(content))
      .slice(1)
      .map(({ type, id }) => `${type} ${id ?? '-'}`);
  const text = { type: 'text' as const, text: 'A', textSignature: 'msg_1' };
  const plain = { type: 'text' as const, text: 'A' };

  test('are sent together', () => {
    expect(buildTypes(thought, text, toolCall('c|fc_1'))).toEqual([
      'reasoning rs_1',
      'message msg_1',
      'function_call fc_1',
    ]);
  });

  test('reasoning without a following item is omitted', () => {
    expect(buildTypes(thought)).toEqual([]);
    expect(buildTypes(text, thought)).toEqual(['message -']);
    expect(buildTypes(thought, { type: 'text', text: '' })).toEqual([]);
  });

  test('ids without reasoning are omitted', () => {
    expect(buildTypes(text, toolCall('c|fc_1'), thought, toolCall('d|fc_2'))).toEqual([
      'message -',
      'function_call -',
      'reasoning rs_1',
      'function_call fc_2',
    ]);
  });

  test('an item without an id removes its reasoning and the later ids', () => {
    expect(buildTypes(thought, plain, toolCall('c|fc_1'))).toEqual(['message -', 'function_call -']);
    expect(buildTypes(thought, toolCall('c'), text)).toEqual(['function_call -', 'message -']);
  });

  test('missing reasoning removes the ids', () => {
    for (const thinkingSignature of [undefined, '', '{', '7', '{"id":"rs_1"}', RS.replace('rs_1', 'r s')]) {
      expect(buildTypes({ ...thought, thinkingSignature }, text, toolCall('c|fc_1'))).toEqual([
        'message -',
        'function_call -',
      ]);
    }
  });

  test('items before the missing one are kept', () => {
    const unsigned = { ...thought, thinkingSignature: undefined };
    const expected = ['reasoning rs_1', 'message msg_1'];
    expect(buildTypes(thought, text, unsigned, toolCall('c|fc_1'))).toEqual([...expected, 'function_call -']);
    expect(
      buildTypes(
        thought,
        text,
        unsigned,
        { ...thought, thinkingSignature: RS.replace('rs_1', 'rs_2') },
        toolCall('c|fc_1'),
      ),
    ).toEqual([...expected, 'function_call -']);
    expect(buildTypes(thought, unsigned, text)).toEqual(['message -']);
  });

  test('invalid text signatures are not ids', () => {
    for (const textSignature of ['a b', '{', '{"v":1}', '{"v":1,"id":"a b"}', 'x'.repeat(65)]) {
      expect(buildTypes(thought, { ...text, textSignature })).toEqual(['message -']);
    }
    const invalidPhase = { ...text, textSignature: '{"v":1,"id":"msg_1","phase":"other"}' };
    expect(buildItems(user('Go'), ownReply([thought, invalidPhase]))[2]).not.toHaveProperty('phase');
  });

  test('replies that were aborted or come from another model are sent without ids and reasoning', () => {
    for (const message of [
      ownReply([thought, text], 'aborted'),
      ownReply([thought, text], 'error'),
      assistant(gpt('gpt-5.1'), [thought, text]),
      assistant(gpt('gpt-5', { provider: 'azure' }), [thought, text]),
    ]) {
      expect(buildItems(user('Go'), message).slice(1)).toEqual([{ type: 'message', role: 'assistant', content: 'A' }]);
    }
  });
});

describe('results and images', () => {
  const png = { type: 'image' as const, data: 'iVBORw0KGgo=', mimeType: 'image/png' };
  const withImage = (image: Parameters<typeof result>[1]) => buildItems(user(image as never)).at(-1)?.content;

  test('a result is a string unless an image needs a list', () => {
    const texts = [
      { type: 'text' as const, text: 'A' },
      { type: 'text' as const, text: '' },
      { type: 'text' as const, text: 'B' },
    ];
    const buildOutput = (content: Parameters<typeof result>[1], isError = false) =>
      buildItems(user('Go'), ownReply([toolCall('c')]), result('c', content, isError)).at(-1)?.output;
    expect(buildOutput(texts)).toBe('A\nB');
    expect(buildOutput('')).toBe('');
    expect(buildOutput('', true)).toBe('The tool failed without output.');
    expect(buildOutput([...texts, png])).toMatchObject([{ text: 'A' }, { text: 'B' }, { type: 'input_image' }]);
  });

  test('images by URL and by content', () => {
    const createUrlImage = (address: string) => [
      { type: 'image' as const, source: { type: 'url' as const, url: address } },
    ];
    expect(withImage(createUrlImage('https://x.test/a.png'))).toMatchObject([{ image_url: 'https://x.test/a.png' }]);
    expect(withImage(createUrlImage('data:image/jpg;base64,AA=='))).toMatchObject([
      { image_url: 'data:image/jpeg;base64,AA==' },
    ]);
    expect(withImage([{ ...png, mimeType: 'image/jpg' }])).toMatchObject([
      { image_url: 'data:image/jpeg;base64,iVBORw0KGgo=' },
    ]);
  });

  test('unsupported images become notes', () => {
    const createNote = (reason: string) => [{ type: 'input_text', text: `[An image was left out: ${reason}.]` }];
    expect(withImage([{ ...png, mimeType: 'image/tiff' }])).toEqual(createNote('this model does not read image/tiff'));
    expect(withImage([{ ...png, data: '' }])).toEqual(createNote('it is empty'));
    const file = [{ type: 'image' as const, source: { type: 'url' as const, url: 'file:///etc/passwd' } }];
    expect(withImage(file)).toEqual(createNote('only web addresses can be sent to this model'));
  });

  test('an empty message is not sent', () => {
    expect(buildItems(user(''), user([{ type: 'text', text: '' }]), user('x'))).toHaveLength(1);
  });
});

describe('a strict server accepts', () => {
  const part: fc.Arbitrary<Answer['parts'][number]> = fc.oneof(
    fc.constantFrom({ thinking: [] }, { thinking: ['Hm.'] }),
    fc.record({ text: fc.constantFrom('A', '', ' ') }),
    fc.record({ text: fc.constantFrom('A', ''), phase: fc.constantFrom('commentary', 'final_answer') }),
    fc.constant({ call: '', name: 'read', input: { path: 'a' } }),
    fc.constant({ refusal: 'No.' }),
    fc.constant({ search: 'x' }),
  );
  const damage = fc.constantFrom('none', 'aborted', 'unsigned', 'unsealed', 'foreign', 'cut');
  const turn = fc.record({ parts: fc.array(part, { maxLength: 6 }), damage, by: fc.constantFrom('gpt-5', 'gpt-5.1') });

  test('any damaged history', () => {
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 5 }), fc.constantFrom('gpt-5', 'gpt-5.1'), (turns, modelId) => {
        const issued = createIssued();
        const ids = createSequentialIds();
        const messages: ModelMessage[] = [user('Go')];
        for (const [n, { parts, damage, by }] of turns.entries()) {
          const namedParts = parts.map((item, index) =>
            'call' in item ? { ...item, call: `call_${n}_${index}` } : item,
          );
          const { frames, output } = createStream({ parts: namedParts }, ids);
          recordIssued(output, by, issued);
          messages.push(applyDamage(readStream(frames, gpt(by)).message, damage), user('Next'));
        }
        const request = createRequest(gpt(modelId), { messages: repairHistory(messages) });
        const first = JSON.stringify(buildRequest(request).body);
        checkBody(JSON.parse(first) as Fields, issued);
        // Earlier messages stay at the beginning of the next request.
        const next = { ...request, messages: [...request.messages, user('More')] };
        expect(JSON.stringify(buildRequest(next).body).startsWith(first.slice(0, -2))).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  function applyDamage(message: AssistantMessage, damage: string): AssistantMessage {
    const content = message.content.map((block) => {
      if (damage === 'unsigned' && block.type === 'text') return { type: 'text' as const, text: block.text };
      if (damage === 'unsealed' && block.type === 'thinking') return { ...block, thinkingSignature: undefined };
      return block;
    });
    if (damage === 'cut') return { ...message, content: content.slice(0, -1) };
    if (damage === 'aborted') return { ...message, content, stopReason: 'aborted' };
    return damage === 'foreign' ? { ...message, content, provider: 'other', api: 'other' } : { ...message, content };
  }
});
