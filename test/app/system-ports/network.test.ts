// Requests use the user's proxy if one is configured, except for addresses of this machine.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createNetwork } from '../../../src/app/system-ports/network.ts';
import { createFakeClock } from '../../../src/testing/index.ts';
import { startForwardProxy } from '../../support/forward-proxy.ts';

const createFetch = (env: Record<string, string>) => createNetwork(env, createFakeClock()).fetch;

async function startOrigin() {
  const receivedHeaders: IncomingMessage['headers'][] = [];
  const server = createServer((request, response) => {
    receivedHeaders.push(request.headers);
    response.end('from the origin');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, receivedHeaders };
}

async function startProxyAndOrigin() {
  const { port, receivedHeaders } = await startOrigin();
  const { url, forwarded } = await startForwardProxy({ ports: { 80: port, 443: port, [port]: port } });
  return { port, receivedHeaders, url, forwarded };
}

test('without a proxy the global fetch is used', async () => {
  const response = new Response('ok');
  const spy = vi.spyOn(globalThis, 'fetch').mockResolvedValue(response);
  expect(await createFetch({ NO_PROXY: '*' })('http://x.test/')).toBe(response);
  spy.mockRestore();
});

describe('with a proxy', () => {
  test.each(['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'])('%s is used', async (name) => {
    const { url, forwarded, receivedHeaders } = await startProxyAndOrigin();
    const response = await createFetch({ [name]: url })('http://provider.test/x', {
      method: 'POST',
      body: '{}',
      headers: { 'x-mark': 'here' },
    });
    expect(await response.text()).toBe('from the origin');
    expect(forwarded).toEqual([{ how: 'forward', to: 'provider.test' }]);
    expect(receivedHeaders[0]).toMatchObject({ 'x-mark': 'here' });
  });

  test('HTTPS_PROXY is used for https requests', async () => {
    const { url, forwarded } = await startProxyAndOrigin();
    // The origin does not support TLS; only the request to the proxy is checked.
    await expect(createFetch({ HTTPS_PROXY: url })('https://provider.test/x')).rejects.toThrow();
    expect(forwarded).toEqual([{ how: 'tunnel', to: 'provider.test:443' }]);
  });

  test('the lower-case variable takes precedence', async () => {
    const [lowerCaseProxy, upperCaseProxy] = [await startProxyAndOrigin(), await startProxyAndOrigin()];
    await createFetch({ http_proxy: lowerCaseProxy.url, HTTP_PROXY: upperCaseProxy.url })('http://provider.test/');
    expect([lowerCaseProxy.forwarded.length, upperCaseProxy.forwarded.length]).toEqual([1, 0]);
  });

  test.each(['127.0.0.1', 'localhost'])('%s is reached directly, unless PARLEY_PROXY_LOOPBACK is set', async (host) => {
    const { url, port, forwarded } = await startProxyAndOrigin();
    expect(await (await createFetch({ ALL_PROXY: url })(`http://${host}:${port}/`)).text()).toBe('from the origin');
    expect(forwarded).toEqual([]);
    await createFetch({ ALL_PROXY: url, PARLEY_PROXY_LOOPBACK: '1' })(`http://${host}:${port}/`);
    expect(forwarded).toEqual([{ how: 'forward', to: `${host}:${port}` }]);
  });

  test('hosts in NO_PROXY are reached directly', async () => {
    const { url, port, forwarded } = await startProxyAndOrigin();
    // An address of this machine that is not in the list of loopback addresses.
    const fetch = createFetch({ HTTP_PROXY: url, NO_PROXY: '0.0.0.0' });
    expect(await (await fetch(`http://0.0.0.0:${port}/`)).text()).toBe('from the origin');
    await fetch('http://provider.test/');
    expect(forwarded).toEqual([{ how: 'forward', to: 'provider.test' }]);
  });

  test('a request can be aborted', async () => {
    const { url } = await startProxyAndOrigin();
    const signal = AbortSignal.abort();
    await expect(createFetch({ HTTP_PROXY: url })('http://provider.test/', { signal })).rejects.toThrow(/abort/i);
  });
});

test.each(['socks5://me:canary@127.0.0.1:1080', 'not an address'])(
  '%s is refused, and the error does not contain the value',
  async (address) => {
    const request = createFetch({ ALL_PROXY: address })('http://provider.test/');
    await expect(request).rejects.toMatchObject({ code: 'config' });
    await expect(request).rejects.not.toThrow('canary');
  },
);
