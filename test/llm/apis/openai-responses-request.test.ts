// Requests in the Responses format: the exact body, and that a strict provider accepts whatever a session has been through.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ApiRequest } from '../../../src/contracts/index.ts';
import { repair } from '../../../src/core/context/repair.ts';
import { call } from '../../../src/llm/apis/openai-responses/request.ts';
import { secretsOf } from '../../../src/llm/http/headers.ts';
import { type AssistantMessage, type ModelMessage, THINKING_LEVELS } from '../../../src/protocol/index.ts';
import { KEY } from '../servers/openai-responses.ts';
import { checkBody } from '../servers/openai-responses-check.ts';
import { type Answer, counting, type Fields, streamOf } from '../servers/openai-responses-frames.ts';
import { type Issued, remember } from '../servers/openai-responses-items.ts';
import { SERVED } from '../servers/openai-responses-models.ts';
import { readStream } from './openai-responses-reading.ts';
import { BASH, called, gpt, READ, requestFor, result, said, user } from './openai-responses-stage.ts';

const nobody = (): Issued => ({ seals: new Map(), followers: new Map(), reasons: new Map() });

function bodyOf(other: Partial<ApiRequest> = {}): Fields {
  return call(requestFor(other.model ?? gpt(), other)).body as Fields;
}

function itemsFor(...messages: ModelMessage[]): Fields[] {
  return bodyOf({ messages }).input as Fields[];
}

const RS = '{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"sealed"}';
const thought = { type: 'thinking' as const, thinking: 'Hm.', thinkingSignature: RS };
const own = (content: AssistantMessage['content'], stop?: AssistantMessage['stopReason']) => said(gpt(), content, stop);

