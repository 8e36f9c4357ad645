// Providers that repeat the key in an error: all kinds of keys, model APIs and encodings. No output may contain the key.
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { eventMessage } from '../llm/servers/event-stream.ts';
import { createDirectories, startRpc } from '../support/program.ts';
import { listPaths } from '../support/session-files.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

/** Two unique parts of the keys. Encodings do not change letters and digits, so a leak contains them. */
const [A, B] = ['Zq7xKw3vJt', 'Hy5nGd2mRc'];

const KEYS = {
  plain: `sk-${A}-${B}`,
  quote: `sk-${A}"${B}'x`,
  slash: `${A}/x//${B}`,
  plus: `${A}+x++${B}`,
  percent: `${A}%2f%x%${B}%`,
  space: `${A} x  ${B}`,
  backslash: `${A}\\x\\\\n\\u0041${B}`,
  markup: `${A}<x>&amp;${B}`,
  long: `sk-${A}${'0123456789abcdef'.repeat(250)}${B}`,
  short: 'Qz~7',
  base64: Buffer.from(`${A}??>>${B}`).toString('base64'),
};

/** Secrets in the URL instead of a key. `%` is replaced by the name of the failure. */
const ADDRESSES = {
  userinfo: (host: string) => `http://${A}us:pa-${B}@${host}/%`,
  path: (host: string) => `http://${host}/sk-${A}-${B}/%`,
  query: (host: string) => `http://${host}/%?code=${A}%2F${B}`,
};

const json = (text: string) => JSON.stringify(text).slice(1, -1);
const unicode = (text: string) =>
  [...text].map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
const base64 = (text: string) => Buffer.from(text).toString('base64');

type Write = (text: string) => string;
const FORMS: Record<string, readonly Write[]> = {
  json: [String, json, (text) => json(json(text)), (text) => json(text).replaceAll('/', '\\/'), unicode],
  url: [
    encodeURIComponent,
    (text) => encodeURIComponent(text).toLowerCase().replaceAll(A.toLowerCase(), A).replaceAll(B.toLowerCase(), B),
    (text) => new URLSearchParams({ key: text }).toString(),
    (text) => encodeURIComponent(encodeURIComponent(text)),
  ],
  base64: [base64, (text) => base64(`user:${text}`), (text) => Buffer.from(`x:${text}`).toString('base64url')],
};

const all = (texts: readonly string[], forms: readonly Write[] = []) =>
  texts.flatMap((text) => forms.map((write) => write(text))).join(' | ');

interface EchoRequest {
  readonly format: Format;
  /** The credentials and the URL of the request. */
  readonly secrets: readonly string[];
  readonly response: ServerResponse;
}

const plain =
  (status: number, type: string, body: string) =>
  ({ response }: EchoRequest) => {
    response.writeHead(status, { 'content-type': type });
    response.end(body);
  };
const error = (message: string) => JSON.stringify({ error: { type: 'invalid_request_error', message } });

const FAILURES: Record<string, (request: EchoRequest) => void> = {
  'f-refused': (request) => plain(401, 'text/plain', `bad key: ${all(request.secrets, FORMS.json)}`)(request),
  'f-json': (request) =>
    plain(400, 'application/json', error(`bad request: ${all(request.secrets, FORMS.url)}`))(request),
  'f-base64': (request) =>
    plain(404, 'application/json', error(`no such path: ${all(request.secrets, FORMS.base64)}`))(request),
  'f-stream': (request) => stream(request, request.format.error(`upstream: ${request.secrets.join(' | ')}`)),
  'f-broken': (request) => stream(request, request.format.broken(`${'z'.repeat(185)}${request.secrets.join(' ')}`)),
  'f-page': (request) => plain(200, 'text/html', `${'x'.repeat(185)}${request.secrets.join(' ')}`)(request),
  'f-cut': (request) => plain(400, 'text/plain', `${'y'.repeat(1985)}${request.secrets.join(' ')}`)(request),
  'f-flood': (request) => plain(400, 'text/plain', request.secrets.join(' ').repeat(20_000).slice(0, 65_536))(request),
  'f-reset': ({ response }) => void response.socket?.resetAndDestroy(),
  'f-moved': ({ response, secrets }) => {
    response.writeHead(307, { location: `http://127.0.0.1:9/?key=${encodeURIComponent(secrets.join())}` });
    response.end();
  },
};
/** Failures that do not repeat the secrets. */
const SILENT = ['f-reset', 'f-moved'];

interface Format {
  readonly api: string;
  readonly type: string;
  error(message: string): string | Uint8Array;
  broken(text: string): string | Uint8Array;
}

const sse = (api: string, error: Format['error']): Format => ({
  ...{ api, type: 'text/event-stream', error },
  broken: (text) => `data: {"broken ${text}\n\n`,
});
const data = (value: object) => `data: ${JSON.stringify(value)}\n\n`;

const FORMATS: readonly Format[] = [
  sse('anthropic-messages', (message) => data({ type: 'error', error: { type: 'api_error', message } })),
  sse('openai-responses', (message) => data({ type: 'error', code: 'server_error', message })),
  sse('openai-completions', (message) => data({ error: { code: 500, message } })),
  sse('google-generative-ai', (message) => data({ error: { code: 500, status: 'INTERNAL', message } })),
  {
    api: 'bedrock-converse-stream',
    type: 'application/vnd.amazon.eventstream',
    error: (message) =>
      eventMessage(
        { ':message-type': 'exception', ':exception-type': 'internalServerException' },
        JSON.stringify({ message }),
      ),
    broken: (text) => eventMessage({ ':message-type': 'event', ':event-type': 'messageStart' }, `{"broken ${text}`),
  },
];

