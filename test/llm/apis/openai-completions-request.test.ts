// What Chat Completions hosts are sent: the body to the letter, and what each host's ways change in it. Pure.
import { describe, expect, test } from 'vitest';
import type { ApiRequest } from '../../../src/contracts/index.ts';
import { call } from '../../../src/llm/apis/openai-completions/request.ts';
import type { Model, ThinkingLevel } from '../../../src/protocol/index.ts';
import { called, modelOf, READ, requestFor, result, said, user } from './openai-completions-stage.ts';

type Fields = Record<string, unknown>;

const PNG = { type: 'image' as const, data: 'iVBORw0KGgo=', mimeType: 'image/png' };
const PNG_PART = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };

function body(model: Partial<Model>, other: Partial<ApiRequest> = {}): Fields {
  return call(requestFor(modelOf(model), other)).body as Fields;
}

function messages(model: Partial<Model>, given: ApiRequest['messages'], other: Partial<ApiRequest> = {}): Fields[] {
  return (body(model, { messages: given, systemPrompt: '', ...other }) as { messages: Fields[] }).messages;
}

const own = modelOf();
const turn = [user('Hello'), said(own, [called('call_A')]), result('call_A', 'found')];

describe('the body', () => {
  test('of a whole conversation', () => {
    const given = [
      user([{ type: 'text', text: 'Look' }, PNG]),
      said(own, [{ type: 'text', text: 'I look.' }, called('call_A'), called('call_B', { path: 'b' })]),
      result('call_A', 'found'),
      result('call_B', [{ type: 'text', text: 'a picture' }, PNG]),
      said(own, [{ type: 'text', text: 'Done.' }]),
      user('Thanks'),
    ];
    expect(body({}, { messages: given })).toEqual({
      model: 'loop-1',
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 16_000,
      tools: [
        { type: 'function', function: READ },
        {
          type: 'function',
          function: { name: 'bash', description: 'Run a command.', parameters: { type: 'object', properties: {} } },
        },
      ],
      messages: [
        { role: 'system', content: 'You are a careful engineer.' },
        { role: 'user', content: [{ type: 'text', text: 'Look' }, PNG_PART] },
        {
          role: 'assistant',
          content: 'I look.',
          tool_calls: [
            { id: 'call_A', type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } },
            { id: 'call_B', type: 'function', function: { name: 'read', arguments: '{"path":"b"}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'call_A', content: 'found' },
        { role: 'tool', tool_call_id: 'call_B', content: 'a picture' },
        { role: 'user', content: [{ type: 'text', text: 'Shown by read (call_B):' }, PNG_PART] },
        { role: 'assistant', content: 'Done.' },
        { role: 'user', content: 'Thanks' },
      ],
    });
  });

  test.each(['loop', 'mistral', 'deepseek', 'groq', 'openai', 'minimax', 'zai'])(
    'grows only at its end (%s)',
    (provider) => {
      const host = modelOf({ provider, reasoning: true });
      const given = [
        ...turn,
        said(host, [{ type: 'thinking', thinking: 'Hm', thinkingSignature: 'reasoning_content' }, called('call_C')]),
        result('call_C', [PNG]),
        user('Steer'),
        said(host, [{ type: 'text', text: 'So.' }]),
        user('Go on'),
      ];
      const sent = [1, 3, 6, 8].map((length) => {
        const { messages: list, tools } = body(host, { messages: given.slice(0, length), thinkingLevel: 'high' });
        return JSON.stringify({ tools, messages: list });
      });
      for (const [index, text] of sent.slice(1).entries()) {
        const before = sent[index]!.slice(0, -2);
        expect(text.slice(0, before.length)).toBe(before);
      }
    },
  );

  test('has what is not there left out', () => {
    expect(body({}, { tools: [], systemPrompt: ' ' })).toEqual({
      model: 'loop-1',
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 16_000,
      messages: [{ role: 'user', content: 'Hello' }],
    });
  });

  test.each([
    ['https://h.test/v1', 'https://h.test/v1/chat/completions'],
    ['https://h.test/v1/', 'https://h.test/v1/chat/completions'],
    ['https://h.test/v1/chat/completions', 'https://h.test/v1/chat/completions'],
    ['https://h.test/x?api-version=1', 'https://h.test/x/chat/completions?api-version=1'],
  ])('goes from %s to %s', (baseUrl, url) => {
    expect(call(requestFor(modelOf({ baseUrl }))).url).toBe(url);
  });
});

describe('headers', () => {
  const headers = (other: Partial<ApiRequest>, provider = 'loop') =>
    call(requestFor(modelOf({ provider }), other)).headers;

  test('bear the key, or none, or the one that was given', () => {
    expect(headers({})).toEqual({ authorization: 'Bearer sk-loopback-key-1234' });
    expect(headers({ apiKey: undefined })).toEqual({});
    expect(headers({ headers: { Authorization: 'Basic abcd1234' } })).toEqual({ authorization: 'Basic abcd1234' });
  });

  test('bring a session to the machine that knows it', () => {
    expect(headers({}, 'xai')).toHaveProperty('x-grok-conv-id', 'session-1');
    expect(headers({}, 'fireworks')).toHaveProperty('x-session-affinity', 'session-1');
  });

  test('say to Copilot who asks, and whether there is something to see', () => {
    const told = (given: ApiRequest['messages']) =>
      call(requestFor(modelOf({ provider: 'github-copilot' }), { messages: given })).headers;
    expect(told([user('Hello')])).toMatchObject({ 'x-initiator': 'user' });
    expect(told([user('Hello')])).not.toHaveProperty('copilot-vision-request');
    expect(told(turn)).toMatchObject({ 'x-initiator': 'agent' });
    expect(told([user([PNG])])).toMatchObject({ 'x-initiator': 'user', 'copilot-vision-request': 'true' });
  });

  test('and keys are secrets', () => {
    const { secrets } = call(
      requestFor(own, { headers: { 'X-Api-Key': 'abcd', Authorization: 'Bearer efgh', 'x-title': 't' } }),
    );
    expect(secrets).toEqual(['sk-loopback-key-1234', 'abcd', 'abcd', 'Bearer efgh', 'efgh']);
  });
});

describe('thinking', () => {
  const asked = (provider: string, thinkingLevel: ThinkingLevel, other: Partial<Model> = {}) => {
    const { reasoning_effort, reasoning, thinking, enable_thinking, chat_template_kwargs } = body(
      { provider, reasoning: true, ...other },
      { thinkingLevel },
    );
    return { reasoning_effort, reasoning, thinking, enable_thinking, chat_template_kwargs };
  };

  test.each([
    ['loop', 'minimal', { reasoning_effort: 'low' }],
    ['loop', 'medium', { reasoning_effort: 'medium' }],
    ['loop', 'xhigh', { reasoning_effort: 'high' }],
    ['loop', 'off', {}],
    ['ollama', 'off', { reasoning_effort: 'none' }],
    ['openrouter', 'xhigh', { reasoning: { effort: 'xhigh' } }],
    ['openrouter', 'off', {}],
    ['deepseek', 'minimal', { thinking: { type: 'enabled' }, reasoning_effort: 'low' }],
    ['deepseek', 'xhigh', { thinking: { type: 'enabled' }, reasoning_effort: 'max' }],
    ['deepseek', 'off', { thinking: { type: 'disabled' } }],
    ['zai', 'low', { thinking: { type: 'enabled', clear_thinking: false } }],
    ['moonshot', 'high', { thinking: { type: 'enabled' } }],
    ['together', 'high', { reasoning: { enabled: true }, reasoning_effort: 'high' }],
    ['mistral', 'low', { reasoning_effort: 'high' }],
    ['xai', 'high', {}],
  ] as const)('%s, %s', (provider, level, expected) => {
    expect(asked(provider, level)).toEqual(expected);
  });

  test.each([
    ['off', 'low'],
    ['minimal', 'low'],
    ['low', 'low'],
    ['medium', 'high'],
    ['high', 'high'],
    ['xhigh', 'max'],
  ] as const)('Kimi K3 at %s is told by its effort alone: %s', (level, reasoning_effort) => {
    expect(asked('moonshot', level, { id: 'kimi-k3' })).toEqual({ reasoning_effort });
    expect(asked('mine', level, { id: 'kimi-k3.1-pro', baseUrl: 'https://api.moonshot.ai/v1' })).toEqual({
      reasoning_effort,
    });
  });

  test('is switched off where the model says that it can be', () => {
    expect(asked('openrouter', 'off', { thinkingLevels: ['off', 'high'] })).toEqual({ reasoning: { effort: 'none' } });
  });

  test('is not asked of a model that has none', () => {
    expect(asked('deepseek', 'high', { reasoning: false })).toEqual({});
  });
});

describe('hosts', () => {
  test('take the system prompt, the length limit and the cache key in their own ways', () => {
    const openai = body({ provider: 'openai', reasoning: true });
    expect(openai).toMatchObject({ max_completion_tokens: 16_000, prompt_cache_key: 'session-1' });
    expect(openai.messages).toMatchObject([{ role: 'developer' }, { role: 'user' }]);
    expect(openai).not.toHaveProperty('max_tokens');
    expect(body({ provider: 'mistral' })).not.toHaveProperty('stream_options');
    expect(body({ provider: 'perplexity' })).not.toHaveProperty('tools');
    expect(body({ provider: 'zai' })).toMatchObject({ tool_stream: true });
    expect(body({ provider: 'zai' }, { tools: [] })).not.toHaveProperty('tool_stream');
  });

  test('are known by their address too', () => {
    expect(
      body({ provider: 'mine', baseUrl: 'https://api.deepseek.com/v1', reasoning: true }, { thinkingLevel: 'high' }),
    ).toHaveProperty('thinking');
  });

  test('are as the user says, key by key', () => {
    const compat = {
      reasoningEffortMap: { low: 'tiny' },
      maxTokensField: 'max_completion_tokens',
      supportsStore: true,
    };
    const sent = body({ provider: 'deepseek', reasoning: true }, { compat, thinkingLevel: 'low' });
    expect(sent).toMatchObject({ reasoning_effort: 'tiny', max_completion_tokens: 16_000 });
    const routed = { openRouterRouting: { only: ['a'] }, vercelGatewayRouting: { order: ['b'] } };
    expect(body({}, { compat: routed })).toMatchObject({
      provider: { only: ['a'] },
      providerOptions: { gateway: { order: ['b'] } },
    });
  });

  test('that the user describes wrongly are refused by name', () => {
    const wrong = () => body({}, { compat: { thinkingFormat: 'loud' } });
    expect(wrong).toThrow(/compat\.thinkingFormat in models\.json is wrong: .*"loud"/);
  });

  test('get marks for Claude: the system prompt and the last two messages of the user', () => {
    const claude = { provider: 'openrouter', id: 'anthropic/claude-x' };
    const { messages: sent } = body(claude, { messages: [...turn, user('And?')] }) as { messages: Fields[] };
    const mark = { cache_control: { type: 'ephemeral' } };
    expect(sent[0]).toEqual({
      role: 'system',
      content: [{ type: 'text', text: 'You are a careful engineer.', ...mark }],
    });
    expect(sent[1]).toEqual({ role: 'user', content: 'Hello' });
    expect(sent[3]).toMatchObject({ role: 'tool', content: [{ type: 'text', text: 'found', ...mark }] });
    expect(sent[4]).toEqual({ role: 'user', content: [{ type: 'text', text: 'And?', ...mark }] });
    expect(JSON.stringify(body({ provider: 'openrouter', id: 'qwen/q' }))).not.toContain('cache_control');
  });
});

describe('messages', () => {
  test('of one side become one, except where the host is known to accept them as they are', () => {
    const given = [user('One'), user([{ type: 'text', text: 'Two' }, PNG]), user('Three')];
    const openrouter = { provider: 'openrouter', baseUrl: 'https://openrouter.ai/api/v1' };
    expect(messages(openrouter, given)).toHaveLength(3);
    expect(messages({ ...openrouter, provider: 'mine' }, given)).toHaveLength(3);
    expect(messages({ provider: 'ollama' }, given)).toHaveLength(3);
    expect(messages({}, given)).toHaveLength(1);
    expect(messages({ provider: 'openai' }, given)).toHaveLength(1);
    const texts = ['One', 'Two'].map((text) => ({ type: 'text', text }));
    expect(messages({ provider: 'vllm' }, given)).toEqual([
      { role: 'user', content: [...texts, PNG_PART, { type: 'text', text: 'Three' }] },
    ]);
    expect(messages({ provider: 'vllm' }, [user('One'), user('Two')])).toEqual([
      { role: 'user', content: 'One\n\nTwo' },
    ]);
  });

  test('of the model become one as well, the last with its calls', () => {
    const stopped = said(own, [{ type: 'text', text: 'Half' }], { stopReason: 'aborted' });
    const whole = said(own, [{ type: 'text', text: 'All' }, called('call_A')]);
    expect(messages({}, [user('Go'), stopped, whole, result('call_A', 'x')])).toMatchObject([
      { role: 'user', content: 'Go' },
      { role: 'assistant', content: 'Half\n\nAll', tool_calls: [{ id: 'call_A' }] },
      { role: 'tool' },
    ]);
  });

  test('after a result get an answer before them where the host wants one', () => {
    const sent = messages({ provider: 'mistral' }, [...turn, user('And?')]);
    expect(sent.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
    expect(sent[2]).toMatchObject({ name: 'read' });
    expect(sent[3]).toMatchObject({ content: expect.stringMatching(/\w/) });
  });

  test('without words are left out, and results without words say so', () => {
    const given = [user(' '), user([]), said(own, []), said(own, [{ type: 'text', text: '\n' }, called('call_A')])];
    const results = [result('call_A', ''), result('call_A', [], true), result('call_A', [PNG])];
    expect(messages({}, [...given, ...results])).toMatchObject([
      { role: 'assistant', content: null },
      { role: 'tool', content: '(no output)' },
      { role: 'tool', content: 'The tool failed and said nothing.' },
      { role: 'tool', content: '(the image follows)' },
      { role: 'user', content: [{ type: 'text' }, PNG_PART] },
    ]);
  });

  test('keep only images that can be read, and none for the blind', () => {
    const content = [
      PNG,
      { ...PNG, mimeType: 'image/jpg' },
      { ...PNG, mimeType: 'image/svg+xml' },
      { ...PNG, data: '' },
      { type: 'image' as const, source: { type: 'url' as const, url: 'https://a.test/x.png' } },
      { type: 'image' as const, source: { type: 'url' as const, url: 'file:///etc/passwd' } },
    ];
    const [seen] = messages({}, [user(content)]);
    const urls = (seen!.content as Fields[]).map(({ type, image_url }) =>
      type === 'text' ? 'note' : (image_url as Fields).url,
    );
    const kept = [
      PNG_PART.image_url.url,
      'data:image/jpeg;base64,iVBORw0KGgo=',
      'note',
      'note',
      'https://a.test/x.png',
      'note',
    ];
    expect(urls).toEqual(kept);
    const [blind] = messages({ input: ['text'] }, [user([PNG])]);
    expect(blind?.content).toContain('this model cannot see images');
  });
});

describe('a history that others wrote', () => {
  const claude = modelOf({ api: 'anthropic-messages', provider: 'anthropic', id: 'claude' });
  const long = `toolu_${'x'.repeat(60)}`;
  const foreign = [
    user('Hello'),
    said(claude, [
      { type: 'thinking', thinking: 'secret', thinkingSignature: 'sig' },
      { type: 'text', text: 'Hm.', textSignature: 'msg_1' },
      called('call_1|fc_2'),
      called('functions.read:0'),
      { ...called(long), thoughtSignature: 'sealed' } as ReturnType<typeof called>,
    ]),
    result('call_1|fc_2', 'one'),
    result('functions.read:0', 'two'),
    result(long, 'three'),
  ];
  const idsOf = (sent: Fields[]) => [
    (sent[1]!.tool_calls as Fields[]).map(({ id }) => String(id)),
    sent.slice(2).map(({ tool_call_id: id }) => String(id)),
  ];

  test('loses its signatures and thinking', () => {
    const text = JSON.stringify(messages({ reasoning: true }, foreign));
    for (const gone of ['secret', 'sig', 'msg_1', 'sealed', 'fc_2']) expect(text).not.toContain(gone);
  });

  test.each([
    ['loop', 'loop-1', /^[\w.:-]{1,40}$/],
    ['openrouter', 'anthropic/claude-x', /^[a-zA-Z0-9_-]{1,40}$/],
    ['mistral', 'm', /^[a-zA-Z0-9]{9}$/],
  ])('gets ids that %s/%s accepts, still in pairs', (provider, id, accepted) => {
    const [asked, answered] = idsOf(messages({ provider, id }, foreign)) as [string[], string[]];
    expect(answered).toEqual(asked);
    expect(new Set(asked).size).toBe(3);
    for (const given of asked) expect(given).toMatch(accepted);
  });

  test('keeps ids that fit', () => {
    expect(idsOf(messages({}, foreign))[0]?.slice(0, 2)).toEqual(['call_1', 'functions.read:0']);
  });
});

describe('room', () => {
  const limit = (model: Partial<Model>, other: Partial<ApiRequest> = {}) => body(model, other).max_tokens;
  const used = (input: number) =>
    said(own, [{ type: 'text', text: 'x' }], { usage: { ...said(own, []).usage, input } });

  test('is what was asked for, as far as the model goes', () => {
    expect(limit({}, { maxTokens: 500 })).toBe(500);
    expect(limit({}, { maxTokens: 90_000 })).toBe(16_000);
    expect(limit({ maxTokens: 128_000 })).toBe(32_000);
    expect(limit({ maxTokens: 128_000, reasoning: true }, { thinkingLevel: 'high' })).toBe(64_000);
  });

  test('shrinks before the window is full, but never to nothing', () => {
    expect(limit({ contextWindow: 20_000 }, { messages: [user('a'), used(15_000), user('abc')] })).toBe(4_999);
    expect(limit({ contextWindow: 20_000 }, { messages: [user('a'.repeat(90_000))] })).toBe(1024);
    expect(limit({ contextWindow: 20_000 }, { messages: [user([PNG])], systemPrompt: 'x'.repeat(30_000) })).toBe(8_500);
  });
});
