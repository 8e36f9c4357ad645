// First floor, llm: the keys and the region that Amazon's own files keep under a profile. Reads them; signs nothing.
import type { Files } from '../../../../contracts/index.ts';
import { ProviderFault } from '../../../http/failure.ts';
import { type WatchedFile, watchedFile } from '../../../watched-file.ts';

export type Env = Readonly<Record<string, string | undefined>>;
export type CloudFiles = Pick<Files, 'info' | 'read'>;

type Section = ReadonlyMap<string, string>;
type Sections = ReadonlyMap<string, Section>;

/** The environment, and under it what the profile says: as if somebody had exported it. */
export type Profiled = () => Promise<Env>;

export function awsProfile(env: Env, files: CloudFiles): Profiled {
  const home = `${env.HOME ?? env.USERPROFILE ?? ''}/.aws`;
  const keys = sectionsIn(files, env.AWS_SHARED_CREDENTIALS_FILE || `${home}/credentials`);
  const config = sectionsIn(files, env.AWS_CONFIG_FILE || `${home}/config`);
  const name = env.AWS_PROFILE || 'default';
  return async () => {
    const [kept, described] = await Promise.all([keys.read(), config.read()]);
    const said = described.get(name === 'default' ? name : `profile ${name}`);
    const held = kept.get(name);
    const place = {
      AWS_REGION: env.AWS_REGION || env.AWS_DEFAULT_REGION || said?.get('region') || held?.get('region'),
    };
    if (env.AWS_ACCESS_KEY_ID && env.AWS_SECRET_ACCESS_KEY) return { ...env, ...place };
    const owner = [held, said].find((section) => section?.has('aws_access_key_id'));
    if (!owner) {
      // Without a name nobody promised that there is one.
      if (env.AWS_PROFILE) throw noKeys(name, [keys.path, config.path], held ?? said);
      return { ...env, ...place };
    }
    return {
      ...env,
      ...place,
      AWS_ACCESS_KEY_ID: owner.get('aws_access_key_id'),
      AWS_SECRET_ACCESS_KEY: owner.get('aws_secret_access_key'),
      AWS_SESSION_TOKEN: owner.get('aws_session_token'),
    };
  };
}

function sectionsIn(files: CloudFiles, path: string): WatchedFile<Sections> {
  return watchedFile(files, path, async (text = '') => readSections(text));
}

/** `[name]`, `key = value`, comments. What is indented belongs to a setting of which nothing is wanted here. */
export function readSections(text: string): Sections {
  const sections = new Map<string, Map<string, string>>();
  let current: Map<string, string> | undefined;
  for (const line of text.split(/\r?\n/)) {
    const [, title] = /^\[\s*([^\]]+?)\s*\]/.exec(line) ?? [];
    if (title !== undefined) {
      const name = title.replace(/\s+/, ' ').replace(/^(profile )?"(.*)"$/, '$1$2');
      current = sections.get(name) ?? new Map();
      sections.set(name, current);
    }
    const [, key, value] = /^([^\s#;=[][^=]*?)\s*=\s*(.*?)(?:\s+[#;].*)?\s*$/.exec(line) ?? [];
    if (key !== undefined && value) current?.set(key.toLowerCase(), value);
  }
  return sections;
}

function noKeys(name: string, [keys, config]: readonly string[], found: Section | undefined): ProviderFault {
  const other = ['sso_session', 'sso_start_url', 'role_arn', 'credential_process', 'web_identity_token_file'].find(
    (key) => found?.has(key),
  );
  const sentence = found
    ? `the profile ${name} holds no keys${other ? ` but ${other}, which is not followed here` : ''}. Export them: eval "$(aws configure export-credentials --profile ${name} --format env)"`
    : `there is no profile ${name} in ${keys} or ${config}. Name another in AWS_PROFILE, or set AWS_BEARER_TOKEN_BEDROCK`;
  return new ProviderFault({ kind: 'auth' }, `Amazon Bedrock cannot be opened: ${sentence}`);
}
