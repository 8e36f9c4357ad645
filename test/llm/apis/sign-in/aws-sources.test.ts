// Bedrock credentials from SSO, roles, web identity tokens, commands and containers.
import { createHash, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createBedrockConverseStream } from '../../../../src/llm/apis/ai-sdk/bedrock-converse-stream.ts';
import type { AwsPorts } from '../../../../src/llm/apis/ai-sdk/sign-in/aws-credential-sources.ts';
import { observe } from '../../contract.ts';
import {
  type AwsCredentialServer,
  CONTAINER_TOKEN,
  PORTAL_TOKEN,
  RENEWAL,
  startAwsCredentialServer,
  USER_KEYS,
  WEB_TOKEN,
} from '../../servers/aws-credential-server.ts';
import { startBedrock } from '../../servers/bedrock.ts';
import { ACCESS_KEY, SECRET_KEY, SESSION_TOKEN } from '../../servers/bedrock-auth.ts';
import type { BedrockAnswer } from '../../servers/bedrock-frames.ts';
import { createApiFixture } from '../ai-sdk-fixture.ts';
import { createPorts } from '../api-fixture.ts';
import { createDiskFiles, createMemoryFiles, createSystemFakeClock, type MemoryFiles } from './files.ts';

const fixture = createApiFixture<BedrockAnswer>({
  start: startBedrock,
  create: (ports) => createBedrockConverseStream(ports, {}),
  model: {
    id: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    api: 'bedrock-converse-stream',
    provider: 'amazon-bedrock',
  },
});

/** The AWS SDK reads logins from this directory itself. */
const HOME = realpathSync(mkdtempSync(join(tmpdir(), 'parley-aws-')));
afterAll(() => rmSync(HOME, { recursive: true, force: true }));
const CONFIG = `${HOME}/.aws/config`;
const KEYS = `${HOME}/.aws/credentials`;
const ROLE = 'arn:aws:iam::123456789012:role/reader';
const clock = createSystemFakeClock();
let credentialServer: AwsCredentialServer;
beforeAll(async () => {
  credentialServer = await startAwsCredentialServer(() => clock.now());
});
afterAll(() => credentialServer.close());
/** The variables that the AWS SDK reads itself. */
beforeEach(() => {
  const { url } = credentialServer;
  const endpoints = { SSO: url, SSO_OIDC: url, SIGNIN: url };
  for (const [service, endpoint] of Object.entries(endpoints)) vi.stubEnv(`AWS_ENDPOINT_URL_${service}`, endpoint);
  vi.stubEnv('HOME', HOME);
});
afterEach(() => void vi.unstubAllEnvs());

function createApi(
  files: MemoryFiles,
  env: Record<string, string> = {},
  credentialPorts: Partial<Pick<AwsPorts, 'runCommand' | 'askUser'>> = {},
) {
  const endpoints = { AWS_ENDPOINT_URL_STS: credentialServer.url };
  return createBedrockConverseStream(createPorts(clock), { HOME, ...endpoints, ...env }, { ...credentialPorts, files });
}

async function sendRequest(api: ReturnType<typeof createApi>) {
  fixture.server.reply({ answer: { parts: [{ text: 'ok' }] } });
  const { events, message } = await observe(api.stream(fixture.request({ apiKey: undefined })));
  const last = events.at(-1)!;
  return { text: message.errorMessage ?? 'ok', failure: last.type === 'error' ? last.failure : undefined };
}

/** The requests to the credential server during `work`. */
async function recordRequests(work: () => Promise<unknown>) {
  const before = credentialServer.requests.length;
  await work();
  return credentialServer.requests.slice(before);
}

const getTokenPath = (owner: string) => `${HOME}/.aws/sso/cache/${createHash('sha1').update(owner).digest('hex')}.json`;
const createToken = (lifetimeMs = 3_600_000) => ({
  accessToken: PORTAL_TOKEN,
  expiresAt: new Date(clock.now() + lifetimeMs).toISOString(),
});

