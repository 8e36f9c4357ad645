import { describe, expect, test } from 'vitest';
import { buildRequest } from '../../../src/llm/apis/anthropic-messages/request.ts';
import type { ThinkingLevel } from '../../../src/protocol/index.ts';
import { checkBody } from '../servers/anthropic-messages-check.ts';
import { SERVED } from '../servers/anthropic-messages-models.ts';
import type { Fields } from '../servers/anthropic-messages-refusal.ts';
import { claude, createRequest } from './anthropic-fixture.ts';
import { assistant, result, toolCall, user } from './request-samples.ts';

const model = claude('claude-sonnet-4-5');
const signed = { type: 'thinking' as const, thinking: 'Hm.', thinkingSignature: 'c2ln' };
const buildBody = (...args: Parameters<typeof createRequest>) => buildRequest(createRequest(...args)).body as Fields;

describe('thinking options', () => {
  const buildOptions = (id: string, thinkingLevel: ThinkingLevel, other: object = {}, limits: object = {}) => {
    const { max_tokens, thinking, output_config } = buildBody(claude(id, { maxTokens: 64_000, ...limits }), {
      thinkingLevel,
      ...other,
    });
    return { max_tokens, thinking, output_config };
  };
  const DROP_BLOCKS = { block_binding: { prefix_mismatch_behavior: 'drop_block' } };

  test.each([
    ['minimal', 1024],
    ['low', 4096],
    ['medium', 10_240],
    ['high', 20_480],
    ['xhigh', 32_768],
  ] as const)('%s is a budget of %i tokens in addition to the reply', (level, budget_tokens) => {
    expect(buildOptions('claude-sonnet-4-5', level, { maxTokens: 2000 })).toEqual({
      max_tokens: 2000 + budget_tokens,
      thinking: { type: 'enabled', budget_tokens },
    });
  });

  test('the budget leaves tokens for the reply, or thinking is disabled', () => {
    expect(buildOptions('claude-sonnet-4-5', 'high', {}, { maxTokens: 8192 })).toEqual({
      max_tokens: 8192,
      thinking: { type: 'enabled', budget_tokens: 7168 },
    });
    expect(buildOptions('claude-sonnet-4-5', 'high', {}, { maxTokens: 2000 })).toEqual({ max_tokens: 2000 });
    expect(buildOptions('claude-sonnet-4-5', 'high', {}, { reasoning: false })).toEqual({ max_tokens: 64_000 });
  });

  test.each([
    ['claude-opus-4-6', 'minimal', 'low', {}],
    ['claude-sonnet-4-6', 'xhigh', 'max', {}],
    ['claude-opus-4-8', 'xhigh', 'xhigh', {}],
    ['claude-opus-5', 'medium', 'medium', {}],
    ['claude-mythos-preview', 'xhigh', 'max', {}],
    ['claude-opus-5-5', 'high', 'high', DROP_BLOCKS],
    ['anthropic/claude-sonnet-5.5', 'low', 'low', DROP_BLOCKS],
    ['claude-fable-5-1', 'low', 'low', DROP_BLOCKS],
  ] as const)('%s uses adaptive thinking; %s is effort %s', (id, level, effort, fields) => {
    expect(buildOptions(id, level)).toEqual({
      max_tokens: 64_000,
      thinking: { type: 'adaptive', display: 'summarized', ...fields },
      output_config: { effort },
    });
  });

  test.each([
    ['claude-sonnet-4-5', undefined],
    ['claude-opus-4-8', undefined],
    ['claude-opus-5', { type: 'disabled' }],
    ['claude-haiku-5-5', { type: 'disabled' }],
    ['claude-sonnet-5-5', { type: 'between_tools' }],
  ])('off for %s is %j', (id, thinking) => {
    const body = buildBody(claude(id), {
      messages: [user('a'), assistant(claude(id), [signed, { type: 'text', text: 'b' }]), user('c')],
    });
    expect(body).toMatchObject(thinking ? { thinking } : {});
    expect('thinking' in body).toBe(thinking !== undefined);
    expect(JSON.stringify(body.messages)).not.toContain('c2ln');
  });

  test.each(['claude-opus-5-5', 'claude-fable-5', 'claude-opus-7'])(
    '%s always thinks and gets the lowest effort',
    (id) => {
      expect(buildOptions(id, 'off')).toMatchObject({
        thinking: { type: 'adaptive', display: 'omitted' },
        output_config: { effort: 'low' },
      });
    },
  );

  const getBetas = (id: string, other: object) =>
    buildRequest(createRequest(claude(id), { thinkingLevel: 'low', ...other })).headers['anthropic-beta'];

  test.each([
    ['claude-sonnet-4-20250514', {}, 'interleaved-thinking-2025-05-14'],
    ['claude-opus-4-5-20251101', {}, 'interleaved-thinking-2025-05-14'],
    ['claude-sonnet-4-5', { tools: [] }, undefined],
    ['claude-3-7-sonnet-20250219', {}, undefined],
    ['claude-opus-4-6', {}, undefined],
    ['claude-opus-5-5', {}, 'thinking-binding-controls-2026-08-01'],
    ['kimi-k2', {}, undefined],
  ])('%s with %j needs the beta %s', (id, other, beta) => {
    expect(getBetas(id, other)).toBe(beta);
  });

  test('a turn that started without thinking continues without it, and the next turn thinks again', () => {
    const turn = [user('Go'), assistant(model, [toolCall('a')]), result('a', 'A')];
    expect(buildBody(model, { messages: turn, thinkingLevel: 'high' }).thinking).toBeUndefined();
    expect(
      buildBody(model, {
        messages: [...turn, assistant(model, [{ type: 'text', text: 'x' }]), user('y')],
        thinkingLevel: 'high',
      }).thinking,
    ).toBeDefined();
    const thought = [
      user('Go'),
      assistant(model, [signed, toolCall('a')]),
      result('a', 'A'),
      assistant(model, [toolCall('b')]),
      result('b', 'B'),
    ];
    expect(buildBody(model, { messages: thought, thinkingLevel: 'high' }).thinking).toBeDefined();
  });
});

const LEVELS = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const;

test('every model accepts every level, even in a turn that another model started', () => {
  for (const [id, served] of Object.entries(SERVED))
    for (const thinkingLevel of LEVELS)
      for (const messages of [
        [user('Go')],
        [user('Go'), assistant(claude('other'), [signed, toolCall('a|b')]), result('a|b', '')],
      ]) {
        const apiRequest = createRequest(claude(id, { maxTokens: served.maxTokens }), { thinkingLevel, messages });
        const { body, headers } = buildRequest(apiRequest);
        const betas = headers['anthropic-beta']?.split(',') ?? [];
        expect(
          () => checkBody(JSON.parse(JSON.stringify(body)) as Fields, betas, new Map()),
          `${id} ${thinkingLevel}`,
        ).not.toThrow();
      }
});
