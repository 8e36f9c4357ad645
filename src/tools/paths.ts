// First floor, tools: from the words of a model to one place on the disk. Links are followed before anything is checked.
import { isAbsolute, join, resolve, sep } from 'node:path';
import { Fault } from '../base/index.ts';
import type { FileInfo, FileKind, ToolContext } from '../contracts/index.ts';
import { orExplain } from './result.ts';

type Surroundings = Pick<ToolContext, 'cwd' | 'ports'>;

export interface Place {
  /** As the model wrote it. */
  readonly given: string;
  /** For people: without `.` and `..`, links still in it. */
  readonly absolute: string;
  /** Where it leads. The only path that may be opened. */
  readonly real: string;
  /** What is there; absent when nothing is. */
  readonly info: FileInfo | undefined;
}

export interface ExistingPlace extends Place {
  readonly info: FileInfo;
}

const UNUSUAL_SPACES = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g;

/** The place that a path means, whether or not something is there. */
export function placeOf(given: string, surroundings: Surroundings): Promise<Place> {
  return locate(given, expand(given, surroundings), surroundings);
}

/** The same for a file that should be there: names that a model tends to spell differently are tried as well. */
export async function existingPlace(given: string, surroundings: Surroundings): Promise<Place> {
  const first = await placeOf(given, surroundings);
  if (first.info) return first;
  const otherSpellings = new Set([anchor(given, surroundings), ...macSpellings(expand(given, surroundings))]);
  for (const spelling of otherSpellings) {
    const place = await locate(given, spelling, surroundings);
    if (place.info) return place;
  }
  return first;
}

/** Refuses what has no end or no content: a FIFO would wait for a writer, a device may never stop. */
export function requireFile(place: Place, intent: string): asserts place is ExistingPlace {
  if (!place.info) throw new Fault('not_found', `File not found: ${place.given}`);
  refuseUnless('file', place.info, `${intent} ${place.given}`);
}

export function requireDirectory(place: Place): asserts place is ExistingPlace {
  if (!place.info) throw new Fault('not_found', `Path not found: ${place.absolute}`);
  if (place.info.kind !== 'directory') throw new Fault('tool_failed', `Not a directory: ${place.absolute}`);
}

export function refuseUnless(kind: FileKind, info: FileInfo, intent: string): void {
  if (info.kind !== kind) throw new Fault('tool_failed', `${intent}: it is ${KIND_WORDS[info.kind]}`);
}

const KIND_WORDS: Record<FileKind, string> = {
  file: 'a file',
  directory: 'a directory',
  link: 'a link',
  fifo: 'a FIFO',
  device: 'a device',
  socket: 'a socket',
};

function expand(given: string, surroundings: Surroundings): string {
  const path = given.replace(/^@/, '').replace(UNUSUAL_SPACES, ' ');
  const home = surroundings.ports.toolEnv.HOME;
  if (home && (path === '~' || path.startsWith('~/'))) return join(home, path.slice(1));
  return anchor(path, surroundings);
}

/** Not `path.resolve`: it strikes out `link/..` before the link is known, and would name another place than the system. */
function anchor(path: string, { cwd }: Surroundings): string {
  return isAbsolute(path) ? path : `${cwd}${sep}${path}`;
}

async function locate(given: string, path: string, { ports }: Surroundings): Promise<Place> {
  if (path.includes('\0')) throw new Fault('invalid_params', `Path contains a NUL byte: ${JSON.stringify(given)}`);
  return orExplain(`Cannot reach ${given}`, async () => {
    const real = await ports.files.resolve(path);
    return { given, absolute: resolve(path), real, info: await ports.files.info(real) };
  });
}

/** macOS writes a narrow no-break space before AM and PM, decomposed accents and curly apostrophes into file names. */
function macSpellings(path: string): string[] {
  const spaced = path.replace(/ (AM|PM)\./gi, '\u202f$1.');
  const decomposed = path.normalize('NFD');
  const curly = path.replaceAll("'", '\u2019');
  return [spaced, decomposed, curly, decomposed.replaceAll("'", '\u2019'), path.normalize('NFC')];
}