describe('an SSO login', () => {
  const session = `[profile work]
sso_session = corp
sso_account_id = 123456789012
sso_role_name = Reader
region = eu-west-1
[sso-session corp]
sso_start_url = https://corp.example.test/start
sso_region = eu-north-1`;
  const legacyProfile = `[profile work]
sso_start_url = https://corp.example.test/start
sso_region = eu-north-1
sso_account_id = 123456789012
sso_role_name = Reader`;

  test.each([
    ['a session', session, 'corp'],
    ['a legacy profile', legacyProfile, 'https://corp.example.test/start'],
  ])('gets the credentials of the role with %s', async (_, config, owner) => {
    const files = createDiskFiles(HOME, { [CONFIG]: config, [getTokenPath(owner)]: createToken() });
    const requests = await recordRequests(async () => {
      expect(await sendRequest(createApi(files, { AWS_PROFILE: 'work' }))).toMatchObject({ text: 'ok' });
    });
    expect(requests).toMatchObject([
      { route: 'GET /federation/credentials', fields: { role_name: 'Reader', account_id: '123456789012' } },
    ]);
  });

  test('that is missing is reported, and works as soon as the user has signed in', async () => {
    const files = createDiskFiles(HOME, { [CONFIG]: session });
    const api = createApi(files, { AWS_PROFILE: 'work' });
    const { text, failure } = await sendRequest(api);
    expect(text).toContain('there is no SSO login for the profile work. Sign in with: aws sso login --profile work');
    expect(failure).toEqual({ kind: 'auth' });
    files.put(getTokenPath('corp'), createToken(-1));
    expect((await sendRequest(api)).text).toContain(
      'the SSO login of the profile work has expired. Sign in with: aws sso login',
    );
    files.put(getTokenPath('corp'), 'not json');
    expect((await sendRequest(api)).text).toContain('has expired');
    files.put(getTokenPath('corp'), createToken());
    expect(await sendRequest(api)).toMatchObject({ text: 'ok' });
  });

  test('errors of the portal do not contain the token', async () => {
    const files = createDiskFiles(HOME, {
      [CONFIG]: session,
      [getTokenPath('corp')]: { ...createToken(), accessToken: 'revoked-token' },
    });
    const { text, failure } = await sendRequest(createApi(files, { AWS_PROFILE: 'work' }));
    expect(text).toContain('Amazon returned no credentials for the role Reader: 401');
    expect(text).not.toContain('revoked-token');
    expect(failure).toEqual({ kind: 'auth', status: 401 });
  });

  test('that has expired is renewed with its refresh token, which is replaced in the file', async () => {
    const path = getTokenPath('corp2');
    const files = createDiskFiles(HOME, {
      [CONFIG]: session.replaceAll('corp', 'corp2'),
      [path]: { ...createToken(-1), accessToken: 'expired-token', ...RENEWAL },
    });
    const requests = await recordRequests(async () => {
      expect(await sendRequest(createApi(files, { AWS_PROFILE: 'work' }))).toMatchObject({ text: 'ok' });
    });
    expect(requests).toMatchObject([
      { route: 'POST /token', fields: { grantType: 'refresh_token', refreshToken: RENEWAL.refreshToken } },
      { route: 'GET /federation/credentials' },
    ]);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({
      accessToken: PORTAL_TOKEN,
      refreshToken: 'refresh-token-2',
    });
  });

  test('whose refresh token is rejected has expired', async () => {
    const refreshToken = 'revoked-refresh-token';
    const files = createDiskFiles(HOME, {
      [CONFIG]: session.replaceAll('corp', 'corp3'),
      [getTokenPath('corp3')]: { ...createToken(-1), ...RENEWAL, refreshToken },
    });
    const { text, failure } = await sendRequest(createApi(files, { AWS_PROFILE: 'work' }));
    expect(text).toContain('the SSO login of the profile work has expired. Sign in with: aws sso login --profile work');
    expect(text).not.toContain(refreshToken);
    expect(failure).toEqual({ kind: 'auth' });
  });

  test.each([
    [session.replace('sso_account_id = 123456789012\n', ''), 'the profile work has no sso_account_id'],
    [
      session.replace('[sso-session corp]', '[sso-session other]'),
      'refers to the sso_session corp, which does not exist',
    ],
  ])('reports missing settings', async (config, expected) => {
    const files = createDiskFiles(HOME, { [CONFIG]: config, [getTokenPath('corp')]: createToken() });
    expect((await sendRequest(createApi(files, { AWS_PROFILE: 'work' }))).text).toContain(expected);
  });
});

