// Bedrock with keys that somebody else keeps: sign-ins, roles, tokens of other houses, commands, containers.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createBedrockConverseStream } from '../../../../src/llm/apis/ai-sdk/bedrock-converse-stream.ts';
import { createFakeClock } from '../../../../src/testing/fake-clock.ts';
import { observe } from '../../contract.ts';
import {
  CONTAINER_TOKEN,
  type Keepers,
  PERSON,
  PORTAL_TOKEN,
  startAwsKeepers,
  WEB_TOKEN,
} from '../../servers/aws-keepers.ts';
import { startBedrock } from '../../servers/bedrock.ts';
import { ACCESS_KEY, SECRET_KEY, SESSION_TOKEN } from '../../servers/bedrock-door.ts';
import type { BedrockAnswer } from '../../servers/bedrock-frames.ts';
import { portsWith, stage } from '../ai-sdk-stage.ts';
import { type HeldFiles, holding } from './files.ts';

const at = stage<BedrockAnswer>({
  start: startBedrock,
  create: (ports) => createBedrockConverseStream(ports, {}),
  model: {
    id: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    api: 'bedrock-converse-stream',
    provider: 'amazon-bedrock',
  },
});

const HOME = '/home/me';
const CONFIG = `${HOME}/.aws/config`;
const KEYS = `${HOME}/.aws/credentials`;
const ROLE = 'arn:aws:iam::123456789012:role/reader';
const clock = createFakeClock();
let keepers: Keepers;
beforeAll(async () => {
  keepers = await startAwsKeepers(() => clock.now());
});
afterAll(() => keepers.close());

function bedrock(files: HeldFiles, env: Record<string, string> = {}, print?: (command: string) => Promise<string>) {
  const places = { AWS_ENDPOINT_URL_STS: keepers.url, AWS_ENDPOINT_URL_SSO: keepers.url };
  return createBedrockConverseStream(portsWith(clock), { HOME, ...places, ...env }, { files, print });
}

async function asked(api: ReturnType<typeof bedrock>) {
  at.server.reply({ answer: { parts: [{ text: 'ok' }] } });
  const { events, message } = await observe(api.stream(at.request({ apiKey: undefined })));
  const last = events.at(-1)!;
  return { text: message.errorMessage ?? 'ok', failure: last.type === 'error' ? last.failure : undefined };
}

/** What the keepers were asked while this was done. */
async function questionsOf(work: () => Promise<unknown>) {
  const before = keepers.asked.length;
  await work();
  return keepers.asked.slice(before);
}

const tokenFile = (owner: string) => `${HOME}/.aws/sso/cache/${createHash('sha1').update(owner).digest('hex')}.json`;
const token = (life = 3_600_000) => ({
  accessToken: PORTAL_TOKEN,
  expiresAt: new Date(clock.now() + life).toISOString(),
});

describe('whoever signed in with aws sso login', () => {
  const session = `[profile work]
sso_session = corp
sso_account_id = 123456789012
sso_role_name = Reader
region = eu-west-1
[sso-session corp]
sso_start_url = https://corp.example.test/start
sso_region = eu-north-1`;
  const older = `[profile work]
sso_start_url = https://corp.example.test/start
sso_region = eu-north-1
sso_account_id = 123456789012
sso_role_name = Reader`;

  test.each([
    ['a session', session, 'corp'],
    ['a profile of the older kind', older, 'https://corp.example.test/start'],
  ])('gets the keys of the role, by %s', async (_, config, owner) => {
    const files = holding({ [CONFIG]: config, [tokenFile(owner)]: token() });
    const questions = await questionsOf(async () => {
      expect(await asked(bedrock(files, { AWS_PROFILE: 'work' }))).toMatchObject({ text: 'ok' });
    });
    expect(questions).toMatchObject([
      { way: 'GET /federation/credentials', fields: { role_name: 'Reader', account_id: '123456789012' } },
    ]);
  });

  test('is told to sign in, and gets keys as soon as that is done', async () => {
    const files = holding({ [CONFIG]: session });
    const api = bedrock(files, { AWS_PROFILE: 'work' });
    const { text, failure } = await asked(api);
    expect(text).toContain('nobody has signed in to the profile work. Sign in with: aws sso login --profile work');
    expect(failure).toEqual({ kind: 'auth' });
    files.put(tokenFile('corp'), token(-1));
    expect((await asked(api)).text).toContain('the sign-in to the profile work is over. Sign in with: aws sso login');
    files.put(tokenFile('corp'), 'not json');
    expect((await asked(api)).text).toContain('is over');
    files.put(tokenFile('corp'), token());
    expect(await asked(api)).toMatchObject({ text: 'ok' });
  });

  test('sees a refusal without the token that it echoes', async () => {
    const files = holding({ [CONFIG]: session, [tokenFile('corp')]: { ...token(), accessToken: 'revoked-token' } });
    const { text, failure } = await asked(bedrock(files, { AWS_PROFILE: 'work' }));
    expect(text).toContain('Amazon gave no keys for the role Reader: 401');
    expect(text).not.toContain('revoked-token');
    expect(failure).toEqual({ kind: 'auth', status: 401 });
  });

  test.each([
    [session.replace('sso_account_id = 123456789012\n', ''), 'the profile work lacks sso_account_id'],
    [session.replace('[sso-session corp]', '[sso-session other]'), 'names the sso_session corp, which is not there'],
  ])('and what is missing is named', async (config, expected) => {
    const files = holding({ [CONFIG]: config, [tokenFile('corp')]: token() });
    expect((await asked(bedrock(files, { AWS_PROFILE: 'work' }))).text).toContain(expected);
  });
});

