// Lists and reads Markdown files with limits on size and number.
import { getErrorMessage } from '../../base/index.ts';
import type { Files, ResourcePath } from '../../contracts/index.ts';
import { type FrontmatterDocument, parseFrontmatter } from '../../support/frontmatter.ts';

export interface FoundFile {
  readonly path: string;
  /** `path`: configured explicitly in a setting or a flag. */
  readonly level: ResourcePath['level'] | 'path';
}

export type ReadonlyFiles = Pick<Files, 'info' | 'list' | 'read'>;

/** Only this many bytes of a file are read. */
const MAX_BYTES = 512 * 1024;
const MAX_ENTRIES = 2000;

/** The names in a folder, sorted; empty when the folder cannot be read. Links are followed. */
export async function listNames(files: ReadonlyFiles, folder: string): Promise<readonly string[]> {
  try {
    const entries = await files.list(folder);
    return entries
      .map(({ name }) => name)
      .sort()
      .slice(0, MAX_ENTRIES);
  } catch {
    return [];
  }
}

/** `undefined` when the path is not a file. */
export async function readTextFile(files: ReadonlyFiles, path: string): Promise<string | undefined> {
  const info = await files.info(path);
  if (info?.kind !== 'file') return undefined;
  return new TextDecoder().decode(await files.read(path, { length: MAX_BYTES }));
}

/** `undefined` when the path is not a file. Throws a Fault when the file cannot be read or parsed. */
export async function readDocument(files: ReadonlyFiles, path: string): Promise<FrontmatterDocument | undefined> {
  const text = await readTextFile(files, path);
  return text === undefined ? undefined : parseFrontmatter(text);
}

/** Like `readDocument`, but adds a failure to `problems` instead of throwing. */
export async function readDocumentOrReport(
  files: ReadonlyFiles,
  path: string,
  problems: string[],
): Promise<FrontmatterDocument | undefined> {
  try {
    return await readDocument(files, path);
  } catch (thrown) {
    problems.push(`${path}: ${getErrorMessage(thrown)}; it is ignored`);
    return undefined;
  }
}
