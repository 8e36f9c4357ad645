// The built program with a proxy: all variables, plain requests and tunnels, passwords, NO_PROXY and failures.
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { API_STREAMS } from '../../scripts/api-streams.mjs';
import { type ForwardProxyOptions, startForwardProxy } from '../support/forward-proxy.ts';
import { createDirectories, runProgram, startRpc } from '../support/program.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

const tls = join(import.meta.dirname, '../support/tls');
const certificate = join(tls, 'provider.test.crt');
const PASSWORD = 'pa:ss/w@rd%1';
const CREDENTIALS = { encoded: `me:${encodeURIComponent(PASSWORD)}`, plain: `me:${PASSWORD}` };

type Headers = IncomingMessage['headers'];

async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  onTestFinished(() => {
    (server as ReturnType<typeof createServer>).closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Starts a provider over HTTP and TLS, and a proxy for both. */
async function startServers(api: string, options: Partial<ForwardProxyOptions> = {}) {
  const receivedHeaders: Headers[] = [];
  const stream = API_STREAMS.find((one) => one.api === api);
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    receivedHeaders.push(request.headers);
    request.resume();
    response.writeHead(200, { 'content-type': stream?.type }).end(stream?.frames(3));
  };
  const keys = { cert: readFileSync(certificate), key: readFileSync(join(tls, 'provider.test.key')) };
  const plain = await listen(createServer(answer));
  const secure = await listen(createTlsServer(keys, answer));
  const proxy = await startForwardProxy({ ports: { 80: plain, 443: secure, [plain]: plain }, ...options });
  return { receivedHeaders, plain, proxy };
}

const FLAGS = ['--no-session', '--set', 'retry.enabled=false', '--provider', 'own', '--model', 'm'];

function createDirectoriesWith(baseUrl: string, api = 'openai-completions') {
  const directories = createDirectories();
  const own = { baseUrl, api, apiKey: 'sk-none', models: [{ id: 'm' }] };
  writeFileSync(join(directories.home, 'models.json'), JSON.stringify({ providers: { own } }));
  return directories;
}

function prompt(baseUrl: string, env: Record<string, string>, api?: string) {
  const options = {
    directories: createDirectoriesWith(baseUrl, api),
    env: { NODE_EXTRA_CA_CERTS: certificate, ...env },
  };
  return runProgram([...FLAGS, 'Hello'], '', options);
}

const ANSWERED = { code: 0, stdout: expect.stringMatching(/^word word word/), stderr: '' };

describe('a request goes through the proxy', () => {
  test.each([
    ['HTTP_PROXY', 'http'],
    ['http_proxy', 'http'],
    ['ALL_PROXY', 'http'],
    ['HTTPS_PROXY', 'https'],
    ['https_proxy', 'https'],
    ['all_proxy', 'https'],
  ])('%s, %s', async (variable, scheme) => {
    const { proxy, receivedHeaders } = await startServers('openai-completions');
    expect(await prompt(`${scheme}://provider.test/v1`, { [variable]: proxy.url })).toEqual({
      ...ANSWERED,
      signal: null,
    });
    const [to, how] = scheme === 'http' ? ['provider.test', 'forward'] : ['provider.test:443', 'tunnel'];
    expect(proxy.forwarded).toEqual([{ how, to }]);
    expect(receivedHeaders).toHaveLength(1);
  });

  test('the lower-case variable takes precedence', async () => {
    const [one, other] = [await startServers('openai-completions'), await startServers('openai-completions')];
    const env = { http_proxy: one.proxy.url, HTTP_PROXY: other.proxy.url };
    expect(await prompt('http://provider.test/v1', env)).toMatchObject(ANSWERED);
    expect([one.proxy.forwarded.length, other.proxy.forwarded.length]).toEqual([1, 0]);
  });

  test.each(API_STREAMS.map(({ api }) => api))('model API %s', async (api) => {
    const { proxy } = await startServers(api);
    const env = {
      HTTPS_PROXY: proxy.url,
      AWS_REGION: 'us-east-1',
      GOOGLE_CLOUD_PROJECT: 'p',
      GOOGLE_CLOUD_LOCATION: 'l',
    };
    expect(await prompt('https://provider.test/v1', env, api)).toMatchObject(ANSWERED);
    expect(proxy.forwarded).toEqual([{ how: 'tunnel', to: 'provider.test:443' }]);
  });
});

describe('with a password', () => {
  test.each(['http', 'https'])('%s: only the proxy gets it', async (scheme) => {
    const { proxy, receivedHeaders } = await startServers('openai-completions', { credentials: CREDENTIALS.plain });
    const address = `http://${CREDENTIALS.encoded}@${proxy.address}`;
    expect(await prompt(`${scheme}://provider.test/v1`, { ALL_PROXY: address })).toMatchObject(ANSWERED);
    expect(proxy.forwarded).toHaveLength(1);
    expect(Object.keys(receivedHeaders[0] ?? {})).not.toContain('proxy-authorization');
  });

  test('a user name without a password is sent', async () => {
    const { proxy } = await startServers('openai-completions', { credentials: 'token:' });
    const address = `http://token@${proxy.address}`;
    expect(await prompt('http://provider.test/v1', { HTTP_PROXY: address })).toMatchObject(ANSWERED);
  });

  test.each(['http', 'https'])(
    '%s: an error about a wrong password names the variable, not the value',
    async (scheme) => {
      const { proxy, receivedHeaders } = await startServers('openai-completions', { credentials: 'me:another' });
      const outcome = await prompt(`${scheme}://provider.test/v1`, {
        ALL_PROXY: `http://${CREDENTIALS.encoded}@${proxy.address}`,
      });
      const message = `The proxy ${proxy.address} (ALL_PROXY) did not accept the user name and password (407)`;
      expect(outcome).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(message) });
      expectNoPassword(outcome.stderr);
      expect([proxy.unauthorized(), receivedHeaders.length]).toEqual([1, 0]);
    },
  );
});

