// First floor, llm: Amazon's own files, which keep profiles and sessions. Reads them; follows nothing that they say.
import type { Files } from '../../../../contracts/index.ts';
import { type WatchedFile, watchedFile } from '../../../watched-file.ts';

export type Env = Readonly<Record<string, string | undefined>>;
export type CloudFiles = Pick<Files, 'info' | 'read'>;
export type Section = ReadonlyMap<string, string>;
type Sections = ReadonlyMap<string, Section>;

export interface AwsBook {
  /** Where it was looked for. */
  readonly paths: readonly string[];
  /** What both files say of it; in doubt that with the keys is right. */
  profile(name: string): Section | undefined;
  session(name: string): Section | undefined;
}

/** The same book for as long as nobody changes a file. */
export function awsFiles(env: Env, files: CloudFiles): () => Promise<AwsBook> {
  const keys = sectionsIn(files, env.AWS_SHARED_CREDENTIALS_FILE || `${awsHome(env)}/credentials`);
  const config = sectionsIn(files, env.AWS_CONFIG_FILE || `${awsHome(env)}/config`);
  const paths = [keys.path, config.path];
  let open: { kept: Sections; described: Sections; book: AwsBook } | undefined;
  return async () => {
    const [kept, described] = await Promise.all([keys.read(), config.read()]);
    if (open?.kept !== kept || open.described !== described) {
      open = { kept, described, book: { paths, ...bookOf(kept, described) } };
    }
    return open.book;
  };
}

export function awsHome(env: Env): string {
  return `${env.HOME ?? env.USERPROFILE ?? ''}/.aws`;
}

function bookOf(kept: Sections, described: Sections): Pick<AwsBook, 'profile' | 'session'> {
  return {
    profile(name) {
      const said = described.get(name === 'default' ? name : `profile ${name}`);
      const held = kept.get(name);
      return said || held ? new Map([...(said ?? []), ...(held ?? [])]) : undefined;
    },
    session: (name) => described.get(`sso-session ${name}`),
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
    const end = line.startsWith('[') ? line.indexOf(']') : -1;
    if (end > 0) {
      const title = line.slice(1, end).trim();
      const name = title.replace(/\s+/, ' ').replace(/^(profile |sso-session )?"(.*)"$/, '$1$2');
      current = sections.get(name) ?? new Map();
      sections.set(name, current);
    }
    const [key, value] = settingIn(line) ?? [];
    if (key !== undefined && value) current?.set(key.toLowerCase(), value);
  }
  return sections;
}

/** `undefined` for a line that is no `key = value`. A comment begins with a blank and `#` or `;`. */
function settingIn(line: string): [key: string, value: string] | undefined {
  const equals = line.indexOf('=');
  if (equals <= 0 || /^[\s#;[]/.test(line)) return undefined;
  const rest = line.slice(equals + 1).trimStart();
  const comment = rest.search(/\s[#;]/);
  return [line.slice(0, equals).trimEnd(), (comment < 0 ? rest : rest.slice(0, comment)).trimEnd()];
}