describe('a login of `aws login`', () => {
  const login = 'arn:aws:iam::123456789012:user/me';
  const path = `${HOME}/.aws/login/cache/${createHash('sha256').update(login).digest('hex')}.json`;
  const keys = { accessKeyId: ACCESS_KEY, secretAccessKey: SECRET_KEY, sessionToken: SESSION_TOKEN };
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const createLogin = (lifetimeMs: number, overrides = {}) => ({
    accessToken: { ...keys, accountId: '123456789012', expiresAt: new Date(clock.now() + lifetimeMs).toISOString() },
    ...RENEWAL,
    dpopKey: privateKey.export({ type: 'sec1', format: 'pem' }),
    ...overrides,
  });
  const loginConfig = { [CONFIG]: `[profile work]\nlogin_session = ${login}\nregion = eu-west-1` };
  beforeEach(() => void vi.stubEnv('AWS_LOGIN_CACHE_DIRECTORY', `${HOME}/.aws/login/cache`));

  test.each([
    ['contains keys', 3_600_000, []],
    ['is renewed when it has expired', -1, ['POST /v1/token']],
  ])('%s', async (_, lifetimeMs, routes) => {
    const files = createDiskFiles(HOME, { ...loginConfig, [path]: createLogin(lifetimeMs) });
    const requests = await recordRequests(async () => {
      expect(await sendRequest(createApi(files, { AWS_PROFILE: 'work' }))).toMatchObject({ text: 'ok' });
    });
    expect(requests.map(({ route }) => route)).toEqual(routes);
  });

  test('that is missing or cannot be renewed is reported', async () => {
    const getError = async (files: Record<string, unknown>) =>
      (await sendRequest(createApi(createDiskFiles(HOME, { ...loginConfig, ...files }), { AWS_PROFILE: 'work' }))).text;
    const expected = 'the login of the profile work is missing or has expired. Sign in with: aws login';
    expect(await getError({})).toContain(expected);
    const text = await getError({ [path]: createLogin(-1, { refreshToken: 'revoked-refresh-token' }) });
    expect(text).toContain(expected);
    expect(text).not.toContain('revoked-refresh-token');
  });
});

describe('an EC2 instance', () => {
  const env = () => ({ AWS_EC2_METADATA_SERVICE_ENDPOINT: credentialServer.url });
  beforeEach(() => void vi.stubEnv('AWS_EC2_METADATA_SERVICE_ENDPOINT', credentialServer.url));
  const METADATA_ROUTES = [
    'PUT /latest/api/token',
    'GET /latest/meta-data/iam/security-credentials/',
    'GET /latest/meta-data/iam/security-credentials/instance-role',
  ];

  test('gets the keys of its role with a session token of the metadata service', async () => {
    const requests = await recordRequests(async () => {
      const api = createApi(createMemoryFiles(), env());
      expect(await sendRequest(api)).toMatchObject({ text: 'ok' });
      expect(await sendRequest(api)).toMatchObject({ text: 'ok' });
    });
    expect(requests.map(({ route }) => route)).toEqual(METADATA_ROUTES);
  });

  test('is detected by the name of its manufacturer', async () => {
    const files = createMemoryFiles({ '/sys/class/dmi/id/sys_vendor': 'Amazon EC2\n' });
    expect(await sendRequest(createApi(files))).toMatchObject({ text: 'ok' });
    const { text } = await sendRequest(createApi(files, { AWS_EC2_METADATA_DISABLED: 'true' }));
    expect(text).toMatch(/AWS_BEARER_TOKEN_BEDROCK.*AWS_PROFILE.*AWS_ACCESS_KEY_ID/);
  });

  test('assumes a role with the keys of the instance', async () => {
    const files = createMemoryFiles({
      [CONFIG]: `[profile work]\nrole_arn = ${ROLE}\ncredential_source = Ec2InstanceMetadata`,
    });
    const requests = await recordRequests(async () => {
      expect(await sendRequest(createApi(files, { ...env(), AWS_PROFILE: 'work' }))).toMatchObject({ text: 'ok' });
    });
    expect(requests.map(({ route }) => route)).toEqual([...METADATA_ROUTES, 'POST /']);
    expect(requests.at(-1)?.headers.authorization).toContain(`Credential=${ACCESS_KEY}/`);
    expect(requests.at(-1)?.headers['x-amz-security-token']).toBe(SESSION_TOKEN);
  });

  test('without a metadata service is reported', async () => {
    vi.stubEnv('AWS_EC2_METADATA_SERVICE_ENDPOINT', `${credentialServer.url.replace('127.0.0.1', '127.0.0.2')}`);
    const { text, failure } = await sendRequest(createApi(createMemoryFiles(), env()));
    expect(text).toContain('the EC2 metadata service cannot be reached');
    expect(failure).toEqual({ kind: 'network' });
  });
});

