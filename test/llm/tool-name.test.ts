// Tool names in requests: valid in every format, the same for a call and its result, and translated back in replies.
import { describe, expect, test } from 'vitest';
import type { ApiRequest } from '../../src/contracts/index.ts';
import { buildPrompt } from '../../src/llm/apis/ai-sdk/prompt.ts';
import { buildRequest as anthropic } from '../../src/llm/apis/anthropic-messages/request.ts';
import { buildRequest as chat } from '../../src/llm/apis/openai-completions/request.ts';
import { buildRequest as responses } from '../../src/llm/apis/openai-responses/request.ts';
import { MessageBuilder } from '../../src/llm/message-builder.ts';
import { normalizeToolName, normalizeTools } from '../../src/llm/tool-name.ts';
import { claude, createRequest } from './apis/anthropic-fixture.ts';
import { assistant, result, toolCall, user } from './apis/request-samples.ts';

const VALID_NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const NAMES = [
  'ba sh',
  'functions.bash<|channel|>commentary',
  '',
  'x'.repeat(300),
  '🎉',
  '🎊',
  'bash\n',
  '__proto__ x',
  'größe',
];

test.each(NAMES)('%j becomes valid, deterministic and distinct from others', (name) => {
  expect(normalizeToolName(name)).toMatch(VALID_NAME);
  expect(normalizeToolName(name)).toBe(normalizeToolName(name));
  expect(new Set(NAMES.map(normalizeToolName)).size).toBe(NAMES.length);
});

test.each(['bash', 'a', 'mcp__server__tool-x', 'x'.repeat(64)])('%s is not changed', (name) => {
  expect(normalizeToolName(name)).toBe(name);
});

/** All tool names in a body: calls, results and prompt parts. */
function collectNames(body: unknown): string[] {
  const names: string[] = [];
  JSON.stringify(body, (key, value) => {
    if ((key === 'name' || key === 'toolName') && typeof value === 'string') names.push(value);
    return value;
  });
  return names;
}

describe.each(NAMES)('a history with the call %j', (name) => {
  const model = claude('m', { api: 'x' });
  const messages = [
    user('Go'),
    assistant(model, [toolCall('call_1', name)], { stopReason: 'toolUse' }),
    { ...result('call_1', 'no such tool', true), toolName: name },
    user('Go on'),
  ];
  const request = (overrides: Partial<ApiRequest>) => createRequest(model, { messages, tools: [], ...overrides });

  test.each([
    ['anthropic-messages', (apiRequest: ApiRequest) => anthropic(apiRequest).body],
    ['openai-responses', (apiRequest: ApiRequest) => responses(apiRequest).body],
    ['openai-completions', (apiRequest: ApiRequest) => chat(apiRequest).body],
    [
      'openai-completions of Mistral',
      (apiRequest: ApiRequest) => chat({ ...apiRequest, model: { ...model, provider: 'mistral' } }).body,
    ],
    ['the AI SDK', (apiRequest: ApiRequest) => buildPrompt(apiRequest, { ...FORMAT } as never, false)],
  ])('is valid for %s, in the call and in its result', (_format, buildBody) => {
    const names = collectNames(buildBody(request({})));
    expect(names.length).toBeGreaterThan(0);
    expect(new Set(names)).toEqual(new Set([normalizeToolName(name)]));
  });
});

const FORMAT = {
  supportsImagesInResults: () => true,
  createCallIdNormalizer: () => (id: string) => id,
  imageTypes: [],
  writeSignature: () => undefined,
};

test('a tool with an invalid name is offered under a valid one, and its calls get the original name', () => {
  const tool = (name: string) => ({ name, description: 'd', parameters: {} });
  const { request, originalNames } = normalizeTools(
    createRequest(claude('m'), { tools: [tool('ba sh'), tool('read')] }),
  );
  expect(request.tools.map(({ name }) => name)).toEqual([normalizeToolName('ba sh'), 'read']);
  const builder = new MessageBuilder(request.model, 0, originalNames);
  builder.startToolCall('1', normalizeToolName('ba sh'));
  builder.endToolCall();
  builder.startToolCall('2', 'read');
  expect(builder.message.content).toMatchObject([{ name: 'ba sh' }, { name: 'read' }]);
  const unchanged = createRequest(claude('m'));
  expect(normalizeTools(unchanged).request).toBe(unchanged);
});
