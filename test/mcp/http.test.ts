// Servers over HTTP: both transports, protocol versions, headers, sign-in, lost sessions and lost connections.
import type { IncomingMessage, RequestListener } from 'node:http';
import { describe, expect, test } from 'vitest';
import { createDeferred } from '../../src/base/index.ts';
import { createFakeClock } from '../../src/testing/fake-clock.ts';
import { startHttpServer } from '../support/http-server.ts';
import { waitUntil } from '../support/wait-until.ts';
import { createToolFixture, getText } from '../tools/tool-fixture.ts';
import { defineHttp, handleEventStream, handleStateless, handleWithSessions } from './http-fixture.ts';
import { createMcpFixture } from './mcp-fixture.ts';

/** Records the requests that arrive. */
function record(listener: RequestListener) {
  const requests: IncomingMessage[] = [];
  const recording: RequestListener = (request, response) => {
    requests.push(request);
    listener(request, response);
  };
  return { recording, requests };
}

async function connect(listener: RequestListener, fields: Parameters<typeof defineHttp>[1] = {}) {
  const { recording, requests } = record(listener);
  const { url, server } = await startHttpServer(recording);
  const fixture = createMcpFixture([defineHttp(`${url}/mcp`, fields)]);
  await fixture.servers.connect();
  const getState = () => fixture.servers.getStatus()[0]?.state;
  return { ...fixture, requests, server, getState };
}

describe('transports', () => {
  test('a server with the newest protocol version', async () => {
    const { tool, requests, getState } = await connect(handleStateless());
    expect(getState()).toBe('connected');
    expect(getText(await tool('echo').run({}, createToolFixture()))).toBe('hello');
    expect(tool('echo').effect).toBe('read');
    expect(requests.at(-1)?.headers['mcp-protocol-version']).toBe('2026-07-28');
  });

  test('a server with sessions', async () => {
    const { listener, transports } = handleWithSessions();
    const { tool, servers, requests } = await connect(listener);
    expect(getText(await tool('echo').run({}, createToolFixture()))).toBe('hello');
    expect(transports.size).toBe(1);
    await servers.close();
    expect(requests.some(({ method }) => method === 'DELETE')).toBe(true);
  });

  test.each(['http', 'sse'] as const)('a server that knows only the event stream, defined as %s', async (type) => {
    const { tool } = await connect(handleEventStream(), { type });
    expect(getText(await tool('echo').run({ a: 1 }, createToolFixture()))).toContain('"a":1');
  });

  test('progress arrives as updates', async () => {
    const { tool } = await connect(handleWithSessions().listener);
    const fixture = createToolFixture();
    await tool('slow').run({}, fixture);
    expect(fixture.updates.map(getText)).toEqual(['half (1/2)']);
  });
});

describe('headers', () => {
  test('those of the definition are sent with every request', async () => {
    const { tool, requests } = await connect(handleWithSessions().listener, { headers: { 'X-Key': 'k1' } });
    await tool('echo').run({}, createToolFixture());
    expect(new Set(requests.map(({ headers }) => headers['x-key']))).toEqual(new Set(['k1']));
  });

  test.each(['http', 'sse'] as const)('are not sent to another host by a redirect: %s', async (type) => {
    const other = record(handleStateless());
    const { url } = await startHttpServer(other.recording);
    const { getState, notices } = await connect(
      (_, response) => void response.writeHead(307, { location: `${url.replace('127.0.0.1', 'localhost')}/mcp` }).end(),
      { type, headers: { Authorization: 'Bearer hunter2hunter2' } },
    );
    expect([getState(), other.requests.length, notices.length]).toEqual(['waiting', 0, 1]);
    expect(notices[0]).not.toContain('hunter2');
  });
});