describe('the body', () => {
  test('of a first question', () => {
    expect(bodyOf()).toEqual({
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
    expect(Object.keys(bodyOf({ maxTokens: 900 }))).toEqual([
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
    const answer = own([thought, text, called('call_1|fc_1', 'read', { path: 'ä' })]);
    const last = own([{ type: 'text', text: 'Done.', textSignature: '{"v":1,"id":"msg_2","phase":"final_answer"}' }]);
    expect(
      itemsFor(user('Go'), answer, result('call_1|fc_1', 'A'), last, user([{ type: 'text', text: 'More' }])),
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

  test('leaves out what is not there, and keeps to the limits', () => {
    const bare = bodyOf({ systemPrompt: ' ', tools: [], sessionId: '', model: gpt('gpt-4.1') });
    expect(Object.keys(bare)).toEqual(['model', 'stream', 'store', 'input']);
    const tight = bodyOf({ maxTokens: 1, sessionId: 's'.repeat(100) });
    expect(tight).toMatchObject({ max_output_tokens: 16, prompt_cache_key: 's'.repeat(64) });
  });
});

describe('the way there', () => {
  test('a query stays at the end', () => {
    const { url } = call(requestFor(gpt('gpt-5', { baseUrl: 'https://x.test/v1/?api-version=2' })));
    expect(url).toBe('https://x.test/v1/responses?api-version=2');
  });

  test.each(['https://x.test/v1', 'https://x.test/v1/', 'https://x.test/v1/responses'])('%s', (baseUrl) => {
    expect(call(requestFor(gpt('gpt-5', { baseUrl }))).url).toBe('https://x.test/v1/responses');
  });

  test('given headers come before our own', () => {
    const headersWith = (headers: Record<string, string>) => call(requestFor(gpt(), { headers })).headers;
    expect(headersWith({})).toEqual({ authorization: `Bearer ${KEY}` });
    expect(headersWith({ Authorization: 'Bearer other' })).toEqual({ authorization: 'Bearer other' });
    expect(headersWith({ 'API-Key': 'azure' })).toEqual({ 'api-key': 'azure' });
    expect(call(requestFor(gpt(), { apiKey: undefined })).headers).toEqual({});
  });

  test('everything that opens a door is secret', () => {
    const headers = { Authorization: 'Bearer other', 'api-key': 'azure', 'X-Title': 'open' };
    expect(secretsOf({ apiKey: 'key', headers })).toEqual(['key', 'Bearer other', 'other', 'azure', 'azure']);
    expect(secretsOf({ apiKey: undefined })).toEqual([]);
  });
});

describe('thinking', () => {
  test.each(Object.keys(SERVED))('%s is asked only for what it has', (id) => {
    for (const thinkingLevel of THINKING_LEVELS) checkBody(bodyOf({ model: gpt(id), thinkingLevel }), nobody());
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
    ['somebody/else', ['', 'low', 'low', 'medium', 'high', 'high']],
    ['gpt-4.1', ['', '', '', '', '', '']],
  ];
  test.each(cases)('%s: %s', (id, efforts) => {
    const asked = THINKING_LEVELS.map((thinkingLevel) => {
      const { effort = '' } = (bodyOf({ model: gpt(id), thinkingLevel }).reasoning ?? {}) as { effort?: string };
      return effort;
    });
    expect(asked).toEqual(efforts);
  });

  test('an unknown model is trusted where its entry says more', () => {
    const model = gpt('else', { thinkingLevels: ['off', 'minimal', 'xhigh'] });
    expect(bodyOf({ model, thinkingLevel: 'minimal' }).reasoning).toEqual({ effort: 'minimal', summary: 'auto' });
    expect(bodyOf({ model, thinkingLevel: 'xhigh' }).reasoning).toEqual({ effort: 'xhigh', summary: 'auto' });
  });

  test('off shows no summary', () => {
    expect(bodyOf({ thinkingLevel: 'off' }).reasoning).toEqual({ effort: 'minimal' });
  });
});

describe('reasoning and the item after it', () => {
  const types = (...content: AssistantMessage['content']) =>
    itemsFor(user('Go'), own(content))
      .slice(1)
      .map(({ type, id }) => `${type} ${id ?? '-'}`);
  const text = { type: 'text' as const, text: 'A', textSignature: 'msg_1' };
  const plain = { type: 'text' as const, text: 'A' };

  test('stand together', () => {
    expect(types(thought, text, called('c|fc_1'))).toEqual(['reasoning rs_1', 'message msg_1', 'function_call fc_1']);
  });

  test('lonely reasoning is left out', () => {
    expect(types(thought)).toEqual([]);
    expect(types(text, thought)).toEqual(['message -']);
    expect(types(thought, { type: 'text', text: '' })).toEqual([]);
  });

  test('ids without reasoning are left out: it may have been lost', () => {
    expect(types(text, called('c|fc_1'), thought, called('d|fc_2'))).toEqual([
      'message -',
      'function_call -',
      'reasoning rs_1',
      'function_call fc_2',
    ]);
  });

  test('an item without its id takes the reasoning with it, and the ids after it', () => {
    expect(types(thought, plain, called('c|fc_1'))).toEqual(['message -', 'function_call -']);
    expect(types(thought, called('c'), text)).toEqual(['function_call -', 'message -']);
  });

  test('reasoning that is lost takes the ids with it', () => {
    for (const thinkingSignature of [undefined, '', '{', '7', '{"id":"rs_1"}', RS.replace('rs_1', 'r s')]) {
      expect(types({ ...thought, thinkingSignature }, text, called('c|fc_1'))).toEqual([
        'message -',
        'function_call -',
      ]);
    }
  });

  test('whatever stood before the loss is kept', () => {
    const lost = { ...thought, thinkingSignature: undefined };
    const before = ['reasoning rs_1', 'message msg_1'];
    expect(types(thought, text, lost, called('c|fc_1'))).toEqual([...before, 'function_call -']);
    expect(
      types(thought, text, lost, { ...thought, thinkingSignature: RS.replace('rs_1', 'rs_2') }, called('c|fc_1')),
    ).toEqual([...before, 'function_call -']);
    expect(types(thought, lost, text)).toEqual(['message -']);
  });

  test('strange signatures of texts are no ids', () => {
    for (const textSignature of ['a b', '{', '{"v":1}', '{"v":1,"id":"a b"}', 'x'.repeat(65)]) {
      expect(types(thought, { ...text, textSignature })).toEqual(['message -']);
    }
    const odd = { ...text, textSignature: '{"v":1,"id":"msg_1","phase":"other"}' };
    expect(itemsFor(user('Go'), own([thought, odd]))[2]).not.toHaveProperty('phase');
  });

  test('nothing of an answer that was stopped, or of another model, is known to the provider', () => {
    for (const message of [
      own([thought, text], 'aborted'),
      own([thought, text], 'error'),
      said(gpt('gpt-5.1'), [thought, text]),
      said(gpt('gpt-5', { provider: 'azure' }), [thought, text]),
    ]) {
      expect(itemsFor(user('Go'), message).slice(1)).toEqual([{ type: 'message', role: 'assistant', content: 'A' }]);
    }
  });
});

describe('results and images', () => {
  const png = { type: 'image' as const, data: 'iVBORw0KGgo=', mimeType: 'image/png' };
  const withImage = (image: Parameters<typeof result>[1]) => itemsFor(user(image as never)).at(-1)?.content;

  test('a result is a string unless an image needs a list', () => {
    const texts = [
      { type: 'text' as const, text: 'A' },
      { type: 'text' as const, text: '' },
      { type: 'text' as const, text: 'B' },
    ];
    const outputs = (content: Parameters<typeof result>[1], isError = false) =>
      itemsFor(user('Go'), own([called('c')]), result('c', content, isError)).at(-1)?.output;
    expect(outputs(texts)).toBe('A\nB');
    expect(outputs('')).toBe('');
    expect(outputs('', true)).toBe('The tool failed and said nothing.');
    expect(outputs([...texts, png])).toMatchObject([{ text: 'A' }, { text: 'B' }, { type: 'input_image' }]);
  });

  test('images by address and by content', () => {
    const url = (address: string) => [{ type: 'image' as const, source: { type: 'url' as const, url: address } }];
    expect(withImage(url('https://x.test/a.png'))).toMatchObject([{ image_url: 'https://x.test/a.png' }]);
    expect(withImage(url('data:image/jpg;base64,AA=='))).toMatchObject([{ image_url: 'data:image/jpeg;base64,AA==' }]);
    expect(withImage([{ ...png, mimeType: 'image/jpg' }])).toMatchObject([
      { image_url: 'data:image/jpeg;base64,iVBORw0KGgo=' },
    ]);
  });

  test('what cannot be sent becomes a note', () => {
    const note = (why: string) => [{ type: 'input_text', text: `[An image was left out: ${why}.]` }];
    expect(withImage([{ ...png, mimeType: 'image/tiff' }])).toEqual(note('this model does not read image/tiff'));
    expect(withImage([{ ...png, data: '' }])).toEqual(note('it is empty'));
    const file = [{ type: 'image' as const, source: { type: 'url' as const, url: 'file:///etc/passwd' } }];
    expect(withImage(file)).toEqual(note('only web addresses can be sent to this model'));
  });

  test('a question without words is not sent', () => {
    expect(itemsFor(user(''), user([{ type: 'text', text: '' }]), user('x'))).toHaveLength(1);
  });
});

describe('a strict provider accepts', () => {
  const part: fc.Arbitrary<Answer['parts'][number]> = fc.oneof(
    fc.constantFrom({ thinking: [] }, { thinking: ['Hm.'] }),
    fc.record({ text: fc.constantFrom('A', '', ' ') }),
    fc.record({ text: fc.constantFrom('A', ''), phase: fc.constantFrom('commentary', 'final_answer') }),
    fc.constant({ call: '', name: 'read', input: { path: 'a' } }),
    fc.constant({ refusal: 'No.' }),
    fc.constant({ search: 'x' }),
  );
  const harm = fc.constantFrom('none', 'aborted', 'unsigned', 'unsealed', 'foreign', 'cut');
  const turn = fc.record({ parts: fc.array(part, { maxLength: 6 }), harm, by: fc.constantFrom('gpt-5', 'gpt-5.1') });

  test('whatever a session has been through', () => {
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 5 }), fc.constantFrom('gpt-5', 'gpt-5.1'), (turns, now) => {
        const issued = nobody();
        const maker = counting();
        const messages: ModelMessage[] = [user('Go')];
        for (const [n, { parts, harm: damage, by }] of turns.entries()) {
          const named = parts.map((one, at) => ('call' in one ? { ...one, call: `call_${n}_${at}` } : one));
          const { frames, output } = streamOf({ parts: named }, maker);
          remember(output, by, issued);
          messages.push(harmed(readStream(frames, gpt(by)).message, damage), user('Next'));
        }
        const request = requestFor(gpt(now), { messages: repair(messages) });
        const first = JSON.stringify(call(request).body);
        checkBody(JSON.parse(first) as Fields, issued);
        // And what was sent stays at the beginning of what is sent next.
        const next = { ...request, messages: [...request.messages, user('More')] };
        expect(JSON.stringify(call(next).body).startsWith(first.slice(0, -2))).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  function harmed(message: AssistantMessage, damage: string): AssistantMessage {
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