function stream({ response, format }: EchoRequest, body: string | Uint8Array): void {
  response.writeHead(200, { 'content-type': format.type });
  response.end(body);
}

function secretsIn({ headers, url = '' }: IncomingMessage, host: string): string[] {
  const values = [headers.authorization, headers['x-api-key'], headers['x-goog-api-key']].flat();
  const keys = values.flatMap((value) => {
    if (!value?.startsWith('Basic ')) return value ? [value.replace(/^Bearer /, '')] : [];
    const pair = Buffer.from(value.slice('Basic '.length), 'base64').toString();
    return [pair, value, `http://${pair}@${host}${url}`];
  });
  return [...keys, `http://${host}${url}`];
}

async function startEcho(format: Format): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const [name = ''] = /f-[a-z\d]+/.exec(request.url ?? '') ?? [];
      FAILURES[name]?.({ format, secrets: secretsIn(request, host), response });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return host;
}

/** One provider per kind of secret, with one model per failure. */
function providersFor({ api }: Format, host: string) {
  const modelsAt = (address: string) =>
    Object.keys(FAILURES).map((id) => ({ id, baseUrl: address.replace('/%', `/${id}`) }));
  const keyed = Object.entries(KEYS).map(([kind, apiKey]) => [kind, { apiKey, models: modelsAt(`http://${host}/%`) }]);
  // Only one model API supports a base URL with a query.
  const kinds = Object.entries(ADDRESSES).filter(([kind]) => kind !== 'query' || api === 'openai-completions');
  const addressed = kinds.map(([kind, address]) => {
    const apiKey = kind === 'userinfo' && api !== 'bedrock-converse-stream' ? {} : { apiKey: 'no-secret' };
    return [kind, { ...apiKey, models: modelsAt(address(host)) }];
  });
  const described = [...keyed, ...addressed].map(([kind, provider]) => [kind, { api, ...(provider as object) }]);
  return Object.fromEntries(described) as Record<string, { models: readonly { id: string }[] }>;
}

/** The parts, also in base64, for every offset in a group of three bytes. */
const TRACES = [A, B].flatMap((core) => [
  core,
  ...['', 'x', 'xx'].map((before) => {
    const encoded = base64(`${before}${core}`);
    return encoded.slice(Math.ceil((before.length * 4) / 3), -4);
  }),
]);

const tracesIn = (text: string) =>
  [...TRACES, KEYS.short].flatMap((trace) => {
    const at = text.indexOf(trace);
    return at === -1 ? [] : [text.slice(Math.max(0, at - 200), at + 60)];
  });

test.each(FORMATS)('$api', { timeout: 120_000 }, async (format) => {
  const host = await startEcho(format);
  const directories = createDirectories();
  const providers = providersFor(format, host);
  writeFileSync(join(directories.home, 'models.json'), JSON.stringify({ providers }));
  const log = join(createTemporaryDirectory(), 'parley.log');
  const program = startRpc(['--log-file', log, '--stream', 'delta', '--set', 'retry.enabled=false'], { directories });
  const pages: string[] = [];
  for (const [provider, { models }] of Object.entries(providers)) {
    await program.call({ type: 'new_session' });
    for (const { id } of models) {
      expect(await program.call({ type: 'set_model', provider, modelId: id })).toMatchObject({ success: true });
      program.send({ type: 'prompt', message: 'go' });
      const { message } = await program.nextFrame(
        (frame) => frame.type === 'message_end' && (frame.message as { role?: string }).role === 'assistant',
      );
      const { errorMessage } = message as { errorMessage?: string };
      expect({ provider, id, errorMessage }).toMatchObject({
        errorMessage: SILENT.includes(id) ? expect.any(String) : expect.stringMatching(/\[redac/),
      });
      await program.nextFrame({ type: 'agent_settled' });
    }
    expect(await program.call({ type: 'get_state' })).toMatchObject({ success: true });
    const page = join(createTemporaryDirectory(), 'page.html');
    expect(await program.call({ type: 'export_html', outputPath: page })).toMatchObject({ success: true });
    pages.push(readFileSync(page, 'utf8'));
  }
  expect(await program.call({ type: 'get_available_models' })).toMatchObject({ success: true });
  program.stdin.end();
  const { stdout, stderr } = await program.exited;
  const sessions = listPaths(directories.home).filter((path) => path.includes('sessions/') && !path.endsWith('/'));
  expect(sessions.length).toBeGreaterThanOrEqual(Object.keys(providers).length);
  const sessionTexts = sessions.map((path) => readFileSync(join(directories.home, path), 'utf8'));
  const outputs = {
    stdout,
    stderr,
    log: readFileSync(log, 'utf8'),
    pages: pages.join(''),
    sessions: sessionTexts.join(''),
  };
  for (const [name, text] of Object.entries(outputs))
    expect({ name, traces: tracesIn(text) }).toEqual({ name, traces: [] });
  expect(
    [...stdout.matchAll(/(.{20})@127\.0\.0\.1/g)]
      .map(([, before]) => before)
      .filter((before) => !before?.endsWith('[redacted]')),
  ).toEqual([]);
});
