// Bedrock with a profile of Amazon's own files: keys and region, and what is said when there are none.
import { describe, expect, test } from 'vitest';
import { createBedrockConverseStream } from '../../../../src/llm/apis/ai-sdk/bedrock-converse-stream.ts';
import { readSections } from '../../../../src/llm/apis/ai-sdk/sign-in/aws-files.ts';
import { createFakeClock } from '../../../../src/testing/fake-clock.ts';
import { observe } from '../../contract.ts';
import { startBedrock } from '../../servers/bedrock.ts';
import { ACCESS_KEY, BEARER, SECRET_KEY, SESSION_TOKEN } from '../../servers/bedrock-door.ts';
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

const KEYS = `aws_access_key_id = ${ACCESS_KEY}
aws_secret_access_key=${SECRET_KEY}
aws_session_token = ${SESSION_TOKEN}`;
const HOME = '/home/me';

async function asked(files: HeldFiles, env: Record<string, string>, other = {}) {
  at.server.reply({ answer: { parts: [{ text: 'ok' }] } });
  const api = createBedrockConverseStream(portsWith(createFakeClock()), { HOME, ...env }, { files });
  const { events, message } = await observe(api.stream(at.request({ apiKey: undefined, ...other })));
  const last = events.at(-1)!;
  const [, region] = /\/\d{8}\/([^/]+)\/bedrock/.exec(at.server.received.at(-1)?.headers.authorization ?? '') ?? [];
  return { text: message.errorMessage ?? 'ok', region, failure: last.type === 'error' ? last.failure : undefined };
}

describe('keys', () => {
  test('of the profile that is named, and its region', async () => {
    const files = holding({
      [`${HOME}/.aws/credentials`]: `[default]\naws_access_key_id = nobody\n\n[work]\n${KEYS}\n`,
      [`${HOME}/.aws/config`]:
        '[default]\nregion = us-west-2\n[profile work]\nregion = eu-west-3 # home\noutput = json\n',
    });
    expect(await asked(files, { AWS_PROFILE: 'work' })).toMatchObject({ text: 'ok', region: 'eu-west-3' });
    expect(await asked(files, { AWS_PROFILE: 'work', AWS_REGION: 'sa-east-1' })).toMatchObject({ region: 'sa-east-1' });
  });

  test('of the usual profile, where nobody names one', async () => {
    const files = holding({ [`${HOME}/.aws/credentials`]: `[default]\r\n${KEYS.replaceAll('\n', '\r\n')}\r\n` });
    expect(await asked(files, {})).toMatchObject({ text: 'ok', region: 'us-east-1' });
  });

  test('that stand in the other file, and in files elsewhere', async () => {
    const files = holding({ '/etc/aws-config': `[profile "my work"]\n${KEYS}\nregion = eu-north-1\n` });
    const env = { AWS_PROFILE: 'my work', AWS_CONFIG_FILE: '/etc/aws-config', AWS_SHARED_CREDENTIALS_FILE: '/none' };
    expect(await asked(files, env)).toMatchObject({ text: 'ok', region: 'eu-north-1' });
  });

  test('of the environment come first, with the region of the profile', async () => {
    const files = holding({
      [`${HOME}/.aws/credentials`]: '[default]\naws_access_key_id = nobody\naws_secret_access_key = x\n',
      [`${HOME}/.aws/config`]: '[default]\nregion = us-west-2\n',
    });
    const env = { AWS_ACCESS_KEY_ID: ACCESS_KEY, AWS_SECRET_ACCESS_KEY: SECRET_KEY, AWS_SESSION_TOKEN: SESSION_TOKEN };
    expect(await asked(files, env)).toMatchObject({ text: 'ok', region: 'us-west-2' });
  });

  test('are not looked for where a token opens the door', async () => {
    const files = holding();
    expect(await asked(files, { AWS_PROFILE: 'gone' }, { apiKey: BEARER })).toMatchObject({ text: 'ok' });
    expect(files.reads).toEqual([]);
  });

  test('that change are read again', async () => {
    const files = holding({
      [`${HOME}/.aws/credentials`]: '[default]\naws_access_key_id = old\naws_secret_access_key = x',
    });
    expect(await asked(files, {})).toMatchObject({ failure: { kind: 'auth', status: 403 } });
    files.put(`${HOME}/.aws/credentials`, `[default]\n${KEYS}`);
    expect(await asked(files, {})).toMatchObject({ text: 'ok' });
  });
});

describe('no keys', () => {
  test.each([
    [{}, 'there is no profile work in /home/me/.aws/credentials or /home/me/.aws/config'],
    [{ [`${HOME}/.aws/config`]: '[profile work]\nregion = eu-west-1' }, 'the profile work holds no keys'],
  ])('the profile, the files and the way out are named', async (held, expected) => {
    const { text, failure } = await asked(holding(held as Record<string, string>), { AWS_PROFILE: 'work' });
    expect(text).toContain(expected);
    expect(text).toMatch(/export-credentials --profile work --format env|Name another in AWS_PROFILE/);
    expect(failure).toEqual({ kind: 'auth' });
  });

  test('nothing at all: every way in is named', async () => {
    const { text } = await asked(holding(), {});
    expect(text).toMatch(/AWS_BEARER_TOKEN_BEDROCK.*AWS_PROFILE.*AWS_ACCESS_KEY_ID/);
  });

  test('secrets of the file are in no text', async () => {
    const other = 'another+secret/of+the/file';
    const keys = KEYS.replace(SECRET_KEY, other);
    const { text } = await asked(holding({ [`${HOME}/.aws/credentials`]: `[default]\n${keys}` }), {});
    expect(text).toContain('signature we calculated does not match');
    expect(text).not.toContain(other);
  });
});

test('the files as people write them', () => {
  const text = '# a comment\n; another\n[ a ]\nX = 1\ns3 =\n  max = 2\ny=a=b ; c\n[profile   "b c"]\nz =\n[a]\nw = 3';
  const plain = [...readSections(text)].map(([name, section]) => [name, Object.fromEntries(section)]);
  expect(Object.fromEntries(plain)).toEqual({ a: { x: '1', y: 'a=b', w: '3' }, 'profile b c': {} });
});
