// Files of the page are answered without the router. The answers must be those of the router.
import { describe, expect, test } from 'vitest';
import { answerPageRequest } from '../../src/http/page-handler.ts';
import { createTestApp, HOST } from './http-app.ts';

const LISTED = 'https://listed.example';

function createFacts(target: string, method = 'GET', headers: Readonly<Record<string, string>> = {}) {
  const { pathname: path, searchParams: query } = new URL(target, `http://${HOST}`);
  const all: Readonly<Record<string, string>> = { host: HOST, ...headers };
  return { method, path, query, remoteAddress: '127.0.0.1', header: (name: string) => all[name] };
}

describe('files of the page', () => {
  test.each(['/', '/?session=s1', '/docs', '/assets/index-1.js', '/favicon.svg'])('%s', async (target) => {
    const { request, backend, guard } = createTestApp();
    const answer = await answerPageRequest({ backend, guard }, createFacts(target));
    const routed = await request(target, { token: null });
    expect(routed.status).toBe(200);
    expect(answer?.bytes).toEqual(new Uint8Array(await routed.arrayBuffer()));
    const { 'content-length': length, ...headers } = answer?.headers ?? {};
    expect(headers).toEqual(Object.fromEntries(routed.headers));
    expect(length).toBe('4');
  });

  test('the file that is read has the name of the address', async () => {
    const read: string[] = [];
    const { guard } = createTestApp();
    const readPageFile = async (path: string) => void read.push(path) as undefined;
    for (const target of ['/', '/docs', '/assets/a.css', '/assets/../secret', '/assets/%2e%2e/secret'])
      await answerPageRequest({ backend: { readPageFile }, guard }, createFacts(target));
    expect(read).toEqual(['index.html', 'docs.html', 'assets/a.css']);
  });
});

describe('the router answers', () => {
  test.each([
    ['a login with a token', '/?token=x', 'GET', {}],
    ['a login with a code', '/?code=x', 'GET', {}],
    ['another method', '/', 'POST', {}],
    ['a command', '/v1/sessions', 'GET', {}],
    ['a name of the language', '/constructor', 'GET', {}],
    ['a wrong host', '/', 'GET', { host: 'other.example' }],
    ['a wrong origin', '/', 'GET', { origin: 'https://other.example' }],
    ['an image of another site', '/', 'GET', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
    ['a listed origin', '/', 'GET', { origin: LISTED }],
  ])('%s', async (_what, target, method, headers) => {
    const { backend, guard } = createTestApp({ allowedOrigins: [LISTED] });
    expect(await answerPageRequest({ backend, guard }, createFacts(target, method, headers))).toBeUndefined();
  });
});