test('a session continues after the proxy rejected a request', async () => {
  const { proxy } = await startServers('openai-completions', { credentials: 'me:another' });
  const options = { directories: createDirectoriesWith('http://provider.test/v1'), env: { HTTP_PROXY: proxy.url } };
  const program = startRpc(FLAGS, options);
  for (const message of ['Hello', 'Hello again']) {
    program.send({ type: 'prompt', message });
    const errorMessage = expect.stringContaining('(407)');
    expect(await program.nextFrame({ type: 'turn_end' })).toMatchObject({
      message: { stopReason: 'error', errorMessage },
    });
    await program.nextFrame({ type: 'agent_settled' });
  }
  program.stdin.end();
  expect(await program.exited).toMatchObject({ code: 0, stderr: '' });
  expect(proxy.unauthorized()).toBe(2);
});

describe('a proxy that fails', () => {
  test.each(['http', 'https'])('%s: an unreachable proxy is reported without its password', async (scheme) => {
    const port = await listen(createServer());
    const outcome = await prompt(`${scheme}://provider.test/v1`, {
      // No server listens on this port of 127.0.0.2.
      ALL_PROXY: `http://${CREDENTIALS.encoded}@127.0.0.2:${port}`,
    });
    const message = `Connection error: The proxy 127.0.0.2:${port} (ALL_PROXY) cannot be reached: connect ECONNREFUSED`;
    expect(outcome).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(message) });
    expectNoPassword(outcome.stderr);
  });

  test('a rejected tunnel is reported with its status', async () => {
    const { proxy } = await startServers('openai-completions', { refuse: 403 });
    const outcome = await prompt('https://provider.test/v1', { HTTPS_PROXY: proxy.url });
    const message = `The proxy ${proxy.address} (HTTPS_PROXY) refused a connection to provider.test (403)`;
    expect(outcome).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(message) });
  });

  test('an untrusted certificate behind the tunnel is rejected', async () => {
    const { proxy, receivedHeaders } = await startServers('openai-completions');
    const outcome = await prompt('https://provider.test/v1', { HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: '' });
    expect(outcome).toMatchObject({ code: 1, stderr: expect.stringContaining('self-signed certificate') });
    expect(outcome.stderr).toContain(`(through the proxy ${proxy.address}, HTTPS_PROXY)`);
    expect(receivedHeaders).toEqual([]);
  });
});

