// Bedrock with an AWS profile: keys, region, and errors without credentials.
import { describe, expect, test } from 'vitest';
import { createBedrockConverseStream } from '../../../../src/llm/apis/ai-sdk/bedrock-converse-stream.ts';
import { parseSections } from '../../../../src/llm/apis/ai-sdk/sign-in/aws-config.ts';
import { createFakeClock } from '../../../../src/testing/fake-clock.ts';
import { observe } from '../../contract.ts';
import { startBedrock } from '../../servers/bedrock.ts';
import { ACCESS_KEY, BEARER, SECRET_KEY, SESSION_TOKEN } from '../../servers/bedrock-auth.ts';
import type { BedrockAnswer } from '../../servers/bedrock-frames.ts';
import { createApiFixture } from '../ai-sdk-fixture.ts';
import { createPorts } from '../api-fixture.ts';
import { createMemoryFiles, type MemoryFiles } from './files.ts';

const fixture = createApiFixture<BedrockAnswer>({
  start: startBedrock,
  create: (ports) => createBedrockConverseStream(ports, {}),
  model: {
    id: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    api: 'bedrock-converse-stream',
    provider: 'amazon-bedrock',
  },
});

const KEYS = `aws_access_key_id = ${ACCESS_KEY}
aws_secret_access_key=${SECRET_KEY}
aws_session_token = ${SESSION_TOKEN}`;
const HOME = '/home/me';

async function sendRequest(files: MemoryFiles, env: Record<string, string>, overrides = {}) {
  fixture.server.reply({ answer: { parts: [{ text: 'ok' }] } });
  const api = createBedrockConverseStream(createPorts(createFakeClock()), { HOME, ...env }, { files });
  const { events, message } = await observe(api.stream(fixture.request({ apiKey: undefined, ...overrides })));
  const last = events.at(-1)!;
  const [, region] =
    /\/\d{8}\/([^/]+)\/bedrock/.exec(fixture.server.received.at(-1)?.headers.authorization ?? '') ?? [];
  return { text: message.errorMessage ?? 'ok', region, failure: last.type === 'error' ? last.failure : undefined };
}

describe('keys', () => {
  test('of the named profile, and its region', async () => {
    const files = createMemoryFiles({
      [`${HOME}/.aws/credentials`]: `[default]\naws_access_key_id = unused\n\n[work]\n${KEYS}\n`,
      [`${HOME}/.aws/config`]:
        '[default]\nregion = us-west-2\n[profile work]\nregion = eu-west-3 # home\noutput = json\n',
    });
    expect(await sendRequest(files, { AWS_PROFILE: 'work' })).toMatchObject({ text: 'ok', region: 'eu-west-3' });
    expect(await sendRequest(files, { AWS_PROFILE: 'work', AWS_REGION: 'sa-east-1' })).toMatchObject({
      region: 'sa-east-1',
    });
  });

  test('of the default profile', async () => {
    const files = createMemoryFiles({
      [`${HOME}/.aws/credentials`]: `[default]\r\n${KEYS.replaceAll('\n', '\r\n')}\r\n`,
    });
    expect(await sendRequest(files, {})).toMatchObject({ text: 'ok', region: 'us-east-1' });
  });

  test('in the config file, and in files at other paths', async () => {
    const files = createMemoryFiles({ '/etc/aws-config': `[profile "my work"]\n${KEYS}\nregion = eu-north-1\n` });
    const env = { AWS_PROFILE: 'my work', AWS_CONFIG_FILE: '/etc/aws-config', AWS_SHARED_CREDENTIALS_FILE: '/none' };
    expect(await sendRequest(files, env)).toMatchObject({ text: 'ok', region: 'eu-north-1' });
  });

  test('of the environment override the profile, with the region of the profile', async () => {
    const files = createMemoryFiles({
      [`${HOME}/.aws/credentials`]: '[default]\naws_access_key_id = unused\naws_secret_access_key = x\n',
      [`${HOME}/.aws/config`]: '[default]\nregion = us-west-2\n',
    });
    const env = { AWS_ACCESS_KEY_ID: ACCESS_KEY, AWS_SECRET_ACCESS_KEY: SECRET_KEY, AWS_SESSION_TOKEN: SESSION_TOKEN };
    expect(await sendRequest(files, env)).toMatchObject({ text: 'ok', region: 'us-west-2' });
  });

  test('are not read when there is a bearer token', async () => {
    const files = createMemoryFiles();
    expect(await sendRequest(files, { AWS_PROFILE: 'gone' }, { apiKey: BEARER })).toMatchObject({ text: 'ok' });
    expect(files.reads).toEqual([]);
  });

  test('are read again after a change', async () => {
    const files = createMemoryFiles({
      [`${HOME}/.aws/credentials`]: '[default]\naws_access_key_id = old\naws_secret_access_key = x',
    });
    expect(await sendRequest(files, {})).toMatchObject({ failure: { kind: 'auth', status: 403 } });
    files.put(`${HOME}/.aws/credentials`, `[default]\n${KEYS}`);
    expect(await sendRequest(files, {})).toMatchObject({ text: 'ok' });
  });
});

describe('no keys', () => {
  test.each([
    [{}, 'there is no profile work in /home/me/.aws/credentials or /home/me/.aws/config'],
    [{ [`${HOME}/.aws/config`]: '[profile work]\nregion = eu-west-1' }, 'the profile work has no credentials'],
  ])('the error names the profile, the files and the remedy', async (contents, expected) => {
    const { text, failure } = await sendRequest(createMemoryFiles(contents as Record<string, string>), {
      AWS_PROFILE: 'work',
    });
    expect(text).toContain(expected);
    expect(text).toMatch(/export-credentials --profile work --format env|Set AWS_PROFILE to another profile/);
    expect(failure).toEqual({ kind: 'auth' });
  });

  test('without any configuration the error names all variables', async () => {
    const { text } = await sendRequest(createMemoryFiles(), {});
    expect(text).toMatch(/AWS_BEARER_TOKEN_BEDROCK.*AWS_PROFILE.*AWS_ACCESS_KEY_ID/);
  });

  test('secrets of the file appear in no text', async () => {
    const other = 'another+secret/of+the/file';
    const keys = KEYS.replace(SECRET_KEY, other);
    const { text } = await sendRequest(createMemoryFiles({ [`${HOME}/.aws/credentials`]: `[default]\n${keys}` }), {});
    expect(text).toContain('signature we calculated does not match');
    expect(text).not.toContain(other);
  });
});

test('parses comments, indentation and quoted names', () => {
  const text = '# a comment\n; another\n[ a ]\nX = 1\ns3 =\n  max = 2\ny=a=b ; c\n[profile   "b c"]\nz =\n[a]\nw = 3';
  const sections = [...parseSections(text)].map(([name, section]) => [name, Object.fromEntries(section)]);
  expect(Object.fromEntries(sections)).toEqual({ a: { x: '1', y: 'a=b', w: '3' }, 'profile b c': {} });
});