describe('a role', () => {
  const userKeys = `aws_access_key_id = ${USER_KEYS.id}\naws_secret_access_key = ${USER_KEYS.secret}`;

  test('is assumed with the keys of another profile, which sign the request', async () => {
    const files = createMemoryFiles({
      [KEYS]: `[me]\n${userKeys}`,
      [CONFIG]: `[profile work]\nrole_arn = ${ROLE}\nsource_profile = me\nexternal_id = e-1\nrole_session_name = mine\nregion = eu-west-1`,
    });
    const requests = await recordRequests(async () => {
      expect(await sendRequest(createApi(files, { AWS_PROFILE: 'work' }))).toMatchObject({ text: 'ok' });
    });
    expect(requests).toMatchObject([
      { fields: { Action: 'AssumeRole', RoleArn: ROLE, ExternalId: 'e-1', RoleSessionName: 'mine' } },
    ]);
    expect(requests[0]?.headers.authorization).toContain('/eu-west-1/sts/aws4_request');
  });

  test('is assumed with the keys of another role, which a command provides', async () => {
    const files = createMemoryFiles({
      [CONFIG]: `[profile work]
role_arn = ${ROLE}2
source_profile = first
[profile first]
role_arn = ${ROLE}
source_profile = me
duration_seconds = 900
[profile me]
credential_process = keys`,
    });
    const keys = { Version: 1, AccessKeyId: USER_KEYS.id, SecretAccessKey: USER_KEYS.secret };
    const requests = await recordRequests(async () => {
      const api = createApi(files, { AWS_PROFILE: 'work' }, { runCommand: async () => JSON.stringify(keys) });
      expect(await sendRequest(api)).toMatchObject({ text: 'ok' });
    });
    expect(requests).toMatchObject([
      { fields: { RoleArn: ROLE, DurationSeconds: '900' } },
      { fields: { RoleArn: `${ROLE}2` }, headers: { 'x-amz-security-token': SESSION_TOKEN } },
    ]);
  });

  test('is assumed with the keys of its own profile, even for the default profile', async () => {
    const files = createMemoryFiles({ [KEYS]: `[default]\n${userKeys}\nrole_arn = ${ROLE}\nsource_profile = default` });
    expect(await sendRequest(createApi(files))).toMatchObject({ text: 'ok' });
  });

  test('with an MFA device is assumed with the code that the user enters, which is asked for once', async () => {
    const files = createMemoryFiles({
      [KEYS]: `[base]\n${userKeys}`,
      [CONFIG]: `[profile work]\nrole_arn = ${ROLE}\nsource_profile = base\nmfa_serial = arn:aws:iam::1:mfa/me`,
    });
    const questions: string[] = [];
    const askUser = async (question: string) => {
      questions.push(question);
      return ' 123456 ';
    };
    const api = createApi(files, { AWS_PROFILE: 'work' }, { askUser });
    const requests = await recordRequests(async () => {
      for (const _ of [1, 2]) expect(await sendRequest(api)).toMatchObject({ text: 'ok' });
    });
    expect(requests).toMatchObject([
      { fields: { RoleArn: ROLE, SerialNumber: 'arn:aws:iam::1:mfa/me', TokenCode: '123456' } },
    ]);
    expect(questions).toEqual(['MFA code of arn:aws:iam::1:mfa/me for the AWS profile work']);
  });

  test('that cannot be assumed is explained', async () => {
    const createRoleApi = (lines: string) =>
      createApi(
        createMemoryFiles({
          [KEYS]: `[bad]\naws_access_key_id = x\naws_secret_access_key = wrong/secret`,
          [CONFIG]: `[profile work]\nrole_arn = ${ROLE}\n${lines}`,
        }),
        { AWS_PROFILE: 'work' },
      );
    const getError = async (lines: string) => (await sendRequest(createRoleApi(lines))).text;
    expect(await getError('source_profile = bad')).toContain(
      `Amazon returned no credentials for the role ${ROLE}: 403`,
    );
    expect(await getError('source_profile = bad')).not.toContain('wrong/secret');
    expect(await getError('source_profile = gone')).toContain(
      `there is no profile gone in ${KEYS} or ${CONFIG}, which the profile work refers to`,
    );
    expect(await getError('source_profile = work')).toContain('the profiles work → work form a cycle');
    expect(await getError('source_profile = bad\nmfa_serial = arn:aws:iam::1:mfa/me')).toMatch(
      /requires an MFA code \(mfa_serial\), and none was entered.*export-credentials --profile work/,
    );
    expect(await getError('credential_source = Environment')).toContain(
      'credential_source is Environment, which is not available here',
    );
    expect(await getError('credential_source = Ec2InstanceMetadata')).toContain(
      'credential_source is Ec2InstanceMetadata, which is not available here',
    );
    expect(await getError('')).toContain('source_profile is missing');
  });

  test('is assumed with a web identity token named by the profile or the environment', async () => {
    const tokenPath = '/run/token';
    const profile = createMemoryFiles({
      [tokenPath]: `${WEB_TOKEN}\n`,
      [CONFIG]: `[profile work]\nrole_arn = ${ROLE}\nweb_identity_token_file = ${tokenPath}`,
    });
    expect(await sendRequest(createApi(profile, { AWS_PROFILE: 'work' }))).toMatchObject({ text: 'ok' });
    const env = { AWS_WEB_IDENTITY_TOKEN_FILE: tokenPath, AWS_ROLE_ARN: ROLE, AWS_ROLE_SESSION_NAME: 'pod' };
    const requests = await recordRequests(async () => {
      expect(await sendRequest(createApi(createMemoryFiles({ [tokenPath]: WEB_TOKEN }), env))).toMatchObject({
        text: 'ok',
      });
    });
    expect(requests[0]).toMatchObject({ fields: { Action: 'AssumeRoleWithWebIdentity', RoleSessionName: 'pod' } });
    expect(requests[0]?.headers.authorization).toBeUndefined();
    expect((await sendRequest(createApi(createMemoryFiles(), env))).text).toContain(
      `is missing: ${tokenPath} does not exist or is empty`,
    );
    const { text } = await sendRequest(createApi(createMemoryFiles({ [tokenPath]: 'a-stolen-token' }), env));
    expect(text).toContain('403');
    expect(text).not.toContain('a-stolen-token');
  });
});

