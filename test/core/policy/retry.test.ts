// Which failures are worth another attempt, and how long to wait for it.
import { describe, expect, test } from 'vitest';
import { delayBefore, isTransient } from '../../../src/core/policy/retry.ts';
import type { Failure } from '../../../src/protocol/index.ts';
import { assistant } from '../entries.ts';

const failing = (errorMessage: string) => assistant([], { stopReason: 'error', errorMessage });

describe('worth another attempt', () => {
  test.each<Failure['kind']>(['overloaded', 'rate_limit', 'server', 'network', 'timeout', 'malformed'])(
    '%s',
    (kind) => {
      expect(isTransient(failing('whatever it says'), { kind })).toBe(true);
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
  ])('only words: %s', (words) => {
    expect(isTransient(failing(words), undefined)).toBe(true);
  });
});

describe('not worth another attempt', () => {
  test.each<Failure['kind']>(['auth', 'quota', 'overflow', 'filter', 'refused', 'limit'])('%s', (kind) => {
    expect(isTransient(failing('503 overloaded'), { kind })).toBe(false);
  });

  test.each([
    '400 prompt is too long',
    '401 invalid x-api-key',
    '404 model not found',
    'You exceeded your current quota',
    'item 5031 is missing',
    '',
  ])('only words: %s', (words) => {
    expect(isTransient(failing(words), undefined)).toBe(false);
  });

  test('an answer that did not fail, whatever is written in it', () => {
    expect(isTransient(assistant('503 overloaded'), { kind: 'overloaded' })).toBe(false);
    expect(isTransient(assistant([], { stopReason: 'aborted', errorMessage: '503' }), undefined)).toBe(false);
  });
});

describe('the wait', () => {
  const settings = { enabled: true, maxRetries: 3, baseDelayMs: 2000, maxDelayMs: 60_000 };
  const asked = (retryAfterMs: number): Failure => ({ kind: 'rate_limit', retryAfterMs });

  test('doubles with each attempt, up to the longest', () => {
    const waits = [1, 2, 3, 5, 6, 40, 5000].map((attempt) => delayBefore(attempt, settings, undefined));
    expect(waits).toEqual([2000, 4000, 8000, 32_000, 60_000, 60_000, 60_000]);
  });

  test.each([
    ['longer than ours', 30_000, 30_000],
    ['shorter than ours', 100, 2000],
    ['longer than we wait', 3_600_000, 60_000],
    ['nothing', 0, 2000],
    ['a time that is over', -5000, 2000],
    ['no number', Number.NaN, 2000],
    ['for ever', Number.POSITIVE_INFINITY, 2000],
  ])('the provider asks for %s', (_, retryAfterMs, wait) => {
    expect(delayBefore(1, settings, asked(retryAfterMs))).toBe(wait);
  });

  test('settings that make no sense never give a negative wait', () => {
    expect(delayBefore(1, { ...settings, baseDelayMs: -1, maxDelayMs: -1 }, undefined)).toBe(0);
  });
});
