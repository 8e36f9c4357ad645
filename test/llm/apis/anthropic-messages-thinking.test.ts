import { describe, expect, test } from 'vitest';
import { call } from '../../../src/llm/apis/anthropic-messages/request.ts';
import type { ThinkingLevel } from '../../../src/protocol/index.ts';
import { checkBody } from '../servers/anthropic-messages-check.ts';
import { SERVED } from '../servers/anthropic-messages-models.ts';
import type { Fields } from '../servers/anthropic-messages-refusal.ts';
import { called, claude, requestFor, result, said, user } from './anthropic-stage.ts';

const model = claude('claude-sonnet-4-5');
const signed = { type: 'thinking' as const, thinking: 'Hm.', thinkingSignature: 'c2ln' };
const bodyOf = (...args: Parameters<typeof requestFor>) => call(requestFor(...args)).body as Fields;

describe('how hard to think', () => {
  const planned = (id: string, thinkingLevel: ThinkingLevel, other: object = {}, limits: object = {}) => {
    const { max_tokens, thinking, output_config } = bodyOf(claude(id, { maxTokens: 64_000, ...limits }), {
      thinkingLevel,
      ...other,
    });
    return { max_tokens, thinking, output_config };
  };
  const DROPS = { block_binding: { prefix_mismatch_behavior: 'drop_block' } };

  test.each([
    ['minimal', 1024],
    ['low', 4096],
    ['medium', 10_240],
    ['high', 20_480],
    ['xhigh', 32_768],
  ] as const)('%s is a budget of %i tokens, which the answer does not pay for', (level, budget_tokens) => {
    expect(planned('claude-sonnet-4-5', level, { maxTokens: 2000 })).toEqual({
      max_tokens: 2000 + budget_tokens,
      thinking: { type: 'enabled', budget_tokens },
    });
  });

  test('the budget leaves room for an answer, or there is none', () => {
    expect(planned('claude-sonnet-4-5', 'high', {}, { maxTokens: 8192 })).toEqual({
      max_tokens: 8192,
      thinking: { type: 'enabled', budget_tokens: 7168 },
    });
    expect(planned('claude-sonnet-4-5', 'high', {}, { maxTokens: 2000 })).toEqual({ max_tokens: 2000 });
    expect(planned('claude-sonnet-4-5', 'high', {}, { reasoning: false })).toEqual({ max_tokens: 64_000 });
  });

  test.each([
    ['claude-opus-4-6', 'minimal', 'low', {}],
    ['claude-sonnet-4-6', 'xhigh', 'max', {}],
    ['claude-opus-4-8', 'xhigh', 'xhigh', {}],
    ['claude-opus-5', 'medium', 'medium', {}],
    ['claude-mythos-preview', 'xhigh', 'max', {}],
    ['claude-opus-5-5', 'high', 'high', DROPS],
    ['anthropic/claude-sonnet-5.5', 'low', 'low', DROPS],
    ['claude-fable-5-1', 'low', 'low', DROPS],
  ] as const)('%s decides itself; %s is its effort %s', (id, level, effort, more) => {
    expect(planned(id, level)).toEqual({
      max_tokens: 64_000,
      thinking: { type: 'adaptive', display: 'summarized', ...more },
      output_config: { effort },
    });
  });

  test.each([
    ['claude-sonnet-4-5', undefined],
    ['claude-opus-4-8', undefined],
    ['claude-opus-5', { type: 'disabled' }],
    ['claude-haiku-5-5', { type: 'disabled' }],
    ['claude-sonnet-5-5', { type: 'between_tools' }],
  ])('off is spelled by %s as %j', (id, thinking) => {
    const body = bodyOf(claude(id), {
      messages: [user('a'), said(claude(id), [signed, { type: 'text', text: 'b' }]), user('c')],
    });
    expect(body).toMatchObject(thinking ? { thinking } : {});
    expect('thinking' in body).toBe(thinking !== undefined);
    expect(JSON.stringify(body.messages)).not.toContain('c2ln');
  });

  test.each(['claude-opus-5-5', 'claude-fable-5', 'claude-opus-7'])(
    '%s cannot stop thinking and is asked for the least',
    (id) => {
      expect(planned(id, 'off')).toMatchObject({
        thinking: { type: 'adaptive', display: 'omitted' },
        output_config: { effort: 'low' },
      });
    },
  );

  const headersOf = (id: string, other: object) =>
    call(requestFor(claude(id), { thinkingLevel: 'low', ...other })).headers['anthropic-beta'];

  test.each([
    ['claude-sonnet-4-20250514', {}, 'interleaved-thinking-2025-05-14'],
    ['claude-opus-4-5-20251101', {}, 'interleaved-thinking-2025-05-14'],
    ['claude-sonnet-4-5', { tools: [] }, undefined],
    ['claude-3-7-sonnet-20250219', {}, undefined],
    ['claude-opus-4-6', {}, undefined],
    ['claude-opus-5-5', {}, 'thinking-binding-controls-2026-08-01'],
    ['kimi-k2', {}, undefined],
  ])('%s with %j needs the beta %s', (id, other, beta) => {
    expect(headersOf(id, other)).toBe(beta);
  });

  test('a turn that began without thinking goes on without it, and the next one thinks again', () => {
    const turn = [user('Go'), said(model, [called('a')]), result('a', 'A')];
    expect(bodyOf(model, { messages: turn, thinkingLevel: 'high' }).thinking).toBeUndefined();
    expect(
      bodyOf(model, {
        messages: [...turn, said(model, [{ type: 'text', text: 'x' }]), user('y')],
        thinkingLevel: 'high',
      }).thinking,
    ).toBeDefined();
    const thought = [
      user('Go'),
      said(model, [signed, called('a')]),
      result('a', 'A'),
      said(model, [called('b')]),
      result('b', 'B'),
    ];
    expect(bodyOf(model, { messages: thought, thinkingLevel: 'high' }).thinking).toBeDefined();
  });
});

const LEVELS = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const;

test('every model of the provider accepts every level, in the middle of a foreign turn too', () => {
  for (const [id, served] of Object.entries(SERVED))
    for (const thinkingLevel of LEVELS)
      for (const messages of [
        [user('Go')],
        [user('Go'), said(claude('other'), [signed, called('a|b')]), result('a|b', '')],
      ]) {
        const asked = requestFor(claude(id, { maxTokens: served.maxTokens }), { thinkingLevel, messages });
        const { body, headers } = call(asked);
        const betas = headers['anthropic-beta']?.split(',') ?? [];
        expect(
          () => checkBody(JSON.parse(JSON.stringify(body)) as Fields, betas, new Map()),
          `${id} ${thinkingLevel}`,
        ).not.toThrow();
      }
});
