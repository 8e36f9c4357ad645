// Which addresses a NO_PROXY list matches.
import { describe, expect, test } from 'vitest';
import { createNoProxy } from '../../../src/app/system-ports/no-proxy.ts';

const matches = (list: string, address: string) => createNoProxy(list)(new URL(address));

describe('reached without the proxy', () => {
  test.each([
    ['*', 'https://any.example/'],
    ['example.com', 'https://example.com/'],
    ['example.com', 'https://api.example.com/'],
    ['EXAMPLE.com', 'https://Api.Example.COM/'],
    ['example.com', 'https://example.com./'],
    ['.example.com', 'https://api.example.com/'],
    ['*.example.com', 'https://a.b.example.com/'],
    ['*example.com', 'https://api-example.com/'],
    ['a.test,example.com', 'http://example.com/'],
    [' a.test \t example.com ,, ', 'http://example.com/'],
    ['example.com:443', 'https://example.com/'],
    ['example.com:80', 'http://example.com/'],
    ['.example.com:8080', 'http://api.example.com:8080/'],
    ['10.1.2.3', 'http://10.1.2.3/'],
    ['10.1.2.3:8080', 'http://10.1.2.3:8080/'],
    ['10.0.0.0/8', 'http://10.1.2.3:8080/'],
    ['10.0.0.0/8:8080', 'http://10.1.2.3:8080/'],
    ['::1', 'http://[::1]:8080/'],
    ['[::1]', 'http://[::1]:8080/'],
    ['[::1]:8080', 'http://[::1]:8080/'],
    ['0:0:0:0:0:0:0:1', 'http://[::1]/'],
    ['fd00::/8', 'http://[fd12:3456::1]/'],
  ])('%s: %s', (list, address) => {
    expect(matches(list, address)).toBe(true);
  });
});

describe('reached through the proxy', () => {
  test.each([
    ['', 'https://example.com/'],
    [',', 'https://example.com/'],
    ['example.com', 'https://badexample.com/'],
    ['example.com', 'https://example.com.test/'],
    ['.example.com', 'https://example.com/'],
    ['*.example.com', 'https://example.com/'],
    ['api.example.com', 'https://example.com/'],
    ['example.com:80', 'https://example.com/'],
    ['example.com:8080', 'http://example.com/'],
    ['10.1.2.3', 'http://10.1.2.30/'],
    ['1.2.3', 'http://10.1.2.3/'],
    ['10.0.0.0/8', 'http://11.1.2.3/'],
    ['10.0.0.0/8', 'http://10.example.com/'],
    ['10.0.0.0/33', 'http://10.0.0.0/'],
    ['10.0.0.0/x', 'http://10.0.0.0/'],
    ['[::1]:80', 'http://[::1]:8080/'],
    ['fd00::/8', 'http://10.0.0.1/'],
    ['https://example.com', 'https://example.com/'],
  ])('%s: %s', (list, address) => {
    expect(matches(list, address)).toBe(false);
  });
});
