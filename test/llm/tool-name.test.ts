// Names of tool calls in requests: legal in every format, the same for a call and its result, and translated back in answers.
import { describe, expect, test } from 'vitest';
import type { ApiRequest } from '../../src/contracts/index.ts';
import { promptOf } from '../../src/llm/apis/ai-sdk/prompt.ts';
import { call as anthropic } from '../../src/llm/apis/anthropic-messages/request.ts';
import { call as chat } from '../../src/llm/apis/openai-completions/request.ts';
import { call as responses } from '../../src/llm/apis/openai-responses/request.ts';
import { MessageBuilder } from '../../src/llm/message-builder.ts';
import { legalToolName, withLegalTools } from '../../src/llm/tool-name.ts';
import { called, claude, requestFor, result, said, user } from './apis/anthropic-stage.ts';

const LEGAL = /^[a-zA-Z0-9_-]{1,64}$/;
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

test.each(NAMES)('%j becomes legal, always the same, and keeps apart from others', (name) => {
  expect(legalToolName(name)).toMatch(LEGAL);
  expect(legalToolName(name)).toBe(legalToolName(name));
  expect(new Set(NAMES.map(legalToolName)).size).toBe(NAMES.length);
});

test.each(['bash', 'a', 'mcp__server__tool-x', 'x'.repeat(64)])('%s stays', (name) => {
  expect(legalToolName(name)).toBe(name);
});

/** All names in a body: of calls, of results, of parts of prompts. */
function namesIn(body: unknown): string[] {
  const found: string[] = [];
  JSON.stringify(body, (key, value) => {
    if ((key === 'name' || key === 'toolName') && typeof value === 'string') found.push(value);
    return value;
  });
  return found;
}

describe.each(NAMES)('a history with the call %j', (name) => {
  const model = claude('m', { api: 'x' });
  const messages = [
    user('Go'),
    said(model, [called('call_1', name)], 'toolUse'),
    { ...result('call_1', 'no such tool', true), toolName: name },
    user('Go on'),
  ];
  const request = (other: Partial<ApiRequest>) => requestFor(model, { messages, tools: [], ...other });

  test.each([
    ['anthropic-messages', (given: ApiRequest) => anthropic(given).body],
    ['openai-responses', (given: ApiRequest) => responses(given).body],
    ['openai-completions', (given: ApiRequest) => chat(given).body],
    [
      'openai-completions of Mistral',
      (given: ApiRequest) => chat({ ...given, model: { ...model, provider: 'mistral' } }).body,
    ],
    ['the AI SDK', (given: ApiRequest) => promptOf(given, { ...FORMAT } as never, false)],
  ])('is legal for %s, in the call and in its result', (_format, bodyOf) => {
    const names = namesIn(bodyOf(request({})));
    expect(names.length).toBeGreaterThan(0);
    expect(new Set(names)).toEqual(new Set([legalToolName(name)]));
  });
});

const FORMAT = {
  showsInResults: () => true,
  callId: () => (id: string) => id,
  imageTypes: [],
  unseal: () => undefined,
};

test('a tool with such a name is offered under a legal one, and its calls bear its own', () => {
  const tool = (name: string) => ({ name, description: 'd', parameters: {} });
  const { request, names } = withLegalTools(requestFor(claude('m'), { tools: [tool('ba sh'), tool('read')] }));
  expect(request.tools.map(({ name }) => name)).toEqual([legalToolName('ba sh'), 'read']);
  const builder = new MessageBuilder(request.model, 0, names);
  builder.startToolCall('1', legalToolName('ba sh'));
  builder.endToolCall();
  builder.startToolCall('2', 'read');
  expect(builder.message.content).toMatchObject([{ name: 'ba sh' }, { name: 'read' }]);
  const plain = requestFor(claude('m'));
  expect(withLegalTools(plain).request).toBe(plain);
});
