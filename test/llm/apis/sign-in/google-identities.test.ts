// Vertex AI with external identities, impersonation, the file of gcloud and the metadata server.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createNetwork } from '../../../../src/app/system-ports/network.ts';
import { createGoogleVertex } from '../../../../src/llm/apis/ai-sdk/google-vertex.ts';
import { startForwardProxy } from '../../../support/forward-proxy.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import { observe } from '../../contract.ts';
import { startGemini, TOKEN } from '../../servers/gemini.ts';
import type { GeminiAnswer } from '../../servers/gemini-frames.ts';
import { createApiFixture } from '../ai-sdk-fixture.ts';
import { createPorts } from '../api-fixture.ts';
import { createDiskFiles, createMemoryFiles, createSystemFakeClock, type MemoryFiles } from './files.ts';

const stage = createApiFixture<GeminiAnswer>({
  start: startGemini,
  create: (ports) => createGoogleVertex(ports, {}),
  model: { id: 'gemini-3-flash-preview', api: 'google-vertex', provider: 'google-vertex' },
});
const clock = createSystemFakeClock();
const PROJECT = { GOOGLE_VERTEX_PROJECT: 'loop-project' };
const SUBJECT_TOKEN = 'subject.token.of-the-workload';

/** A token exchange, an impersonation endpoint and a metadata server. */
const requests: { route: string; headers: IncomingHttpHeaders; text: string }[] = [];
const server = createServer(async (request, response) => {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  const route = `${request.method} ${request.url}`;
  requests.push({ route, headers: request.headers, text });
  const [status, body] = createResponse(route, request.headers, text);
  response.writeHead(status, { 'content-type': body.startsWith('{') ? 'application/json' : 'text/plain' }).end(body);
});
let url = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());
beforeEach(() => void requests.splice(0));

function createResponse(route: string, headers: IncomingHttpHeaders, text: string): [status: number, body: string] {
  const form = new URLSearchParams(text);
  if (route === 'POST /exchange') {
    const subject = form.get('subject_token');
    if (subject !== SUBJECT_TOKEN) return [400, `{"error":"invalid_grant","error_description":"Bad ${subject}"}`];
    return [200, JSON.stringify({ access_token: TOKEN, expires_in: 3600, token_type: 'Bearer' })];
  }
  if (route === 'POST /user-token') return [200, JSON.stringify({ access_token: 'user-token', expires_in: 3600 })];
  if (route.endsWith('/serviceAccounts/robot@loop-project.iam.gserviceaccount.com:generateAccessToken')) {
    if (headers.authorization === undefined) return [401, ''];
    const expireTime = new Date(clock.now() + 3_600_000).toISOString();
    return [200, JSON.stringify({ accessToken: TOKEN, expireTime })];
  }
  if (headers['metadata-flavor'] !== 'Google') return [403, ''];
  if (route.endsWith('/instance/service-accounts/default/token'))
    return [200, JSON.stringify({ access_token: TOKEN, expires_in: 3600 })];
  return route.endsWith('/project/project-id') ? [200, 'loop-project\n'] : [404, ''];
}

async function sendRequest(
  files: MemoryFiles,
  env: Record<string, string>,
  fetch: typeof globalThis.fetch = globalThis.fetch,
) {
  stage.server.reply({ answer: { parts: [{ text: 'ok' }] } });
  const api = createGoogleVertex(createPorts(clock, { fetch }), env, files);
  const { events, message } = await observe(api.stream(stage.request({ apiKey: undefined })));
  const last = events.at(-1)!;
  return { text: message.errorMessage ?? 'ok', failure: last.type === 'error' ? last.failure : undefined };
}

const getRoutes = () => requests.map(({ route }) => route);

