// Provider failures: classification by status and text, retry delays, and redacted keys.
import { describe, expect, test } from 'vitest';
import { redact } from '../../../src/base/redaction.ts';
import { createHttpFault, createStreamFault } from '../../../src/llm/http/provider-fault.ts';

const getKind = (status: number, text: string) => createHttpFault(status, new Headers(), text, []).providerFailure.kind;

describe('classification', () => {
  test.each([
    [402, ''],
    [402, 'Insufficient Balance'],
    [400, 'Your credit balance is too low to access the Anthropic API.'],
    [403, 'Your team has used all available credits or reached its monthly spending limit.'],
    [429, 'You exceeded your current quota, please check your plan and billing details.'],
    [429, '{"error":{"code":"1113","message":"Insufficient balance or no resource package. Please recharge."}}'],
    [429, 'Your account is suspended due to insufficient balance, please recharge your account'],
    [429, '{"error":{"type":"exceeded_current_quota_error","message":"Please check your account balance"}}'],
    [429, 'insufficient_user_quota'],
    [400, 'Access denied, please make sure your account is in good standing. (Arrearage)'],
  ])('%i %s: quota exceeded', (status, text) => {
    expect(getKind(status, text)).toBe('quota');
  });

  test.each([
    [429, 'Rate limit reached for requests'],
    [429, 'Request rejected: tokens per minute limit reached, the rate balance refills every second'],
    [429, ''],
  ])('%i %s: rate limit', (status, text) => {
    expect(getKind(status, text)).toBe('rate_limit');
  });

  test('quota error inside a stream', () => {
    expect(createStreamFault('error', 'insufficient balance (1008)', 'x', []).providerFailure.kind).toBe('quota');
  });
});

describe('retry delay', () => {
  const getRetryAfter = (headers: Record<string, string>) =>
    createHttpFault(429, new Headers(headers), '', []).providerFailure.retryAfterMs;
  const date = 'Sun, 15 Nov 2026 10:00:00 GMT';

  test.each([
    [{ 'retry-after': '7' }, 7000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    // Relative to the server's clock, because the local clock may be wrong.
    [{ 'retry-after': 'Sun, 15 Nov 2026 10:00:30 GMT', date }, 30_000],
    [{ 'retry-after': 'Sun, 15 Nov 2026 09:59:00 GMT', date }, 0],
    [{ 'retry-after': 'Sun, 15 Nov 2026 10:00:30 GMT' }, undefined],
    [{ 'retry-after': '-1' }, undefined],
    [{ 'retry-after': 'NaN' }, undefined],
    [{ 'retry-after': '' }, undefined],
    [{ 'retry-after': 'soon', date }, undefined],
    [{ 'retry-after-ms': '', 'retry-after': '2' }, 2000],
    [{}, undefined],
  ])('%j', (headers, expected) => {
    expect(getRetryAfter(headers as Record<string, string>)).toBe(expected);
  });
});

test('keys in error bodies are redacted', () => {
  const { message } = createHttpFault(401, new Headers(), 'Incorrect API key: sk-secret-1', ['sk-secret-1']);
  expect(message).toBe('401 Incorrect API key: [redacted]');
  expect(redact('abc abc', ['abc'])).toBe('abc abc');
});