describe('refusals', () => {
  test.each(['http', 'sse'] as const)('status 401 means that a sign-in is required: %s', async (type) => {
    const { servers, notices } = await connect((_, response) => void response.writeHead(401).end('no'), { type });
    expect(servers.getStatus()).toEqual([
      { name: 'web', state: 'sign_in_required', toolCount: 0, problem: notices[0] },
    ]);
    expect(notices).toEqual(['MCP server "web" requires a sign-in. Run: parley mcp login web']);
  });

  test.each([404, 500])('status %d is named', async (status) => {
    const { getState, notices } = await connect((_, response) => void response.writeHead(status).end('broken'));
    expect([getState(), notices.length]).toEqual(['waiting', 1]);
    expect(notices[0]).toContain('MCP server "web" is not connected: ');
  });

  test('a server that is not running is named, without the secrets of its URL', async () => {
    const { url, server } = await startHttpServer(() => {});
    await new Promise((resolve) => server.close(resolve));
    const { servers, notices } = createMcpFixture([defineHttp(`${url}/mcp?key=hunter2hunter2`)]);
    await servers.connect();
    expect([servers.getStatus()[0]?.state, notices.length]).toEqual(['waiting', 1]);
    expect(notices[0]).not.toContain('hunter2');
  });

  test.each(['http', 'sse'] as const)('a server that never answers delays nothing: %s', async (type) => {
    const { url } = await startHttpServer(() => {});
    const { servers, notices } = createMcpFixture([defineHttp(url, { type })], { startupTimeoutMs: 100 });
    await servers.connect();
    expect(notices).toEqual(['MCP server "web" has not answered within 0.1 s. Its tools follow when it does']);
    const start = performance.now();
    await servers.close();
    expect(performance.now() - start).toBeLessThan(2500);
  });

  test('an answer that is too large ends the connection', async () => {
    const { notices } = await connect((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const write = () => {
        while (!response.destroyed && response.write('x'.repeat(100_000)));
        if (!response.destroyed) response.once('drain', write);
      };
      write();
    });
    expect(notices).toEqual([expect.stringContaining('16 MiB')]);
  });
});

describe('losses', () => {
  test('a forgotten session is opened again, and the call succeeds', async () => {
    const { listener, transports } = handleWithSessions();
    const { tool, getState } = await connect(listener);
    transports.clear();
    expect(getText(await tool('echo').run({}, createToolFixture()))).toBe('hello');
    expect([transports.size, getState()]).toEqual([1, 'connected']);
  });

  test('a call whose stream is cut is resumed', async () => {
    const release = createDeferred();
    const { listener, transports } = handleWithSessions(release.promise);
    const { tool, server } = await connect(listener);
    const fixture = createToolFixture();
    const call = tool('slow').run({}, fixture);
    await waitUntil(() => fixture.updates.length === 1);
    server.closeAllConnections();
    release.resolve();
    expect(getText(await call)).toBe('late');
    expect(transports.size).toBe(1);
  });

  test('a server that went away fails the call with its name, and is tried again', async () => {
    const { tool, server, getState } = await connect(handleStateless());
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await expect(tool('echo').run({}, createToolFixture())).rejects.toThrow('MCP server "web"');
    expect(getState()).toBe('waiting');
  });

  test('the stream with changes of lists is opened again', async () => {
    const clock = createFakeClock();
    const { recording, requests } = record(handleStateless());
    const { url, server } = await startHttpServer(recording);
    const { servers } = createMcpFixture([defineHttp(url)], { ports: { clock } });
    await servers.connect();
    const countStreams = () =>
      requests.filter(({ headers }) => headers['mcp-method'] === 'subscriptions/listen').length;
    expect(countStreams()).toBe(1);
    server.closeAllConnections();
    await waitUntil(async () => {
      await clock.advance(1000);
      return countStreams() === 2;
    });
    expect(servers.getStatus()[0]?.state).toBe('connected');
  });

  test('an event stream that ends is opened again', async () => {
    const { tool, server, requests, getState } = await connect(handleEventStream(), { type: 'sse' });
    server.closeAllConnections();
    await waitUntil(() => requests.filter(({ method }) => method === 'GET').length >= 2 && getState() === 'connected');
    expect(getText(await tool('echo').run({ a: 1 }, createToolFixture()))).toContain('"a":1');
  });
});
