// When a conversation has to shrink, and how much of it is kept.
import { describe, expect, test } from 'vitest';
import { isNearlyFull, isOverflow, keep, reserve } from '../../../src/core/policy/compaction.ts';
import type { Model } from '../../../src/protocol/index.ts';
import { scriptedModel } from '../../../src/testing/index.ts';
import { assistant } from '../entries.ts';

const failing = (errorMessage: string) => assistant([], { stopReason: 'error', errorMessage });

describe('too long for the model', () => {
  test.each([
    'prompt is too long: 213462 tokens > 200000 maximum',
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens",
    'Your input exceeds the context window of this model',
    'error code context_length_exceeded',
    'Input is too long for requested model.',
    'the request exceeds the available context size',
    'Request too large for gpt-4o',
    'too many tokens in the prompt',
    'input token count exceeds the maximum number of tokens allowed',
  ])('%s', (words) => {
    expect(isOverflow(failing(words), undefined)).toBe(true);
    expect(isOverflow(failing('what the provider says'), { kind: 'overflow' })).toBe(true);
  });

  test.each(['503 overloaded', '401 invalid key', 'rate limit', ''])('not: %s', (words) => {
    expect(isOverflow(failing(words), undefined)).toBe(false);
  });

  test('what the failure is known to be counts more than its words', () => {
    expect(isOverflow(failing('prompt is too long'), { kind: 'rate_limit' })).toBe(false);
  });

  test('an answer that came is none', () => {
    expect(isOverflow(assistant('prompt is too long'), undefined)).toBe(false);
    expect(isOverflow(assistant('prompt is too long', { stopReason: 'length' }), undefined)).toBe(false);
  });
});

describe('the window', () => {
  const settings = { enabled: true, reserveTokens: 16_384, keepRecentTokens: 20_000 };
  const model = (contextWindow: number): Model => ({ ...scriptedModel, contextWindow });

  test('is nearly full when the reserve is touched', () => {
    expect(isNearlyFull(200_000 - 16_384, model(200_000), settings)).toBe(false);
    expect(isNearlyFull(200_000 - 16_383, model(200_000), settings)).toBe(true);
    expect(isNearlyFull(9_999_999, null, settings)).toBe(false);
  });

  test('that is small keeps half of itself for the answer', () => {
    expect(reserve(model(8000), settings)).toBe(4000);
    expect(isNearlyFull(4000, model(8000), settings)).toBe(false);
    expect(isNearlyFull(4001, model(8000), settings)).toBe(true);
  });

  test.each([
    [200_000, 20_000],
    [32_000, 8000],
    [8000, 2000],
    [1000, 250],
  ])('of %i tokens keeps %i, so that a summary fits beside it', (contextWindow, kept) => {
    expect(keep(model(contextWindow), settings)).toBe(kept);
    expect(keep(model(contextWindow), settings)).toBeLessThan(contextWindow - reserve(model(contextWindow), settings));
  });

  test.each([0, -1, Number.NaN])('that nobody knows (%d) is never nearly full', (contextWindow) => {
    expect(isNearlyFull(9_999_999, model(contextWindow), settings)).toBe(false);
    expect(keep(model(contextWindow), settings)).toBe(20_000);
    expect(reserve(model(contextWindow), settings)).toBe(16_384);
  });
});