describe('a role', () => {
  const person = `aws_access_key_id = ${PERSON.id}\naws_secret_access_key = ${PERSON.secret}`;

  test('is taken on with the keys of another profile, which sign the question', async () => {
    const files = holding({
      [KEYS]: `[me]\n${person}`,
      [CONFIG]: `[profile work]\nrole_arn = ${ROLE}\nsource_profile = me\nexternal_id = e-1\nrole_session_name = mine\nregion = eu-west-1`,
    });
    const questions = await questionsOf(async () => {
      expect(await asked(bedrock(files, { AWS_PROFILE: 'work' }))).toMatchObject({ text: 'ok' });
    });
    expect(questions).toMatchObject([
      { fields: { Action: 'AssumeRole', RoleArn: ROLE, ExternalId: 'e-1', RoleSessionName: 'mine' } },
    ]);
    expect(questions[0]?.headers.authorization).toContain('/eu-west-1/sts/aws4_request');
  });

  test('is taken on with the keys of its own profile, also where nobody names one', async () => {
    const files = holding({ [KEYS]: `[default]\n${person}\nrole_arn = ${ROLE}\nsource_profile = default` });
    expect(await asked(bedrock(files))).toMatchObject({ text: 'ok' });
  });

  test('that cannot be taken on says why', async () => {
    const work = (lines: string) =>
      bedrock(
        holding({
          [KEYS]: `[bad]\naws_access_key_id = x\naws_secret_access_key = wrong/secret`,
          [CONFIG]: `[profile work]\nrole_arn = ${ROLE}\n${lines}`,
        }),
        { AWS_PROFILE: 'work' },
      );
    const why = async (lines: string) => (await asked(work(lines))).text;
    expect(await why('source_profile = bad')).toContain(`Amazon gave no keys for the role ${ROLE}: 403`);
    expect(await why('source_profile = bad')).not.toContain('wrong/secret');
    expect(await why('source_profile = gone')).toContain(
      `there is no profile gone in ${KEYS} or ${CONFIG}, to which work leads`,
    );
    expect(await why('source_profile = work')).toContain('the profiles work → work lead in a circle');
    expect(await why('source_profile = bad\nmfa_serial = arn:aws:iam::1:mfa/me')).toMatch(
      /asks a person for a code.*export-credentials --profile work/,
    );
    expect(await why('credential_source = Ec2InstanceMetadata')).toContain(
      'credential_source is Ec2InstanceMetadata, which gives none here',
    );
    expect(await why('')).toContain('source_profile is missing');
  });

  test('is opened by a token of another house, named by the profile or by the environment', async () => {
    const place = '/run/token';
    const profile = holding({
      [place]: `${WEB_TOKEN}\n`,
      [CONFIG]: `[profile work]\nrole_arn = ${ROLE}\nweb_identity_token_file = ${place}`,
    });
    expect(await asked(bedrock(profile, { AWS_PROFILE: 'work' }))).toMatchObject({ text: 'ok' });
    const env = { AWS_WEB_IDENTITY_TOKEN_FILE: place, AWS_ROLE_ARN: ROLE, AWS_ROLE_SESSION_NAME: 'pod' };
    const questions = await questionsOf(async () => {
      expect(await asked(bedrock(holding({ [place]: WEB_TOKEN }), env))).toMatchObject({ text: 'ok' });
    });
    expect(questions[0]).toMatchObject({ fields: { Action: 'AssumeRoleWithWebIdentity', RoleSessionName: 'pod' } });
    expect(questions[0]?.headers.authorization).toBeUndefined();
    expect((await asked(bedrock(holding(), env))).text).toContain(`should be in ${place}, where there is none`);
    const { text } = await asked(bedrock(holding({ [place]: 'a-stolen-token' }), env));
    expect(text).toContain('403');
    expect(text).not.toContain('a-stolen-token');
  });
});

