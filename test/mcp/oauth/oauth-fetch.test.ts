// Where OAuth requests may be sent: encrypted, or on the loopback interface for a server on the loopback interface.
import { expect, test } from 'vitest';
import { assertSecureUrl } from '../../../src/mcp/oauth/oauth-fetch.ts';

const LOCAL = 'http://127.0.0.1:4000/mcp';

test.each([
  ['https://auth.example/token', 'https://mcp.example/'],
  ['https://auth.example/token', LOCAL],
  ['http://localhost:1/token', LOCAL],
  ['http://auth.localhost/token', LOCAL],
  ['http://127.8.9.10/token', LOCAL],
  ['http://[::1]:2/token', 'http://localhost/mcp'],
])('%s is used for %s', (url, server) => {
  expect(() => assertSecureUrl(url, server)).not.toThrow();
});

test.each([
  ['http://auth.example/token', 'https://mcp.example/'],
  ['http://127.0.0.1/token', 'https://mcp.example/'],
  ['http://127.evil.example/token', LOCAL],
  ['http://127.0.0.1.evil.example/token', LOCAL],
  ['http://localhost.example/token', LOCAL],
  ['ftp://127.0.0.1/token', LOCAL],
])('%s is refused for %s', (url, server) => {
  expect(() => assertSecureUrl(url, server)).toThrow('does not use https. Nothing was sent to it.');
});
