// Finds project files by fuzzy match for `@` mentions. Lists the files when the first search starts, and searches while the list grows.
import type { Clock } from '../../contracts/index.ts';
import { scorePath } from './fuzzy-match.ts';

export interface FileSearchPorts {
  readonly clock: Pick<Clock, 'now' | 'sleep' | 'yieldToEventLoop'>;
  /** Calls `onFile` with the path of each file, relative to the project, until it returns true or the signal aborts. */
  listFiles(onFile: (path: string) => boolean, signal: AbortSignal): Promise<void>;
}

interface Entry {
  readonly path: string;
  readonly lowerCase: string;
}

interface Listing {
  readonly entries: Entry[];
  readonly controller: AbortController;
  readonly finished: Promise<void>;
  isFinished: boolean;
  finishedAt: number;
}

/** Limits memory and the time of a search in very large projects. */
const MAX_FILES = 100_000;
const MAX_RESULTS = 50;
/** Other input is handled after this many entries. */
const SLICE_SIZE = 4_000;
/** While files are being listed, the search is repeated after this time. */
const REPEAT_MS = 200;
/** An older list is read again, because files may have been added. */
const MAX_AGE_MS = 5_000;

export class FileSearch {
  readonly #ports: FileSearchPorts;
  #listing: Listing | undefined;

  constructor(ports: FileSearchPorts) {
    this.#ports = ports;
  }

  /** Yields the best matches, again each time when more files were listed. Folders end with a slash. */
  async *search(query: string, signal: AbortSignal): AsyncGenerator<readonly string[]> {
    const { clock } = this.#ports;
    const listing = this.#getListing();
    // Most projects are listed within this time, so that the first results are complete.
    await Promise.race([listing.finished, clock.sleep(REPEAT_MS, signal)]);
    for (;;) {
      const { isFinished } = listing;
      const matches = await this.#match(query.toLowerCase(), listing.entries, signal);
      if (signal.aborted) return;
      if (matches.length > 0 || isFinished) yield matches;
      if (isFinished) return;
      await Promise.race([listing.finished, clock.sleep(REPEAT_MS, signal)]);
      if (signal.aborted) return;
    }
  }

  /** Stops listing files. A list that is incomplete is discarded. */
  stop(): void {
    if (!this.#listing || this.#listing.isFinished) return;
    this.#listing.controller.abort();
    this.#listing = undefined;
  }

  #getListing(): Listing {
    const { clock } = this.#ports;
    const current = this.#listing;
    if (current && (!current.isFinished || clock.now() - current.finishedAt < MAX_AGE_MS)) return current;
    const controller = new AbortController();
    const entries: Entry[] = [];
    const folders = new Set<string>();
    const add = (path: string) => entries.push({ path, lowerCase: path.toLowerCase() });
    const finished = this.#ports
      .listFiles((path) => {
        for (const folder of listNewFolders(path, folders)) add(folder);
        add(path);
        return entries.length >= MAX_FILES;
      }, controller.signal)
      // Without ripgrep there are no matches, and completion lists folders instead.
      .catch(() => {})
      .then(() => {
        listing.isFinished = true;
        listing.finishedAt = clock.now();
      });
    const listing: Listing = { entries, controller, finished, isFinished: false, finishedAt: 0 };
    this.#listing = listing;
    return listing;
  }

  async #match(query: string, entries: readonly Entry[], signal: AbortSignal): Promise<string[]> {
    let best: { path: string; score: number }[] = [];
    for (let at = 0; at < entries.length && !signal.aborted; at++) {
      if (at % SLICE_SIZE === SLICE_SIZE - 1) await this.#ports.clock.yieldToEventLoop();
      const { path, lowerCase } = entries[at] as Entry;
      const score = scorePath(query, lowerCase);
      if (score === undefined) continue;
      // Without a query the entries of the project folder come first.
      best.push({ path, score: query === '' ? -countSlashes(path) : score });
      if (best.length > 10 * MAX_RESULTS) best = best.sort(compareMatches).slice(0, MAX_RESULTS);
    }
    return best
      .sort(compareMatches)
      .slice(0, MAX_RESULTS)
      .map(({ path }) => path);
  }
}

function compareMatches(one: { path: string; score: number }, other: { path: string; score: number }): number {
  return other.score - one.score || one.path.length - other.path.length || (one.path < other.path ? -1 : 1);
}

function countSlashes(path: string): number {
  // The slash at the end of a folder does not count.
  return path.slice(0, -1).split('/').length;
}

/** The folders of the path that are not in `known`, which gets them. */
function listNewFolders(path: string, known: Set<string>): string[] {
  const found: string[] = [];
  for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
    const folder = path.slice(0, slash + 1);
    if (known.has(folder)) break;
    known.add(folder);
    found.push(folder);
  }
  return found;
}
