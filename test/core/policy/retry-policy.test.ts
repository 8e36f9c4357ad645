// Retry policy: which failures are retried, and after which delay.
import { describe, expect, test } from 'vitest';
import { computeRetryDelay, isTransient } from '../../../src/core/policy/retry-policy.ts';
import type { ProviderFailure } from '../../../src/protocol/index.ts';
import { assistant } from '../entries.ts';

const failing = (errorMessage: string) => assistant([], { stopReason: 'error', errorMessage });

describe('transient failures', () => {
  test.each<ProviderFailure['kind']>(['overloaded', 'rate_limit', 'server', 'network', 'timeout', 'malformed'])(
    '%s',
    (kind) => {
      expect(isTransient(failing('any message'), { kind })).toBe(true);
    },
  );

  test.each([
    'Overloaded',
    'rate limit exceeded',
    'Rate-limited',
    '429 Too Many Requests',
    'too many requests',
    '500 Internal Server Error',
    '502 Bad Gateway',
    '503 service unavailable',
    '504 Gateway Timeout',
    '529 overloaded_error',
    'Service Unavailable',
    'server error',
    'internal error',
    'Connection error.',
    'connection refused',
    'other side closed',
    'fetch failed',
    'upstream connect error or disconnect',
    'reset before headers',
    'terminated',
    'retry delay of 3s',
    'The request timed out',
  ])('message without a kind: %s', (message) => {
    expect(isTransient(failing(message), undefined)).toBe(true);
  });
});

describe('permanent failures', () => {
  test.each<ProviderFailure['kind']>(['auth', 'quota', 'overflow', 'filter', 'refused', 'limit'])('%s', (kind) => {
    expect(isTransient(failing('503 overloaded'), { kind })).toBe(false);
  });

  test.each([
    '400 prompt is too long',
    '401 invalid x-api-key',
    '404 model not found',
    'You exceeded your current quota',
    'item 5031 is missing',
    '',
  ])('message without a kind: %s', (message) => {
    expect(isTransient(failing(message), undefined)).toBe(false);
  });

  test('an answer that did not fail is not transient, even if its text looks like an error', () => {
    expect(isTransient(assistant('503 overloaded'), { kind: 'overloaded' })).toBe(false);
    expect(isTransient(assistant([], { stopReason: 'aborted', errorMessage: '503' }), undefined)).toBe(false);
  });
});

describe('computeRetryDelay', () => {
  const settings = { enabled: true, maxRetries: 3, baseDelayMs: 2000, maxDelayMs: 60_000 };
  const createFailure = (retryAfterMs: number): ProviderFailure => ({ kind: 'rate_limit', retryAfterMs });

  test('doubles with each attempt, up to the maximum', () => {
    const delays = [1, 2, 3, 5, 6, 40, 5000].map((attempt) => computeRetryDelay(attempt, settings, undefined));
    expect(delays).toEqual([2000, 4000, 8000, 32_000, 60_000, 60_000, 60_000]);
  });

  test.each([
    ['longer than the backoff', 30_000, 30_000],
    ['shorter than the backoff', 100, 2000],
    ['longer than the maximum', 3_600_000, 60_000],
    ['zero', 0, 2000],
    ['negative', -5000, 2000],
    ['not a number', Number.NaN, 2000],
    ['infinite', Number.POSITIVE_INFINITY, 2000],
  ])('the delay requested by the provider is %s', (_, retryAfterMs, delay) => {
    expect(computeRetryDelay(1, settings, createFailure(retryAfterMs))).toBe(delay);
  });

  test('invalid settings never give a negative delay', () => {
    expect(computeRetryDelay(1, { ...settings, baseDelayMs: -1, maxDelayMs: -1 }, undefined)).toBe(0);
  });
});
