// Confirms what ripgrep has found. Ripgrep follows no links, but a directory may be exchanged for a link while it is searching, and it
// does not know which files are refused. Only what a checked access finds again is shown.
import { join } from 'node:path';
import { Fault } from '../base/index.ts';
import type { Files } from '../contracts/index.ts';
import type { FoundLine } from './grep-collector.ts';

/** Larger files are left out. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;
const UTF16_MARKS = [
  { mark: [0xff, 0xfe], encoding: 'utf-16le' },
  { mark: [0xfe, 0xff], encoding: 'utf-16be' },
];

/** Throws when the directory may not be listed. With a policy that only warns, the user gets a notice. */
export async function requireListable(files: Files, directory: string): Promise<void> {
  await files.list(directory);
}

/** The lines that are in the files now. */
export async function confirmLines(
  files: Files,
  directory: string,
  found: readonly FoundLine[],
): Promise<readonly FoundLine[]> {
  const confirmed: FoundLine[] = [];
  let last: { path: string; lines: readonly string[] } | undefined;
  for (const line of found) {
    // The lines of a file follow one another.
    if (last?.path !== line.path) {
      last = { path: line.path, lines: await readFileLines(files, join(directory, line.path)) };
    }
    if (last.lines[line.number - 1]?.startsWith(line.text)) confirmed.push(line);
  }
  return confirmed;
}

async function readFileLines(files: Files, path: string): Promise<readonly string[]> {
  const bytes = await accessOrSkip(() => files.read(path, { start: 0, length: MAX_FILE_BYTES }));
  if (!bytes) return [];
  // Ripgrep decodes UTF-16 that begins with a byte order mark.
  const encoding = UTF16_MARKS.find(({ mark }) => mark.every((byte, at) => bytes[at] === byte))?.encoding;
  return new TextDecoder(encoding).decode(bytes).split('\n');
}

/** The names that exist now and may be inspected. */
export async function confirmNames(
  files: Files,
  directory: string,
  found: readonly string[],
): Promise<readonly string[]> {
  const confirmed = await Promise.all(
    found.map((name) => accessOrSkip(() => files.info(join(directory, name), { follow: false }))),
  );
  return found.filter((_, at) => confirmed[at] !== undefined);
}

/** `undefined` when the file is refused, has been removed or cannot be read. */
async function accessOrSkip<T>(access: () => Promise<T>): Promise<T | undefined> {
  try {
    return await access();
  } catch (error) {
    if (error instanceof Fault && error.code !== 'refused') throw error;
    return undefined;
  }
}
