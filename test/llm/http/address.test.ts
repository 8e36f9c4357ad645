// Secrets in URLs: redaction, detection, and userinfo as an authorization header.
import { describe, expect, test } from 'vitest';
import { findUrlSecrets, moveUserinfoToHeader, redactUrl } from '../../../src/llm/http/url-secrets.ts';
import { PROVIDERS } from '../../../src/llm/providers/providers.ts';

describe('URLs without secrets', () => {
  test.each([
    ...PROVIDERS.map(({ baseUrl }) => baseUrl),
    'http://localhost:11434/v1',
    'https://my-resource.openai.azure.com/openai/deployments/gpt-4o-mini-2024-07-18?api-version=2024-10-21',
    'https://eu-aiplatform.googleapis.com/v1beta1/projects/my-project-123456/locations/europe-west1/publishers/google',
    'https://host/proxy/openai-compatible/v1beta1',
    'https://host/v2024.1/chat/completions/2024-02-15-preview',
    'extension:mine:1',
    'not an address',
    '',
  ])('%s', (url) => {
    expect(redactUrl(url)).toBe(url);
    expect(findUrlSecrets(url)).toEqual([]);
  });
});

describe('URLs with secrets', () => {
  test.each([
    ['https://me:pass@host/v1', 'https://host/v1', ['me:pass', 'pass', 'me']],
    ['https://admin:p%40ss@host', 'https://host', ['admin:p%40ss', 'p%40ss']],
    ['https://tok3n@host/v1', 'https://host/v1', ['tok3n']],
    ['https://host/sk-abcdef123/v1', 'https://host/[redacted]/v1', ['sk-abcdef123']],
    ['https://host/a1b2c3d4e5f6/v1', 'https://host/[redacted]/v1', ['a1b2c3d4e5f6']],
    ['https://host/my-secret/v1', 'https://host/[redacted]/v1', ['my-secret']],
    [
      'https://host/0f8fad5b-d9cb-469f-a165-70867728950e/v1',
      'https://host/[redacted]/v1',
      ['0f8fad5b-d9cb-469f-a165-70867728950e'],
    ],
    [
      'https://host/v1?key=abcd&x=1&api-version=2024-10-21',
      'https://host/v1?key=[redacted]&x=1&api-version=2024-10-21',
      ['abcd'],
    ],
    ['https://me:pa ss@host:99999/v1', 'https://host:99999/v1', ['me:pa ss', 'pa ss', 'me']],
  ])('in %s', (url, redacted, secrets) => {
    expect(redactUrl(url)).toBe(redacted);
    expect(findUrlSecrets(url)).toEqual(secrets);
  });
});

test('userinfo becomes an authorization header, unless there is one', () => {
  expect(moveUserinfoToHeader('https://me:p%40ss@host/v1?x=1', { a: 'b' })).toEqual({
    url: 'https://host/v1?x=1',
    headers: { a: 'b', authorization: `Basic ${Buffer.from('me:p@ss').toString('base64')}` },
  });
  expect(moveUserinfoToHeader('https://me:pass@host/', { Authorization: 'Bearer k' })).toEqual({
    url: 'https://host/',
    headers: { Authorization: 'Bearer k' },
  });
  expect(moveUserinfoToHeader('https://host/@me', {})).toEqual({ url: 'https://host/@me', headers: {} });
});