describe('a command of the profile', () => {
  const files = () => createMemoryFiles({ [CONFIG]: '[profile work]\ncredential_process = keys --for me' });
  const env = { AWS_PROFILE: 'work' };
  const keys = { Version: 1, AccessKeyId: ACCESS_KEY, SecretAccessKey: SECRET_KEY, SessionToken: SESSION_TOKEN };

  test('runs once per lifetime of its keys', async () => {
    const commands: string[] = [];
    const runCommand = async (command: string) => {
      commands.push(command);
      return JSON.stringify({ ...keys, Expiration: new Date(clock.now() + 3_600_000).toISOString() }, null, 2);
    };
    const api = createApi(files(), env, { runCommand });
    expect(await sendRequest(api)).toMatchObject({ text: 'ok' });
    expect(await sendRequest(api)).toMatchObject({ text: 'ok' });
    expect(commands).toEqual(['keys --for me']);
    await clock.advance(56 * 60_000);
    expect(await sendRequest(api)).toMatchObject({ text: 'ok' });
    expect(commands.length).toBe(2);
  });

  test('with invalid output is named without its output', async () => {
    const getError = async (text: string) =>
      (await sendRequest(createApi(files(), env, { runCommand: async () => text }))).text;
    expect(await getError('hush')).toBe(
      'The credential_process of the profile work returned no credentials for Amazon Bedrock: the response is not JSON',
    );
    expect(await getError('{"AccessKeyId":"hush"}')).toBe(
      'The credential_process of the profile work returned no credentials for Amazon Bedrock',
    );
    expect((await sendRequest(createApi(files(), env))).text).toContain('commands cannot be run here');
  });
});

