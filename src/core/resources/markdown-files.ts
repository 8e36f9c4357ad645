// First floor, core: Markdown files in folders, read within bounds. Knows where they lie, not what they are for.
import { type Document, parseFrontmatter } from '../../base/frontmatter.ts';
import { messageOf } from '../../base/index.ts';
import type { Files, Place } from '../../contracts/index.ts';

export interface FoundFile {
  readonly path: string;
  /** `path`: somebody named it, in a setting or a flag. */
  readonly level: Place['level'] | 'path';
}

export type Reading = Pick<Files, 'info' | 'list' | 'read'>;

/** A longer one is a mistake. */
const MOST_BYTES = 512 * 1024;
const MOST_ENTRIES = 2000;

/** The names in a folder, sorted; none when it is not there. Links are followed. */
export async function namesIn(files: Reading, folder: string): Promise<readonly string[]> {
  try {
    const entries = await files.list(folder);
    return entries
      .map(({ name }) => name)
      .sort()
      .slice(0, MOST_ENTRIES);
  } catch {
    return [];
  }
}

/** `undefined` when it is no file. */
export async function readWhole(files: Reading, path: string): Promise<string | undefined> {
  const info = await files.info(path);
  if (info?.kind !== 'file') return undefined;
  return new TextDecoder().decode(await files.read(path, { length: MOST_BYTES }));
}

/** `undefined` when it is no file. Throws a Fault that says why it cannot be used. */
export async function readDocument(files: Reading, path: string): Promise<Document | undefined> {
  const text = await readWhole(files, path);
  return text === undefined ? undefined : parseFrontmatter(text);
}

/** The same where one that cannot be used costs a sentence, not the others. */
export async function readOrTell(files: Reading, path: string, problems: string[]): Promise<Document | undefined> {
  try {
    return await readDocument(files, path);
  } catch (thrown) {
    problems.push(`${path}: ${messageOf(thrown)}; it is ignored`);
    return undefined;
  }
}
