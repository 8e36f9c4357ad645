// Reads the profiles and SSO sessions of the AWS config and credentials files.
import type { Files } from '../../../../contracts/index.ts';
import { type CachedFile, createCachedFile } from '../../../cached-file.ts';

export type Env = Readonly<Record<string, string | undefined>>;
export type CloudFiles = Pick<Files, 'info' | 'read'>;
export type Section = ReadonlyMap<string, string>;
type Sections = ReadonlyMap<string, Section>;

export interface AwsConfig {
  /** The files that were read. */
  readonly paths: readonly [credentials: string, config: string];
  /** The settings of both files merged; the credentials file wins. */
  profile(name: string): Section | undefined;
  ssoSession(name: string): Section | undefined;
}

/** Returns the same object until a file changes. */
export function createAwsConfigReader(env: Env, files: CloudFiles): () => Promise<AwsConfig> {
  const paths = getAwsPaths(env);
  const [credentialsFile, configFile] = [createSectionsFile(files, paths[0]), createSectionsFile(files, paths[1])];
  let cached: { credentialSections: Sections; configSections: Sections; config: AwsConfig } | undefined;
  return async () => {
    const [credentialSections, configSections] = await Promise.all([credentialsFile.read(), configFile.read()]);
    if (cached?.credentialSections !== credentialSections || cached.configSections !== configSections) {
      cached = {
        credentialSections,
        configSections,
        config: { paths, ...buildAwsConfig(credentialSections, configSections) },
      };
    }
    return cached.config;
  };
}

/** The credentials file and the config file. */
export function getAwsPaths(env: Env): readonly [credentials: string, config: string] {
  const directory = getAwsDirectory(env);
  return [env.AWS_SHARED_CREDENTIALS_FILE || `${directory}/credentials`, env.AWS_CONFIG_FILE || `${directory}/config`];
}

export function getAwsDirectory(env: Env): string {
  return `${env.HOME ?? env.USERPROFILE ?? ''}/.aws`;
}

function buildAwsConfig(
  credentialSections: Sections,
  configSections: Sections,
): Pick<AwsConfig, 'profile' | 'ssoSession'> {
  return {
    profile(name) {
      const fromConfig = configSections.get(name === 'default' ? name : `profile ${name}`);
      const fromCredentials = credentialSections.get(name);
      return fromConfig || fromCredentials ? new Map([...(fromConfig ?? []), ...(fromCredentials ?? [])]) : undefined;
    },
    ssoSession: (name) => configSections.get(`sso-session ${name}`),
  };
}

function createSectionsFile(files: CloudFiles, path: string): CachedFile<Sections> {
  return createCachedFile(files, path, async (text = '') => parseSections(text));
}

/** Parses `[name]`, `key = value` and comments. Indented lines are nested settings, which are ignored. */
export function parseSections(text: string): Sections {
  const sections = new Map<string, Map<string, string>>();
  let current: Map<string, string> | undefined;
  for (const line of text.split(/\r?\n/)) {
    const end = line.startsWith('[') ? line.indexOf(']') : -1;
    if (end > 0) {
      const title = line.slice(1, end).trim();
      const name = title.replace(/\s+/, ' ').replace(/^(profile |sso-session )?"(.*)"$/, '$1$2');
      current = sections.get(name) ?? new Map();
      sections.set(name, current);
    }
    const [key, value] = parseSetting(line) ?? [];
    if (key !== undefined && value) current?.set(key.toLowerCase(), value);
  }
  return sections;
}

/** `undefined` for a line that is not `key = value`. A comment starts with white space and `#` or `;`. */
function parseSetting(line: string): [key: string, value: string] | undefined {
  const equals = line.indexOf('=');
  if (equals <= 0 || /^[\s#;[]/.test(line)) return undefined;
  const rest = line.slice(equals + 1).trimStart();
  const comment = rest.search(/\s[#;]/);
  return [line.slice(0, equals).trimEnd(), (comment < 0 ? rest : rest.slice(0, comment)).trimEnd()];
}