describe('a container', () => {
  test('gets its keys from the container endpoint', async () => {
    const env = { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${credentialServer.url}/container/1` };
    const plain = { ...env, AWS_CONTAINER_AUTHORIZATION_TOKEN: CONTAINER_TOKEN };
    expect(await sendRequest(createApi(createMemoryFiles(), plain))).toMatchObject({ text: 'ok' });
    const inFile = { ...env, AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: '/run/t' };
    expect(await sendRequest(createApi(createMemoryFiles({ '/run/t': `${CONTAINER_TOKEN}\n` }), inFile))).toMatchObject(
      { text: 'ok' },
    );
    expect((await sendRequest(createApi(createMemoryFiles(), env))).failure).toEqual({ kind: 'auth', status: 401 });
  });

  test('does not send requests over plain HTTP to remote hosts', async () => {
    const env = { AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://keys.example.test/1' };
    expect((await sendRequest(createApi(createMemoryFiles(), env))).text).toContain(
      '(http://keys.example.test/1) is neither an https URL nor a trusted local address',
    );
  });

  test('with a relative URI uses the ECS endpoint', async () => {
    const urls: string[] = [];
    const failingFetch: typeof fetch = async (url) => {
      urls.push(String(url));
      return new Response('{}', { status: 500 });
    };
    const api = createBedrockConverseStream(
      createPorts(clock, { fetch: failingFetch }),
      { HOME, AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/v2/creds' },
      { files: createMemoryFiles() },
    );
    expect((await sendRequest(api)).failure).toMatchObject({ kind: 'server', status: 500 });
    expect(urls).toEqual(['http://169.254.170.2/v2/creds']);
  });
});

test('keys are requested once for concurrent callers, again before they expire, and when the files change', async () => {
  const files = createMemoryFiles({
    [KEYS]: `[me]\naws_access_key_id = ${USER_KEYS.id}\naws_secret_access_key = ${USER_KEYS.secret}`,
    [CONFIG]: `[profile work]\nrole_arn = ${ROLE}\nsource_profile = me`,
  });
  const api = createApi(files, { AWS_PROFILE: 'work' });
  fixture.server.reply(...Array.from({ length: 3 }, () => ({ answer: { parts: [{ text: 'ok' }] } })));
  const send = () => observe(api.stream(fixture.request({ apiKey: undefined })));
  expect(await recordRequests(() => Promise.all([send(), send(), send()]))).toHaveLength(1);
  await clock.advance(50 * 60_000);
  expect(await recordRequests(() => sendRequest(api))).toHaveLength(0);
  await clock.advance(5 * 60_000);
  expect(await recordRequests(() => sendRequest(api))).toHaveLength(1);
  files.put(CONFIG, `[profile work]\nrole_arn = ${ROLE}\nsource_profile = me\nregion = eu-west-2`);
  expect(await recordRequests(() => sendRequest(api))).toHaveLength(1);
});
