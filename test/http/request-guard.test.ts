// Which requests are processed: Host, Origin, site, token and the number of wrong tokens.
import { describe, expect, test } from 'vitest';
import { type RequestFacts, RequestGuard } from '../../src/http/request-guard.ts';
import { createFakeClock } from '../../src/testing/index.ts';
import { createTokens, HOST, MAIN_TOKEN, READ_TOKEN } from './http-app.ts';

const LISTED = 'https://app.example.com';
/** Another port of the same host: browsers treat it as the same site. */
const OTHER_PORT = 'http://127.0.0.1:3000';

function createGuard() {
  const clock = createFakeClock();
  const options = { tokens: createTokens(), clock, allowedOrigins: [LISTED], getCookieName: () => 'parley_7420' };
  return { clock, guard: new RequestGuard({ ...options, getHosts: () => [HOST, 'localhost:7420', '[::1]:7420'] }) };
}

function createFacts(headers: Record<string, string>, facts: Partial<RequestFacts> = {}): RequestFacts {
  const all: Record<string, string> = { host: HOST, ...headers };
  return {
    ...{ method: 'GET', path: '/', query: new URLSearchParams(), remoteAddress: '127.0.0.1' },
    header: (name) => all[name],
    ...facts,
  };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const cookie = (token: string) => ({ cookie: `other=1; parley_7420=${token}` });

describe('Host', () => {
  test.each([HOST, 'localhost:7420', 'LocalHost:7420', '[::1]:7420'])('%s is allowed', (host) => {
    expect(createGuard().guard.check(createFacts({ host }))).toBeUndefined();
  });

  test.each([
    'evil.example:7420',
    '127.0.0.1',
    '127.0.0.1:7421',
    'localhost:7420.evil.example',
    `${HOST}, evil.example`,
    '0.0.0.0:7420',
    '[::]:7420',
    '2130706433:7420',
    'user@127.0.0.1:7420',
    '',
  ])('%j is refused', (host) => {
    expect(createGuard().guard.check(createFacts({ host }))).toMatchObject({ status: 403, code: 'forbidden' });
  });
});

describe('Origin', () => {
  test.each([`http://${HOST}`, 'http://localhost:7420', `https://${HOST}`, LISTED])('%s is allowed', (origin) => {
    expect(createGuard().guard.check(createFacts({ origin }))).toBeUndefined();
  });

  test.each([
    'null',
    '*',
    '',
    'https://evil.example',
    OTHER_PORT,
    `http://${HOST}.evil.example`,
    `http://${HOST}/`,
    `${LISTED}:8443`,
    'http://app.example.com',
    'https://APP.example.com.evil',
    'file://',
    'chrome-extension://abcdefgh',
  ])('%j is refused, also with the token', (origin) => {
    const facts = createFacts({ origin, ...bearer(MAIN_TOKEN) });
    expect(createGuard().guard.check(facts)).toMatchObject({ status: 403, code: 'forbidden' });
  });
});

describe('requests of other sites without an origin', () => {
  const isRefused = (headers: Record<string, string>, facts: Partial<RequestFacts> = {}) =>
    createGuard().guard.check(createFacts(headers, facts)) !== undefined;

  test.each(['cross-site', 'same-site'])('%s: images, scripts, frames and fetches are refused', (site) => {
    for (const [mode, dest] of [
      ['no-cors', 'image'],
      ['no-cors', 'script'],
      ['no-cors', 'empty'],
      ['navigate', 'iframe'],
      ['navigate', 'object'],
    ] as const) {
      const headers = { 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest };
      expect([mode, dest, isRefused(headers)]).toEqual([mode, dest, true]);
    }
    expect(isRefused({ 'sec-fetch-site': site })).toBe(true);
  });

  test('a link opens the page, and a form cannot send anything', () => {
    const opened = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    expect(isRefused(opened)).toBe(false);
    expect(isRefused(opened, { method: 'POST' })).toBe(true);
  });

  test.each(['none', 'same-origin'])('%s is allowed', (site) => {
    expect(isRefused({ 'sec-fetch-site': site, 'sec-fetch-mode': 'cors' })).toBe(false);
  });
});

describe('tokens', () => {
  const authorize = (headers: Record<string, string>, query = '', allowQuery = false) => {
    const facts = createFacts(headers, { query: new URLSearchParams(query) });
    const admission = createGuard().guard.authorize(facts, { allowQuery });
    return 'owner' in admission ? `${admission.owner.name} ${admission.owner.access}` : admission.refusal.code;
  };

  test('are accepted as bearer tokens and as the cookie of this port', () => {
    expect(authorize(bearer(MAIN_TOKEN))).toBe('owner full');
    expect(authorize({ authorization: `bearer  ${READ_TOKEN}` })).toBe('dashboard read');
    expect(authorize(cookie(MAIN_TOKEN))).toBe('owner full');
    expect(authorize({ cookie: `parley_7421=${MAIN_TOKEN}` })).toBe('unauthorized');
    expect(authorize({ cookie: `xparley_7420=${MAIN_TOKEN}` })).toBe('unauthorized');
  });

  test('are accepted in the query for WebSockets only', () => {
    expect(authorize({}, `token=${MAIN_TOKEN}`, true)).toBe('owner full');
    expect(authorize({}, `token=${MAIN_TOKEN}`)).toBe('unauthorized');
  });

  test.each([
    '',
    ' ',
    `${MAIN_TOKEN} `,
    MAIN_TOKEN.slice(0, -1),
    `${MAIN_TOKEN}0`,
    MAIN_TOKEN.toUpperCase(),
    'undefined',
  ])('%j is not a token', (token) => {
    expect(authorize(cookie(token), `token=${encodeURIComponent(token)}`, true)).toBe('unauthorized');
  });

  test('a wrong bearer token is not replaced by the cookie', () => {
    expect(authorize({ ...bearer('wrong'), ...cookie(MAIN_TOKEN) })).toBe('unauthorized');
  });

  test('the cookie counts for the own page only', () => {
    expect(authorize({ ...cookie(MAIN_TOKEN), origin: `http://${HOST}`, 'sec-fetch-site': 'same-origin' })).toBe(
      'owner full',
    );
    expect(authorize({ ...cookie(MAIN_TOKEN), origin: LISTED, 'sec-fetch-site': 'cross-site' })).toBe('unauthorized');
    expect(authorize({ ...cookie(MAIN_TOKEN), origin: OTHER_PORT, 'sec-fetch-site': 'same-site' })).toBe(
      'unauthorized',
    );
    expect(authorize({ ...cookie(MAIN_TOKEN), 'sec-fetch-site': 'same-site' })).toBe('unauthorized');
    expect(authorize({ ...bearer(MAIN_TOKEN), origin: LISTED })).toBe('owner full');
  });
});

describe('the limit of wrong tokens', () => {
  const attempt = (guard: RequestGuard, token: string, facts: Partial<RequestFacts> = {}, headers = {}) => {
    const admission = guard.authorize(createFacts({ ...bearer(token), ...headers }, facts));
    return 'owner' in admission ? 200 : admission.refusal.status;
  };
  const guess = (guard: RequestGuard, count: number, facts: Partial<RequestFacts> = {}, headers = {}) =>
    Array.from({ length: count }, (_, index) => attempt(guard, `guess-${index}`, facts, headers));

  test('after 20 different ones an address waits until a minute has passed', async () => {
    const { guard, clock } = createGuard();
    expect(guess(guard, 20)).toEqual(Array(20).fill(401));
    expect(attempt(guard, 'wrong')).toBe(429);
    expect(attempt(guard, 'wrong', { remoteAddress: '192.0.2.7' })).toBe(401);
    await clock.advance(59_999);
    expect(attempt(guard, 'wrong')).toBe(429);
    await clock.advance(1);
    expect(guess(guard, 21)).toEqual([...Array(20).fill(401), 429]);
  });

  test('a valid token is accepted from that address', () => {
    const { guard } = createGuard();
    guess(guard, 30);
    expect(attempt(guard, MAIN_TOKEN)).toBe(200);
    expect(attempt(guard, READ_TOKEN)).toBe(200);
  });

  test('the same wrong token, for example of an old cookie, is counted once', () => {
    const { guard } = createGuard();
    for (let i = 0; i < 100; i++) expect(attempt(guard, 'old')).toBe(401);
    expect(attempt(guard, 'other')).toBe(401);
  });

  test('requests without a token are not counted', () => {
    const { guard } = createGuard();
    for (let i = 0; i < 100; i++) guard.authorize(createFacts({}));
    expect(attempt(guard, 'wrong')).toBe(401);
  });

  test('windows that a page of another site opens are counted separately', () => {
    const { guard } = createGuard();
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    expect(guess(guard, 30, {}, headers).at(-1)).toBe(429);
    expect(attempt(guard, 'wrong')).toBe(401);
  });

  test('the number of remembered addresses is limited', () => {
    const { guard } = createGuard();
    for (let i = 0; i < 3000; i++) attempt(guard, 'wrong', { remoteAddress: `10.0.${i >> 8}.${i & 255}` });
    expect(guess(guard, 21, { remoteAddress: '10.0.11.183' }).at(-1)).toBe(429);
  });
});

test('requests with a token are limited per second, for each token', () => {
  const { clock, guard } = createGuard();
  const send = (token: string) => guard.authorize(createFacts(bearer(token)));
  for (let i = 0; i < 5000; i++) expect(send(MAIN_TOKEN)).toHaveProperty('owner');
  expect(send(MAIN_TOKEN)).toMatchObject({ refusal: { status: 429, code: 'rate_limited', retryAfter: 1 } });
  expect(send(READ_TOKEN)).toHaveProperty('owner');
  clock.advance(100);
  for (let i = 0; i < 100; i++) expect(send(MAIN_TOKEN)).toHaveProperty('owner');
  expect(send(MAIN_TOKEN)).toHaveProperty('refusal');
});
