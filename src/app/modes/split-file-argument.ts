// Splits an `@path` argument that contains spaces into the file and the text after it.
import { resolve } from 'node:path';
import { Fault } from '../../base/index.ts';
import type { Files } from '../../contracts/index.ts';

export interface FileArgument {
  /** Absolute. */
  readonly path: string;
  /** What follows the path; may be empty. */
  readonly text: string;
}

/** Longer paths cannot exist on the supported systems. */
const MAX_PATH_LENGTH = 4096;
const MAX_SHOWN_LENGTH = 80;

/**
 * `argument` has no `@`. The file is the longest beginning, up to a space, that exists. A path in double quotes ends at the
 * second quote.
 */
export async function splitFileArgument(files: Files, cwd: string, argument: string): Promise<FileArgument> {
  const candidates = listCandidates(argument);
  for (const { path, text } of candidates) {
    const absolute = resolve(cwd, path);
    // The path may be too long for the system, or lead through a file.
    const info = await files.info(absolute).catch(() => undefined);
    if (info?.kind === 'file') return { path: absolute, text };
  }
  const shortest = resolve(cwd, candidates.at(-1)?.path ?? argument);
  if (candidates.length <= 1) throw new Fault('config', `File not found: ${shortest}`);
  const shown = argument.length > MAX_SHOWN_LENGTH ? `${argument.slice(0, MAX_SHOWN_LENGTH)}…` : argument;
  throw new Fault('config', `File not found: ${shortest}. No longer beginning of "@${shown}" is a file either.`);
}

/** The longest path first. */
function listCandidates(argument: string): FileArgument[] {
  const [, quoted, afterQuotes = ''] = /^"([^"]+)"(?=\s|$)(.*)$/s.exec(argument) ?? [];
  if (quoted !== undefined) return [{ path: quoted, text: afterQuotes.trim() }];
  const ends = [...argument.matchAll(/\s/g)].map(({ index }) => index).filter((end) => end > 0);
  return [...ends, argument.length]
    .filter((end) => end <= MAX_PATH_LENGTH || end === ends[0])
    .map((end) => ({ path: argument.slice(0, end), text: argument.slice(end).trim() }))
    .reverse();
}
