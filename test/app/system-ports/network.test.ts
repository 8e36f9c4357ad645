// Requests go through the user's proxy where one is named, and never to this machine that way.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createNetwork } from '../../../src/app/system-ports/network.ts';
import { createFakeClock } from '../../../src/testing/index.ts';
import { startForwardProxy } from '../../support/forward-proxy.ts';

const createFetch = (env: Record<string, string>) => createNetwork(env, createFakeClock()).fetch;

async function origin() {
  const seen: IncomingMessage['headers'][] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers);
    response.end('from the origin');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, seen };
}

async function stage() {
  const { port, seen } = await origin();
  const { url, forwarded } = await startForwardProxy({ ports: { 80: port, 443: port, [port]: port } });
  return { port, seen, url, forwarded };
}

test('without a proxy it is the fetch that the process has', async () => {
  const answer = new Response('ok');
  const spy = vi.spyOn(globalThis, 'fetch').mockResolvedValue(answer);
  expect(await createFetch({ NO_PROXY: '*' })('http://x.test/')).toBe(answer);
  spy.mockRestore();
});

describe('with a proxy', () => {
  test.each(['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'])('%s is honoured', async (name) => {
    const { url, forwarded, seen } = await stage();
    const response = await createFetch({ [name]: url })('http://provider.test/x', {
      method: 'POST',
      body: '{}',
      headers: { 'x-mark': 'here' },
    });
    expect(await response.text()).toBe('from the origin');
    expect(forwarded).toEqual([{ how: 'forward', to: 'provider.test' }]);
    expect(seen[0]).toMatchObject({ 'x-mark': 'here' });
  });

  test('HTTPS_PROXY is for https', async () => {
    const { url, forwarded } = await stage();
    // The origin speaks no TLS; how far the request came is all that matters.
    await expect(createFetch({ HTTPS_PROXY: url })('https://provider.test/x')).rejects.toThrow();
    expect(forwarded).toEqual([{ how: 'tunnel', to: 'provider.test:443' }]);
  });

  test('the small spelling comes first', async () => {
    const [one, other] = [await stage(), await stage()];
    await createFetch({ http_proxy: one.url, HTTP_PROXY: other.url })('http://provider.test/');
    expect([one.forwarded.length, other.forwarded.length]).toEqual([1, 0]);
  });

  test.each(['127.0.0.1', 'localhost'])('%s is not reached through it, unless that is asked for', async (host) => {
    const { url, port, forwarded } = await stage();
    expect(await (await createFetch({ ALL_PROXY: url })(`http://${host}:${port}/`)).text()).toBe('from the origin');
    expect(forwarded).toEqual([]);
    await createFetch({ ALL_PROXY: url, PARLEY_PROXY_LOOPBACK: '1' })(`http://${host}:${port}/`);
    expect(forwarded).toEqual([{ how: 'forward', to: `${host}:${port}` }]);
  });

  test('NO_PROXY names who is reached directly', async () => {
    const { url, port, forwarded } = await stage();
    // This machine by a name that is not among those which are always reached directly.
    const fetch = createFetch({ HTTP_PROXY: url, NO_PROXY: '0.0.0.0' });
    expect(await (await fetch(`http://0.0.0.0:${port}/`)).text()).toBe('from the origin');
    await fetch('http://provider.test/');
    expect(forwarded).toEqual([{ how: 'forward', to: 'provider.test' }]);
  });

  test('a request can be aborted', async () => {
    const { url } = await stage();
    const signal = AbortSignal.abort();
    await expect(createFetch({ HTTP_PROXY: url })('http://provider.test/', { signal })).rejects.toThrow(/abort/i);
  });
});

test.each(['socks5://me:canary@127.0.0.1:1080', 'not an address'])(
  '%s is refused without its words',
  async (address) => {
    const asked = createFetch({ ALL_PROXY: address })('http://provider.test/');
    await expect(asked).rejects.toMatchObject({ code: 'config' });
    await expect(asked).rejects.not.toThrow('canary');
  },
);
