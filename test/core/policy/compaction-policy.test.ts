// Compaction policy: overflow detection, the threshold, and how much is kept.
import { describe, expect, test } from 'vitest';
import {
  computeKeepTokens,
  computeReserveTokens,
  isNearlyFull,
  isOverflow,
} from '../../../src/core/policy/compaction-policy.ts';
import type { Model } from '../../../src/protocol/index.ts';
import { scriptedModel } from '../../../src/testing/index.ts';
import { assistant } from '../entries.ts';

const failing = (errorMessage: string) => assistant([], { stopReason: 'error', errorMessage });

describe('isOverflow', () => {
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
  ])('true: %s', (message) => {
    expect(isOverflow(failing(message), undefined)).toBe(true);
    expect(isOverflow(failing('any message'), { kind: 'overflow' })).toBe(true);
  });

  test.each(['503 overloaded', '401 invalid key', 'rate limit', ''])('false: %s', (message) => {
    expect(isOverflow(failing(message), undefined)).toBe(false);
  });

  test('the kind of the failure has priority over its message', () => {
    expect(isOverflow(failing('prompt is too long'), { kind: 'rate_limit' })).toBe(false);
  });

  test('false for a successful answer', () => {
    expect(isOverflow(assistant('prompt is too long'), undefined)).toBe(false);
    expect(isOverflow(assistant('prompt is too long', { stopReason: 'length' }), undefined)).toBe(false);
  });
});

describe('a context window', () => {
  const settings = { enabled: true, reserveTokens: 16_384, keepRecentTokens: 20_000 };
  const model = (contextWindow: number): Model => ({ ...scriptedModel, contextWindow });

  test('is nearly full when tokens of the reserve are used', () => {
    expect(isNearlyFull(200_000 - 16_384, model(200_000), settings)).toBe(false);
    expect(isNearlyFull(200_000 - 16_383, model(200_000), settings)).toBe(true);
    expect(isNearlyFull(9_999_999, null, settings)).toBe(false);
  });

  test('that is small reserves half of itself for the answer', () => {
    expect(computeReserveTokens(model(8000), settings)).toBe(4000);
    expect(isNearlyFull(4000, model(8000), settings)).toBe(false);
    expect(isNearlyFull(4001, model(8000), settings)).toBe(true);
  });

  test.each([
    [200_000, 20_000],
    [32_000, 8000],
    [8000, 2000],
    [1000, 250],
  ])('of %i tokens keeps %i, so that the summary also fits', (contextWindow, keepTokens) => {
    expect(computeKeepTokens(model(contextWindow), settings)).toBe(keepTokens);
    expect(computeKeepTokens(model(contextWindow), settings)).toBeLessThan(
      contextWindow - computeReserveTokens(model(contextWindow), settings),
    );
  });

  test.each([0, -1, Number.NaN])('of unknown size (%d) is never nearly full', (contextWindow) => {
    expect(isNearlyFull(9_999_999, model(contextWindow), settings)).toBe(false);
    expect(computeKeepTokens(model(contextWindow), settings)).toBe(20_000);
    expect(computeReserveTokens(model(contextWindow), settings)).toBe(16_384);
  });
});
