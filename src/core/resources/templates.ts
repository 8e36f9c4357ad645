// Finds prompt templates and fills in their placeholders.
import { basename, extname, join } from 'node:path';
import type { ResourcePath } from '../../contracts/index.ts';
import { type FoundFile, listNames, type ReadonlyFiles, readDocumentOrReport } from './markdown-files.ts';

export interface Template extends FoundFile {
  readonly name: string;
  readonly description: string;
  readonly body: string;
}

const MAX_DESCRIPTION_LENGTH = 60;

/** In order of precedence: when two templates have the same name, the first one is used. */
export async function findTemplates(
  files: ReadonlyFiles,
  { folders, named: explicitPaths }: { folders: readonly ResourcePath[]; named: readonly string[] },
  problems: string[],
): Promise<readonly Template[]> {
  const found: FoundFile[] = [];
  for (const path of explicitPaths) {
    const info = await files.info(path).catch(() => undefined);
    if (!info) problems.push(`${path}: prompt template not found`);
    else if (info.kind === 'directory') found.push(...(await listTemplates(files, path, 'path')));
    else found.push({ path, level: 'path' });
  }
  for (const { path, level } of folders) found.push(...(await listTemplates(files, path, level)));
  const templates = new Map<string, Template>();
  for (const file of found) {
    const name = basename(file.path, extname(file.path));
    if (templates.has(name)) continue;
    const document = await readDocumentOrReport(files, file.path, problems);
    if (document)
      templates.set(name, { ...file, name, body: document.body.trim(), description: describeTemplate(document, file) });
  }
  return [...templates.values()];
}

async function listTemplates(files: ReadonlyFiles, folder: string, level: FoundFile['level']): Promise<FoundFile[]> {
  const names = await listNames(files, folder);
  return names.filter((name) => extname(name) === '.md').map((name) => ({ path: join(folder, name), level }));
}

/** The RPC protocol defines this format of description and origin. Hosts show it in menus. */
function describeTemplate(
  { fields, body }: { fields: Readonly<Record<string, unknown>>; body: string },
  { path, level }: FoundFile,
): string {
  const firstLine = body.split('\n').find((line) => line.trim() !== '') ?? '';
  const short =
    firstLine.length > MAX_DESCRIPTION_LENGTH ? `${firstLine.slice(0, MAX_DESCRIPTION_LENGTH)}...` : firstLine;
  const descriptionText = typeof fields.description === 'string' ? fields.description : short;
  const origin = level === 'path' ? `(path:${basename(path, extname(path))})` : `(${level})`;
  return `${descriptionText} ${origin}`.trim();
}

/** Splits like a shell: at spaces, except inside quotes. An unclosed quote extends to the end of the text. */
export function splitArguments(text: string): string[] {
  const found: string[] = [];
  let current = '';
  let quote: string | undefined;
  let hasArgument = false;
  for (const character of text) {
    if (quote !== undefined) {
      if (character === quote) quote = undefined;
      else current += character;
    } else if (character === '"' || character === "'") {
      quote = character;
      hasArgument = true;
    } else if (/\s/.test(character)) {
      if (hasArgument) found.push(current);
      current = '';
      hasArgument = false;
    } else {
      current += character;
      hasArgument = true;
    }
  }
  if (hasArgument) found.push(current);
  return found;
}

const PLACEHOLDER = /\$\{@:(\d+)(?::(\d+))?\}|\$ARGUMENTS|\$@|\$(\d+)/g;

/** Arguments are not expanded again: an argument that looks like a placeholder stays unchanged. */
export function fillTemplate(body: string, args: readonly string[]): string {
  return body.replace(
    PLACEHOLDER,
    (_, from: string | undefined, length: string | undefined, single: string | undefined) => {
      if (single !== undefined) return args[Number(single) - 1] ?? '';
      if (from === undefined) return args.join(' ');
      const start = Math.max(Number(from), 1) - 1;
      return args.slice(start, length === undefined ? undefined : start + Number(length)).join(' ');
    },
  );
}
