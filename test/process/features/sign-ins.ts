// Signs in to Amazon and Google in every way that has a lazily loaded file, with loopback servers.
import { createHash, generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { RENEWAL, startAwsCredentialServer, USER_KEYS } from '../../llm/servers/aws-credential-server.ts';
import { startBedrock } from '../../llm/servers/bedrock.ts';
import { ACCESS_KEY, SECRET_KEY, SESSION_TOKEN } from '../../llm/servers/bedrock-auth.ts';
import { startGemini } from '../../llm/servers/gemini.ts';
import { EMAIL, PRIVATE_KEY, startGoogleTokens } from '../../llm/servers/google-tokens.ts';
import { startOAuthServers } from '../../mcp/oauth/oauth-server.ts';
import { startForwardProxy } from '../../support/forward-proxy.ts';
import { createDirectories } from '../../support/program.ts';
import { closeProgram, runProgram, startRpc, writeFiles } from './feature-program.ts';

const FLAGS = ['--no-session', '--thinking', 'off', '--set', 'retry.enabled=false'];
const BEDROCK_MODEL = 'amazon-bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0';
const ANSWERED = { code: 0, stdout: 'Signed in.\n', stderr: '' };
const ANSWER = { answer: { parts: [{ text: 'Signed in.' }] } };
const ROLE = 'arn:aws:iam::123456789012:role/reader';
const LOGIN = 'arn:aws:iam::123456789012:user/me';
const EXPIRED = new Date(Date.now() - 60_000).toISOString();

const sha = (name: string, text: string) => createHash(name).update(text).digest('hex');

/** `files` are relative to the home directory. */
async function setUpBedrock(
  files: Record<string, string>,
  variables: (credentialsUrl: string, bedrockUrl: string) => object,
) {
  const bedrock = await startBedrock();
  const credentials = await startAwsCredentialServer(() => Date.now());
  onTestFinished(async () => {
    await Promise.all([bedrock.close(), credentials.close()]);
  });
  bedrock.reply(ANSWER);
  const directories = createDirectories();
  writeFiles(directories.home, files);
  const services = ['STS', 'SSO', 'SSO_OIDC', 'SIGNIN'].map((name) => [`AWS_ENDPOINT_URL_${name}`, credentials.url]);
  const env = {
    ...Object.fromEntries(services),
    AWS_ENDPOINT_URL_BEDROCK_RUNTIME: bedrock.url,
    AWS_REGION: 'us-east-1',
    ...variables(credentials.url, bedrock.url),
  };
  return { directories, env, requests: credentials.requests };
}

async function promptBedrock(...setup: Parameters<typeof setUpBedrock>) {
  const { directories, env, requests } = await setUpBedrock(...setup);
  const outcome = await runProgram([...FLAGS, '--model', BEDROCK_MODEL, 'Hello'], '', { directories, env });
  return { outcome, routes: requests.map(({ route }) => route), directories };
}

const AWS_ROLE = {
  '.aws/config': `[profile work]\nrole_arn = ${ROLE}\nsource_profile = me\n[profile me]\ncredential_process = cat "$HOME/keys.json"`,
  'keys.json': JSON.stringify({ Version: 1, AccessKeyId: USER_KEYS.id, SecretAccessKey: USER_KEYS.secret }),
};

export function trySignIns(): void {
  describe('sign-ins', () => {
    test('an AWS role, with the keys of a command', async () => {
      const { outcome, routes } = await promptBedrock(AWS_ROLE, () => ({ AWS_PROFILE: 'work' }));
      expect(outcome).toMatchObject(ANSWERED);
      expect(routes).toEqual(['POST /']);
    });

    /** With a host that has been asked for the MFA code. */
    async function startWithMfa() {
      const config = AWS_ROLE['.aws/config'].replace('\n', '\nmfa_serial = arn:aws:iam::1:mfa/me\n');
      const files = { ...AWS_ROLE, '.aws/config': config };
      const { directories, env, requests } = await setUpBedrock(files, () => ({ AWS_PROFILE: 'work' }));
      const program = startRpc([...FLAGS, '--model', BEDROCK_MODEL], { directories, env });
      program.send({ type: 'prompt', message: 'Hello' });
      const question = await program.nextFrame({ method: 'input' });
      expect(question).toMatchObject({ title: 'MFA code of arn:aws:iam::1:mfa/me for the AWS profile work' });
      const answer = () => program.send({ type: 'extension_ui_response', id: question.id, value: '123456' });
      const expectSignedIn = async () => {
        await program.nextFrame({ type: 'agent_settled' });
        expect(await program.call({ type: 'get_last_assistant_text' })).toMatchObject({ data: { text: 'Signed in.' } });
        expect(requests).toMatchObject([{ fields: { TokenCode: '123456' } }]);
        await closeProgram(program);
      };
      return { program, answer, expectSignedIn };
    }

    test('an AWS role with an MFA device: the host is asked for the code', async () => {
      const { answer, expectSignedIn } = await startWithMfa();
      answer();
      await expectSignedIn();
    });

    test('an abort does not wait for the MFA code, and the next prompt uses the same question', async () => {
      const { program, answer, expectSignedIn } = await startWithMfa();
      // Answered after the last event of the run.
      expect(await program.call({ type: 'abort' })).toMatchObject({ success: true });
      program.send({ type: 'prompt', message: 'Again' });
      await program.nextFrame({ type: 'agent_start' });
      answer();
      await expectSignedIn();
    });

    test('an AWS role, through a proxy', async () => {
      const ports: Record<number, number> = {};
      const proxy = await startForwardProxy({ ports });
      const { outcome } = await promptBedrock(AWS_ROLE, (...urls) => {
        for (const { port } of urls.map((url) => new URL(url))) ports[Number(port)] = Number(port);
        return { AWS_PROFILE: 'work', HTTP_PROXY: proxy.url, PARLEY_PROXY_LOOPBACK: '1' };
      });
      expect(outcome).toMatchObject(ANSWERED);
      expect(proxy.forwarded).toHaveLength(2);
    });

    test('an SSO login that is renewed', async () => {
      const path = `.aws/sso/cache/${sha('sha1', 'corp')}.json`;
      const files = {
        '.aws/config': `[default]\nsso_session = corp\nsso_account_id = 123456789012\nsso_role_name = Reader
[sso-session corp]\nsso_start_url = https://corp.example.test/start\nsso_region = eu-north-1`,
        [path]: JSON.stringify({ accessToken: 'old', expiresAt: EXPIRED, ...RENEWAL }),
      };
      const { outcome, routes, directories } = await promptBedrock(files, () => ({}));
      expect(outcome).toMatchObject(ANSWERED);
      expect(routes).toEqual(['POST /token', 'GET /federation/credentials']);
      expect(readFileSync(join(directories.home, path), 'utf8')).toContain('refresh-token-2');
    });

    test('a login of `aws login` that is renewed', async () => {
      const keys = { accessKeyId: ACCESS_KEY, secretAccessKey: SECRET_KEY, sessionToken: SESSION_TOKEN };
      const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const login = {
        accessToken: { ...keys, accountId: '123456789012', expiresAt: EXPIRED },
        ...RENEWAL,
        dpopKey: privateKey.export({ type: 'sec1', format: 'pem' }),
      };
      const files = {
        '.aws/config': `[profile work]\nlogin_session = ${LOGIN}`,
        [`.aws/login/cache/${sha('sha256', LOGIN)}.json`]: JSON.stringify(login),
      };
      const { outcome, routes } = await promptBedrock(files, () => ({ AWS_PROFILE: 'work' }));
      expect(outcome).toMatchObject(ANSWERED);
      expect(routes).toEqual(['POST /v1/token']);
    });

    test('the metadata service of EC2', async () => {
      const { outcome, routes } = await promptBedrock({}, (url) => ({
        AWS_EC2_METADATA_SERVICE_ENDPOINT: url,
        AWS_EC2_METADATA_DISABLED: 'false',
      }));
      expect(outcome).toMatchObject(ANSWERED);
      expect(routes[0]).toBe('PUT /latest/api/token');
    });

    test.each(['directly', 'through a proxy'])('a Google service account, %s', async (how) => {
      const gemini = await startGemini();
      const tokens = await startGoogleTokens(() => Date.now(), 60);
      onTestFinished(async () => {
        await Promise.all([gemini.close(), tokens.close()]);
      });
      gemini.reply(ANSWER as never);
      const directories = createDirectories();
      const account = { type: 'service_account', project_id: 'loop-project', client_email: EMAIL };
      writeFiles(directories.home, {
        'models.json': JSON.stringify({ providers: { 'google-vertex': { baseUrl: gemini.url } } }),
        'account.json': JSON.stringify({ ...account, private_key: PRIVATE_KEY, token_uri: tokens.url }),
      });
      const ports = [gemini.url, tokens.url].map((url) => Number(new URL(url).port));
      const proxy = await startForwardProxy({ ports: Object.fromEntries(ports.map((port) => [port, port])) });
      const env = {
        GOOGLE_APPLICATION_CREDENTIALS: join(directories.home, 'account.json'),
        ...(how === 'directly' ? {} : { HTTP_PROXY: proxy.url, PARLEY_PROXY_LOOPBACK: '1' }),
      };
      const args = [...FLAGS, '--model', 'google-vertex/gemini-3.1-pro-preview', 'Hello'];
      expect(await runProgram(args, '', { directories, env })).toMatchObject(ANSWERED);
      expect(tokens.grants).toHaveLength(1);
      expect(proxy.forwarded).toHaveLength(how === 'directly' ? 0 : 2);
    });

    test('an MCP server, with a device code, and the logout', async () => {
      const servers = await startOAuthServers({ hasDeviceFlow: true });
      const directories = createDirectories();
      const mcpServers = { guarded: { type: 'http', url: servers.mcpUrl } };
      writeFiles(directories.home, { 'mcp.json': JSON.stringify({ mcpServers }) });
      const run = (...args: string[]) => runProgram(['mcp', ...args, 'guarded'], '', { directories });
      expect(await run('login', '--device')).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('Signed in to guarded'),
      });
      expect(await run('test')).toMatchObject({ code: 0, stdout: expect.stringContaining('2 tools') });
      expect(await run('logout')).toMatchObject({ code: 0, stdout: 'Removed the login of guarded.\n' });
    });
  });
}
