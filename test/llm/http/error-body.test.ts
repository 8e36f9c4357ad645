// Extracting the message from a provider's error body.
import { expect, test } from 'vitest';
import { extractErrorText } from '../../../src/llm/http/error-body.ts';

test.each([
  [
    '{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}',
    'authentication_error: invalid x-api-key',
  ],
  [
    '{"error":{"message":"Incorrect API key","type":"invalid_request_error","code":"invalid_api_key"}}',
    'invalid_request_error: Incorrect API key',
  ],
  [
    '[{"error":{"code":400,"message":"API key not valid","status":"INVALID_ARGUMENT"}}]',
    'INVALID_ARGUMENT: API key not valid',
  ],
  ['{"error":"model not found"}', 'model not found'],
  ['{"error":"invalid_grant","error_description":"Token has expired."}', 'invalid_grant: Token has expired.'],
  ['{"message":"The security token is invalid."}', 'The security token is invalid.'],
  ['{"detail":"Not Found"}', 'Not Found'],
  [
    '{"error":{"message":"Provider returned error","metadata":{"raw":"{\\"error\\":\\"quota\\"}"}}}',
    'Provider returned error (quota)',
  ],
  ['{"error":{"message":"x"},"request_id":"r1"}', 'x (request r1)'],
  ['<html><head><title>502 Bad Gateway</title></head></html>', '502 Bad Gateway'],
  ['<h1>Bad gateway</h1>', '<h1>Bad gateway</h1>'],
  ['{"unknown":{"form":1}}', '{"unknown":{"form":1}}'],
  ['{"error":{"message":""}}', '{"error":{"message":""}}'],
  ['{"error": tru', '{"error": tru'],
  ['plain words', 'plain words'],
  ['', ''],
])('%s', (body, text) => {
  expect(extractErrorText(body)).toBe(text);
});