describe('a command of the profile', () => {
  const files = () => holding({ [CONFIG]: '[profile work]\ncredential_process = keys --for me' });
  const env = { AWS_PROFILE: 'work' };
  const keys = { Version: 1, AccessKeyId: ACCESS_KEY, SecretAccessKey: SECRET_KEY, SessionToken: SESSION_TOKEN };

  test('prints keys, once for as long as they are good', async () => {
    const run: string[] = [];
    const print = async (command: string) => {
      run.push(command);
      return JSON.stringify({ ...keys, Expiration: new Date(clock.now() + 3_600_000).toISOString() }, null, 2);
    };
    const api = bedrock(files(), env, print);
    expect(await asked(api)).toMatchObject({ text: 'ok' });
    expect(await asked(api)).toMatchObject({ text: 'ok' });
    expect(run).toEqual(['keys --for me']);
    await clock.advance(56 * 60_000);
    expect(await asked(api)).toMatchObject({ text: 'ok' });
    expect(run.length).toBe(2);
  });

  test('that prints something else is named, and what it printed is not', async () => {
    const said = async (text: string) => (await asked(bedrock(files(), env, async () => text))).text;
    expect(await said('hush')).toBe(
      'The credential_process of the profile work gave no keys for Amazon Bedrock, but something that is no JSON',
    );
    expect(await said('{"AccessKeyId":"hush"}')).toBe(
      'The credential_process of the profile work gave no keys for Amazon Bedrock',
    );
    expect((await asked(bedrock(files(), env))).text).toContain('none can be run here');
  });
});

describe('a container', () => {
  test('is told its keys by its neighbour', async () => {
    const env = { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${keepers.url}/container/1` };
    const plain = { ...env, AWS_CONTAINER_AUTHORIZATION_TOKEN: CONTAINER_TOKEN };
    expect(await asked(bedrock(holding(), plain))).toMatchObject({ text: 'ok' });
    const inFile = { ...env, AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: '/run/t' };
    expect(await asked(bedrock(holding({ '/run/t': `${CONTAINER_TOKEN}\n` }), inFile))).toMatchObject({ text: 'ok' });
    expect((await asked(bedrock(holding(), env))).failure).toEqual({ kind: 'auth', status: 401 });
  });

  test('asks nobody far away over a line that everybody can read', async () => {
    const env = { AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://keys.example.test/1' };
    expect((await asked(bedrock(holding(), env))).text).toContain(
      '(http://keys.example.test/1) is neither https nor near',
    );
  });

  test('of the usual kind has only a path', async () => {
    const seen: string[] = [];
    const away: typeof fetch = async (url) => {
      seen.push(String(url));
      return new Response('{}', { status: 500 });
    };
    const api = createBedrockConverseStream(
      portsWith(clock, { fetch: away }),
      { HOME, AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/v2/creds' },
      { files: holding() },
    );
    expect((await asked(api)).failure).toMatchObject({ kind: 'server', status: 500 });
    expect(seen).toEqual(['http://169.254.170.2/v2/creds']);
  });
});

test('keys are asked for once for all who wait, again before they are over, and when the files change', async () => {
  const files = holding({
    [KEYS]: `[me]\naws_access_key_id = ${PERSON.id}\naws_secret_access_key = ${PERSON.secret}`,
    [CONFIG]: `[profile work]\nrole_arn = ${ROLE}\nsource_profile = me`,
  });
  const api = bedrock(files, { AWS_PROFILE: 'work' });
  at.server.reply(...Array.from({ length: 3 }, () => ({ answer: { parts: [{ text: 'ok' }] } })));
  const together = () => observe(api.stream(at.request({ apiKey: undefined })));
  expect(await questionsOf(() => Promise.all([together(), together(), together()]))).toHaveLength(1);
  await clock.advance(50 * 60_000);
  expect(await questionsOf(() => asked(api))).toHaveLength(0);
  await clock.advance(5 * 60_000);
  expect(await questionsOf(() => asked(api))).toHaveLength(1);
  files.put(CONFIG, `[profile work]\nrole_arn = ${ROLE}\nsource_profile = me\nregion = eu-west-2`);
  expect(await questionsOf(() => asked(api))).toHaveLength(1);
});