describe('an external account', () => {
  function createFiles(overrides: Record<string, unknown> = {}, token = SUBJECT_TOKEN) {
    const directory = join(createTemporaryDirectory(), 'google');
    const [tokenPath, path] = [join(directory, 'token'), join(directory, 'account.json')];
    const account = {
      type: 'external_account',
      audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/o',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      token_url: `${url}/exchange`,
      credential_source: { file: tokenPath },
      ...overrides,
    };
    return { files: createDiskFiles(directory, { [tokenPath]: token, [path]: account }), path };
  }
  const send = ({ files, path }: ReturnType<typeof createFiles>) =>
    sendRequest(files, { ...PROJECT, GOOGLE_APPLICATION_CREDENTIALS: path });

  test('exchanges the token of a file', async () => {
    expect(await send(createFiles())).toMatchObject({ text: 'ok' });
    expect(getRoutes()).toEqual(['POST /exchange']);
    expect(requests[0]?.text).toContain('grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange');
  });

  test('impersonates a service account with the exchanged token', async () => {
    const path = '/v1/projects/-/serviceAccounts/robot@loop-project.iam.gserviceaccount.com:generateAccessToken';
    expect(await send(createFiles({ service_account_impersonation_url: `${url}${path}` }))).toMatchObject({
      text: 'ok',
    });
    expect(getRoutes()).toEqual(['POST /exchange', `POST ${path}`]);
  });

  test('whose token is rejected or missing is reported without the token', async () => {
    const { text, failure } = await send(createFiles({}, 'a-stolen-token'));
    expect(text).toContain('Google Cloud returned no token: 400 invalid_grant');
    expect(text).not.toContain('a-stolen-token');
    expect(failure).toEqual({ kind: 'auth', status: 400 });
    const missing = await send(createFiles({ credential_source: { file: '/none' } }));
    expect(missing.text).toContain('(external_account) cannot be read: check credential_source');
    expect(missing.failure).toEqual({ kind: 'auth' });
  });

  test('with an executable is refused', async () => {
    const executable = { command: '/bin/true', timeout_millis: 5000 };
    const { text } = await send(createFiles({ credential_source: { executable } }));
    expect(text).toContain('where credential_source names an executable, which is not supported');
  });

  test('uses the proxy for every request', async () => {
    const { files, path } = createFiles({
      service_account_impersonation_url: `${url}/v1/projects/-/serviceAccounts/robot@loop-project.iam.gserviceaccount.com:generateAccessToken`,
    });
    const port = Number(new URL(url).port);
    const modelPort = Number(new URL(stage.server.url).port);
    const proxy = await startForwardProxy({ ports: { [port]: port, [modelPort]: modelPort } });
    const { fetch } = createNetwork({ HTTP_PROXY: proxy.url, PARLEY_PROXY_LOOPBACK: '1' }, clock);
    const env = { ...PROJECT, GOOGLE_APPLICATION_CREDENTIALS: path };
    expect(await sendRequest(files, env, fetch)).toMatchObject({ text: 'ok' });
    expect(proxy.forwarded.map(({ to }) => to)).toEqual([
      `127.0.0.1:${port}`,
      `127.0.0.1:${port}`,
      `127.0.0.1:${modelPort}`,
    ]);
  });
});

test('a user impersonates a service account', async () => {
  const path = '/account.json';
  const account = {
    type: 'impersonated_service_account',
    service_account_impersonation_url: `${url}/v1/projects/-/serviceAccounts/robot@loop-project.iam.gserviceaccount.com:generateAccessToken`,
    source_credentials: {
      type: 'authorized_user',
      client_id: 'c',
      client_secret: 'secret-of-client',
      refresh_token: 'refresh-of-user',
      token_uri: `${url}/user-token`,
    },
  };
  const env = { ...PROJECT, GOOGLE_APPLICATION_CREDENTIALS: path };
  expect(await sendRequest(createMemoryFiles({ [path]: account }), env)).toMatchObject({ text: 'ok' });
  expect(getRoutes()).toEqual([
    'POST /user-token',
    'POST /v1/projects/-/serviceAccounts/robot@loop-project.iam.gserviceaccount.com:generateAccessToken',
  ]);
  expect(requests[1]?.headers.authorization).toBe('Bearer user-token');
});

test('an external user gets a token for a refresh token', async () => {
  const path = '/home/me/.config/gcloud/application_default_credentials.json';
  const account = {
    type: 'external_account_authorized_user',
    audience: '//iam.googleapis.com/locations/global/workforcePools/p/providers/o',
    client_id: 'c',
    client_secret: 'secret-of-client',
    refresh_token: 'refresh-of-user',
    token_url: `${url}/user-token`,
    quota_project_id: 'loop-project',
  };
  const { failure } = await sendRequest(createMemoryFiles({ [path]: account }), { HOME: '/home/me' });
  expect(getRoutes()).toEqual(['POST /user-token']);
  // The model does not know the token of this user.
  expect(failure).toEqual({ kind: 'auth', status: 401 });
});

describe('without GOOGLE_APPLICATION_CREDENTIALS', () => {
  test('the metadata server gives the token and the project', async () => {
    const env = { GCE_METADATA_HOST: new URL(url).host };
    expect(await sendRequest(createMemoryFiles(), env)).toMatchObject({ text: 'ok' });
    expect(getRoutes().sort()).toEqual([
      'GET /computeMetadata/v1/instance/service-accounts/default/token',
      'GET /computeMetadata/v1/project/project-id',
    ]);
  });

  test('a machine of Google is detected by its name', async () => {
    const targets: string[] = [];
    const failing: typeof fetch = async (target) => {
      targets.push(String(target));
      throw new TypeError('fetch failed');
    };
    const files = createMemoryFiles({ '/sys/class/dmi/id/product_name': 'Google Compute Engine\n' });
    expect(await sendRequest(files, {}, failing)).toMatchObject({ failure: { kind: 'network' } });
    expect(targets[0]).toBe('http://169.254.169.254/computeMetadata/v1/instance/service-accounts/default/token');
    const { text } = await sendRequest(files, { METADATA_SERVER_DETECTION: 'none' }, failing);
    expect(text).toContain('Google Vertex AI requires a token or a key: set GOOGLE_APPLICATION_CREDENTIALS');
    expect(targets).toHaveLength(2);
  });
});