describe('NO_PROXY', () => {
  /** Resolves names below `.test` and `.internal` to this machine. */
  const names = `const dns = require('node:dns');
    const { lookup } = dns;
    dns.lookup = (name, ...rest) => lookup(/\\.(test|internal)$/.test(name) ? '127.0.0.1' : name, ...rest);`;

  const environment = (list: Record<string, string>, proxy: string) => {
    const hosts = join(createTemporaryDirectory(), 'hosts.cjs');
    writeFileSync(hosts, names);
    return { HTTP_PROXY: proxy, PARLEY_PROXY_LOOPBACK: '1', NODE_OPTIONS: `--require ${hosts}`, ...list };
  };

  test.each([
    ['NO_PROXY', '*', 'api.provider.test'],
    ['no_proxy', 'api.provider.test', 'api.provider.test'],
    ['NO_PROXY', 'other.test, API.Provider.Test', 'api.provider.test'],
    ['NO_PROXY', 'provider.test', 'api.provider.test'],
    ['NO_PROXY', '.provider.test', 'api.provider.test'],
    ['no_proxy', '*.provider.test', 'api.provider.test'],
    ['NO_PROXY', 'api.provider.test:PORT', 'api.provider.test'],
    ['NO_PROXY', 'localhost', 'localhost'],
    ['NO_PROXY', '127.0.0.1', '127.0.0.1'],
    ['NO_PROXY', '127.0.0.1:PORT', '127.0.0.1'],
    ['no_proxy', '127.0.0.0/8', '127.0.0.1'],
  ])('%s=%s: %s is connected directly', async (variable, list, host) => {
    const { proxy, receivedHeaders, plain } = await startServers('openai-completions');
    const env = environment({ [variable]: list.replace('PORT', `${plain}`) }, proxy.url);
    expect(await prompt(`http://${host}:${plain}/v1`, env)).toMatchObject(ANSWERED);
    expect([proxy.forwarded, receivedHeaders.length]).toEqual([[], 1]);
  });

  test('the metadata server of Google Cloud is connected directly without NO_PROXY', async () => {
    const { proxy, receivedHeaders, plain } = await startServers('openai-completions');
    const env = environment({}, proxy.url);
    expect(await prompt(`http://metadata.google.internal:${plain}/v1`, env)).toMatchObject(ANSWERED);
    expect([proxy.forwarded, receivedHeaders.length]).toEqual([[], 1]);
  });

  test.each(['', 'vider.test', 'provider.test.example', 'api.provider.test:1', '127.0.0.1', '.api.provider.test'])(
    'NO_PROXY=%s: api.provider.test is connected through the proxy',
    async (list) => {
      const { proxy, plain } = await startServers('openai-completions');
      const env = environment({ NO_PROXY: list }, proxy.url);
      expect(await prompt(`http://api.provider.test:${plain}/v1`, env)).toMatchObject(ANSWERED);
      expect(proxy.forwarded).toEqual([{ how: 'forward', to: `api.provider.test:${plain}` }]);
    },
  );

  test('loopback addresses are connected directly without NO_PROXY', async () => {
    const { plain } = await startServers('openai-completions');
    const env = { HTTP_PROXY: 'http://127.0.0.1:9', HTTPS_PROXY: 'http://127.0.0.1:9' };
    for (const host of ['127.0.0.1', 'localhost']) {
      expect(await prompt(`http://${host}:${plain}/v1`, env)).toMatchObject(ANSWERED);
    }
  });
});

/** Checks the plain password and its forms in a URL and a header. */
function expectNoPassword(text: string): void {
  const header = Buffer.from(CREDENTIALS.plain).toString('base64');
  for (const form of [PASSWORD, encodeURIComponent(PASSWORD), header]) expect(text).not.toContain(form);
}
