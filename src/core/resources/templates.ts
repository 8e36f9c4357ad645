// First floor, core: prompt templates, which are prompts with blanks. Finds them and fills them in.
import { basename, extname, join } from 'node:path';
import type { Place } from '../../contracts/index.ts';
import { type FoundFile, namesIn, type Reading, readOrTell } from './markdown-files.ts';

export interface Template extends FoundFile {
  readonly name: string;
  readonly description: string;
  readonly body: string;
}

const LONGEST_DESCRIPTION = 60;

/** Strongest first: of two with one name the first counts. */
export async function findTemplates(
  files: Reading,
  { folders, named }: { folders: readonly Place[]; named: readonly string[] },
  problems: string[],
): Promise<readonly Template[]> {
  const found: FoundFile[] = [];
  for (const path of named) {
    const info = await files.info(path).catch(() => undefined);
    if (!info) problems.push(`${path}: there is no prompt template`);
    else if (info.kind === 'directory') found.push(...(await templatesIn(files, path, 'path')));
    else found.push({ path, level: 'path' });
  }
  for (const { path, level } of folders) found.push(...(await templatesIn(files, path, level)));
  const templates = new Map<string, Template>();
  for (const file of found) {
    const name = basename(file.path, extname(file.path));
    if (templates.has(name)) continue;
    const document = await readOrTell(files, file.path, problems);
    if (document)
      templates.set(name, { ...file, name, body: document.body.trim(), description: described(document, file) });
  }
  return [...templates.values()];
}

async function templatesIn(files: Reading, folder: string, level: FoundFile['level']): Promise<FoundFile[]> {
  const names = await namesIn(files, folder);
  return names.filter((name) => extname(name) === '.md').map((name) => ({ path: join(folder, name), level }));
}

/** The words and the origin are the protocol's: hosts show them in menus. */
function described(
  { fields, body }: { fields: Readonly<Record<string, unknown>>; body: string },
  { path, level }: FoundFile,
): string {
  const first = body.split('\n').find((line) => line.trim() !== '') ?? '';
  const short = first.length > LONGEST_DESCRIPTION ? `${first.slice(0, LONGEST_DESCRIPTION)}...` : first;
  const words = typeof fields.description === 'string' ? fields.description : short;
  const origin = level === 'path' ? `(path:${basename(path, extname(path))})` : `(${level})`;
  return `${words} ${origin}`.trim();
}

/** As a shell would cut them: spaces part, quotes keep together. A quote that does not end reaches to the end. */
export function splitArguments(text: string): string[] {
  const found: string[] = [];
  let current = '';
  let quote: string | undefined;
  let begun = false;
  for (const letter of text) {
    if (quote !== undefined) {
      if (letter === quote) quote = undefined;
      else current += letter;
    } else if (letter === '"' || letter === "'") {
      quote = letter;
      begun = true;
    } else if (/\s/.test(letter)) {
      if (begun) found.push(current);
      current = '';
      begun = false;
    } else {
      current += letter;
      begun = true;
    }
  }
  if (begun) found.push(current);
  return found;
}

const BLANK = /\$\{@:(\d+)(?::(\d+))?\}|\$ARGUMENTS|\$@|\$(\d+)/g;

/** What is filled in is not looked at again: an argument that looks like a blank stays as it is. */
export function fillIn(body: string, words: readonly string[]): string {
  return body.replace(BLANK, (_, from: string | undefined, length: string | undefined, single: string | undefined) => {
    if (single !== undefined) return words[Number(single) - 1] ?? '';
    if (from === undefined) return words.join(' ');
    const start = Math.max(Number(from), 1) - 1;
    return words.slice(start, length === undefined ? undefined : start + Number(length)).join(' ');
  });
}
