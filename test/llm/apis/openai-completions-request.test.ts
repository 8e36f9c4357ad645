// Chat Completions requests: the exact body, and the differences between providers.
import { describe, expect, test } from 'vitest';
import type { ApiRequest } from '../../../src/contracts/index.ts';
import { buildRequest } from '../../../src/llm/apis/openai-completions/request.ts';
import type { Model, ThinkingLevel } from '../../../src/protocol/index.ts';
import { createModel, createRequest } from './openai-completions-fixture.ts';
import { assistant, READ, result, toolCall, user } from './request-samples.ts';

type Fields = Record<string, unknown>;

const PNG = { type: 'image' as const, data: 'iVBORw0KGgo=', mimeType: 'image/png' };
const PNG_PART = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };

function buildBody(model: Partial<Model>, overrides: Partial<ApiRequest> = {}): Fields {
  return buildRequest(createRequest(createModel(model), overrides)).body as Fields;
}

function buildMessages(
  model: Partial<Model>,
  history: ApiRequest['messages'],
  overrides: Partial<ApiRequest> = {},
): Fields[] {
  return (buildBody(model, { messages: history, systemPrompt: '', ...overrides }) as { messages: Fields[] }).messages;
}

const model = createModel();
const turn = [user('Hello'), assistant(model, [toolCall('call_A')]), result('call_A', 'found')];

describe('the body', () => {
  test('of a complete conversation', () => {
    const history = [
      user([{ type: 'text', text: 'Look' }, PNG]),
      assistant(model, [
        { type: 'text', text: 'I look.' },
        toolCall('call_A'),
        toolCall('call_B', 'read', { path: 'b' }),
      ]),
      result('call_A', 'found'),
      result('call_B', [{ type: 'text', text: 'a picture' }, PNG]),
      assistant(model, [{ type: 'text', text: 'Done.' }]),
      user('Thanks'),
    ];
    const bash = { name: 'bash', description: 'Run a command.', parameters: { type: 'object' } };
    expect(buildBody({}, { messages: history, tools: [READ, bash] })).toEqual({
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
    'changes only at its end (%s)',
    (provider) => {
      const providerModel = createModel({ provider, reasoning: true });
      const history = [
        ...turn,
        assistant(providerModel, [
          { type: 'thinking', thinking: 'Hm', thinkingSignature: 'reasoning_content' },
          toolCall('call_C'),
        ]),
        result('call_C', [PNG]),
        user('Steer'),
        assistant(providerModel, [{ type: 'text', text: 'So.' }]),
        user('Go on'),
      ];
      const bodies = [1, 3, 6, 8].map((length) => {
        const { messages: list, tools } = buildBody(providerModel, {
          messages: history.slice(0, length),
          thinkingLevel: 'high',
        });
        return JSON.stringify({ tools, messages: list });
      });
      for (const [index, text] of bodies.slice(1).entries()) {
        const previous = bodies[index]!.slice(0, -2);
        expect(text.slice(0, previous.length)).toBe(previous);
      }
    },
  );

  test('omits empty fields', () => {
    expect(buildBody({}, { tools: [], systemPrompt: ' ' })).toEqual({
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
  ])('base URL %s gives %s', (baseUrl, url) => {
    expect(buildRequest(createRequest(createModel({ baseUrl }))).url).toBe(url);
  });
});

describe('headers', () => {
  const buildHeaders = (overrides: Partial<ApiRequest>, provider = 'loop') =>
    buildRequest(createRequest(createModel({ provider }), overrides)).headers;

  test('contain the key, none, or the custom one', () => {
    expect(buildHeaders({})).toEqual({ authorization: 'Bearer sk-loopback-key-1234' });
    expect(buildHeaders({ apiKey: undefined })).toEqual({});
    expect(buildHeaders({ headers: { Authorization: 'Basic abcd1234' } })).toEqual({ authorization: 'Basic abcd1234' });
  });

  test('contain the session affinity header', () => {
    expect(buildHeaders({}, 'xai')).toHaveProperty('x-grok-conv-id', 'session');
    expect(buildHeaders({}, 'fireworks')).toHaveProperty('x-session-affinity', 'session');
  });

  test('tell Copilot the initiator and whether there are images', () => {
    const buildCopilotHeaders = (history: ApiRequest['messages']) =>
      buildRequest(createRequest(createModel({ provider: 'github-copilot' }), { messages: history })).headers;
    expect(buildCopilotHeaders([user('Hello')])).toMatchObject({ 'x-initiator': 'user' });
    expect(buildCopilotHeaders([user('Hello')])).not.toHaveProperty('copilot-vision-request');
    expect(buildCopilotHeaders(turn)).toMatchObject({ 'x-initiator': 'agent' });
    expect(buildCopilotHeaders([user([PNG])])).toMatchObject({
      'x-initiator': 'user',
      'copilot-vision-request': 'true',
    });
  });

  test('keys in headers are secrets', () => {
    const { secrets } = buildRequest(
      createRequest(model, { headers: { 'X-Api-Key': 'abcd', Authorization: 'Bearer efgh', 'x-title': 't' } }),
    );
    expect(secrets).toEqual(['sk-loopback-key-1234', 'abcd', 'abcd', 'Bearer efgh', 'efgh']);
  });
});

describe('thinking', () => {
  const getThinkingFields = (provider: string, thinkingLevel: ThinkingLevel, overrides: Partial<Model> = {}) => {
    const { reasoning_effort, reasoning, thinking, enable_thinking, chat_template_kwargs } = buildBody(
      { provider, reasoning: true, ...overrides },
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
    expect(getThinkingFields(provider, level)).toEqual(expected);
  });

  test.each([
    ['off', 'low'],
    ['minimal', 'low'],
    ['low', 'low'],
    ['medium', 'high'],
    ['high', 'high'],
    ['xhigh', 'max'],
  ] as const)('Kimi K3 at %s gets only the effort %s', (level, reasoning_effort) => {
    expect(getThinkingFields('moonshot', level, { id: 'kimi-k3' })).toEqual({ reasoning_effort });
    expect(getThinkingFields('mine', level, { id: 'kimi-k3.1-pro', baseUrl: 'https://api.moonshot.ai/v1' })).toEqual({
      reasoning_effort,
    });
  });

  test('is disabled if the model supports it', () => {
    expect(getThinkingFields('openrouter', 'off', { thinkingLevels: ['off', 'high'] })).toEqual({
      reasoning: { effort: 'none' },
    });
  });

  test('is not requested for a model without thinking', () => {
    expect(getThinkingFields('deepseek', 'high', { reasoning: false })).toEqual({});
  });
});

describe('providers', () => {
  test('differ in system prompt, length limit and cache key', () => {
    const openai = buildBody({ provider: 'openai', reasoning: true });
    expect(openai).toMatchObject({ max_completion_tokens: 16_000, prompt_cache_key: 'session' });
    expect(openai.messages).toMatchObject([{ role: 'developer' }, { role: 'user' }]);
    expect(openai).not.toHaveProperty('max_tokens');
    expect(buildBody({ provider: 'mistral' })).not.toHaveProperty('stream_options');
    expect(buildBody({ provider: 'perplexity' })).not.toHaveProperty('tools');
    expect(buildBody({ provider: 'zai' })).toMatchObject({ tool_stream: true });
    expect(buildBody({ provider: 'zai' }, { tools: [] })).not.toHaveProperty('tool_stream');
  });

  test('are also recognized by their URL', () => {
    expect(
      buildBody(
        { provider: 'mine', baseUrl: 'https://api.deepseek.com/v1', reasoning: true },
        { thinkingLevel: 'high' },
      ),
    ).toHaveProperty('thinking');
  });

  test('user settings override provider settings per key', () => {
    const compat = {
      reasoningEffortMap: { low: 'tiny' },
      maxTokensField: 'max_completion_tokens',
      supportsStore: true,
    };
    const sentBody = buildBody({ provider: 'deepseek', reasoning: true }, { compat, thinkingLevel: 'low' });
    expect(sentBody).toMatchObject({ reasoning_effort: 'tiny', max_completion_tokens: 16_000 });
    const routing = { openRouterRouting: { only: ['a'] }, vercelGatewayRouting: { order: ['b'] } };
    expect(buildBody({}, { compat: routing })).toMatchObject({
      provider: { only: ['a'] },
      providerOptions: { gateway: { order: ['b'] } },
    });
  });

  test('an invalid compat setting is rejected by name', () => {
    const buildInvalid = () => buildBody({}, { compat: { thinkingFormat: 'loud' } });
    expect(buildInvalid).toThrow(/compat\.thinkingFormat in models\.json is invalid: .*"loud"/);
  });

  test('get cache markers for Claude: on the system prompt and the last two user messages', () => {
    const claude = { provider: 'openrouter', id: 'anthropic/claude-x' };
    const { messages: sent } = buildBody(claude, { messages: [...turn, user('And?')] }) as { messages: Fields[] };
    const marker = { cache_control: { type: 'ephemeral' } };
    expect(sent[0]).toEqual({
      role: 'system',
      content: [{ type: 'text', text: 'You are a careful engineer.', ...marker }],
    });
    expect(sent[1]).toEqual({ role: 'user', content: 'Hello' });
    expect(sent[3]).toMatchObject({ role: 'tool', content: [{ type: 'text', text: 'found', ...marker }] });
    expect(sent[4]).toEqual({ role: 'user', content: [{ type: 'text', text: 'And?', ...marker }] });
    expect(JSON.stringify(buildBody({ provider: 'openrouter', id: 'qwen/q' }))).not.toContain('cache_control');
  });
});

describe('messages', () => {
  test('of one role are merged, unless the provider accepts them', () => {
    const history = [user('One'), user([{ type: 'text', text: 'Two' }, PNG]), user('Three')];
    const openrouter = { provider: 'openrouter', baseUrl: 'https://openrouter.ai/api/v1' };
    expect(buildMessages(openrouter, history)).toHaveLength(3);
    expect(buildMessages({ ...openrouter, provider: 'mine' }, history)).toHaveLength(3);
    expect(buildMessages({ provider: 'ollama' }, history)).toHaveLength(3);
    expect(buildMessages({}, history)).toHaveLength(1);
    expect(buildMessages({ provider: 'openai' }, history)).toHaveLength(1);
    const texts = ['One', 'Two'].map((text) => ({ type: 'text', text }));
    expect(buildMessages({ provider: 'vllm' }, history)).toEqual([
      { role: 'user', content: [...texts, PNG_PART, { type: 'text', text: 'Three' }] },
    ]);
    expect(buildMessages({ provider: 'vllm' }, [user('One'), user('Two')])).toEqual([
      { role: 'user', content: 'One\n\nTwo' },
    ]);
  });

  test('of the assistant are merged, with the calls of the last', () => {
    const aborted = assistant(model, [{ type: 'text', text: 'Half' }], { stopReason: 'aborted' });
    const complete = assistant(model, [{ type: 'text', text: 'All' }, toolCall('call_A')]);
    expect(buildMessages({}, [user('Go'), aborted, complete, result('call_A', 'x')])).toMatchObject([
      { role: 'user', content: 'Go' },
      { role: 'assistant', content: 'Half\n\nAll', tool_calls: [{ id: 'call_A' }] },
      { role: 'tool' },
    ]);
  });

  test('an assistant message is inserted after a result if the provider requires it', () => {
    const sent = buildMessages({ provider: 'mistral' }, [...turn, user('And?')]);
    expect(sent.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
    expect(sent[2]).toMatchObject({ name: 'read' });
    expect(sent[3]).toMatchObject({ content: expect.stringMatching(/\w/) });
  });

  test('empty messages are omitted, and empty results get a placeholder', () => {
    const history = [
      user(' '),
      user([]),
      assistant(model, []),
      assistant(model, [{ type: 'text', text: '\n' }, toolCall('call_A')]),
    ];
    const results = [result('call_A', ''), result('call_A', [], true), result('call_A', [PNG])];
    expect(buildMessages({}, [...history, ...results])).toMatchObject([
      { role: 'assistant', content: null },
      { role: 'tool', content: '(no output)' },
      { role: 'tool', content: 'The tool failed without output.' },
      { role: 'tool', content: '(the image follows)' },
      { role: 'user', content: [{ type: 'text' }, PNG_PART] },
    ]);
  });

  test('contain only supported images, and none for models without vision', () => {
    const content = [
      PNG,
      { ...PNG, mimeType: 'image/jpg' },
      { ...PNG, mimeType: 'image/svg+xml' },
      { ...PNG, data: '' },
      { type: 'image' as const, source: { type: 'url' as const, url: 'https://a.test/x.png' } },
      { type: 'image' as const, source: { type: 'url' as const, url: 'file:///etc/passwd' } },
    ];
    const [message] = buildMessages({}, [user(content)]);
    const urls = (message!.content as Fields[]).map(({ type, image_url }) =>
      type === 'text' ? 'note' : (image_url as Fields).url,
    );
    const expected = [
      PNG_PART.image_url.url,
      'data:image/jpeg;base64,iVBORw0KGgo=',
      'note',
      'note',
      'https://a.test/x.png',
      'note',
    ];
    expect(urls).toEqual(expected);
    const [textOnly] = buildMessages({ input: ['text'] }, [user([PNG])]);
    expect(textOnly?.content).toContain('this model cannot see images');
  });
});

describe('a history of another model', () => {
  const claude = createModel({ api: 'anthropic-messages', provider: 'anthropic', id: 'claude' });
  const long = `toolu_${'x'.repeat(60)}`;
  const foreign = [
    user('Hello'),
    assistant(claude, [
      { type: 'thinking', thinking: 'secret', thinkingSignature: 'sig' },
      { type: 'text', text: 'Hm.', textSignature: 'msg_1' },
      toolCall('call_1|fc_2'),
      toolCall('functions.read:0'),
      { ...toolCall(long), thoughtSignature: 'foreign-signature' } as ReturnType<typeof toolCall>,
    ]),
    result('call_1|fc_2', 'one'),
    result('functions.read:0', 'two'),
    result(long, 'three'),
  ];
  const getIds = (sent: Fields[]) => [
    (sent[1]!.tool_calls as Fields[]).map(({ id }) => String(id)),
    sent.slice(2).map(({ tool_call_id: id }) => String(id)),
  ];

  test('loses its signatures and thinking', () => {
    const text = JSON.stringify(buildMessages({ reasoning: true }, foreign));
    for (const removed of ['secret', 'sig', 'msg_1', 'foreign-signature', 'fc_2']) expect(text).not.toContain(removed);
  });

  test.each([
    ['loop', 'loop-1', /^[\w.:-]{1,40}$/],
    ['openrouter', 'anthropic/claude-x', /^[a-zA-Z0-9_-]{1,40}$/],
    ['mistral', 'm', /^[a-zA-Z0-9]{9}$/],
  ])('gets ids that %s/%s accepts, still in pairs', (provider, id, pattern) => {
    const [callIds, resultIds] = getIds(buildMessages({ provider, id }, foreign)) as [string[], string[]];
    expect(resultIds).toEqual(callIds);
    expect(new Set(callIds).size).toBe(3);
    for (const callId of callIds) expect(callId).toMatch(pattern);
  });

  test('keeps ids that fit', () => {
    expect(getIds(buildMessages({}, foreign))[0]?.slice(0, 2)).toEqual(['call_1', 'functions.read:0']);
  });
});

describe('max tokens', () => {
  const getMaxTokens = (model: Partial<Model>, overrides: Partial<ApiRequest> = {}) =>
    buildBody(model, overrides).max_tokens;
  const createReplyWithUsage = (input: number) =>
    assistant(model, [{ type: 'text', text: 'x' }], { usage: { ...assistant(model, []).usage, input } });

  test('is the requested value, up to the limit of the model', () => {
    expect(getMaxTokens({}, { maxTokens: 500 })).toBe(500);
    expect(getMaxTokens({}, { maxTokens: 90_000 })).toBe(16_000);
    expect(getMaxTokens({ maxTokens: 128_000 })).toBe(32_000);
    expect(getMaxTokens({ maxTokens: 128_000, reasoning: true }, { thinkingLevel: 'high' })).toBe(64_000);
  });

  test('shrinks when the context window is nearly full, but not below the minimum', () => {
    expect(
      getMaxTokens({ contextWindow: 20_000 }, { messages: [user('a'), createReplyWithUsage(15_000), user('abc')] }),
    ).toBe(4_999);
    expect(getMaxTokens({ contextWindow: 20_000 }, { messages: [user('a'.repeat(90_000))] })).toBe(1024);
    expect(getMaxTokens({ contextWindow: 20_000 }, { messages: [user([PNG])], systemPrompt: 'x'.repeat(30_000) })).toBe(
      8_500,
    );
  });
});
