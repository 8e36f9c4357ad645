// Reads the transcripts of subagents from their session files, recursively and with limits.
import { getErrorMessage, isRecord } from '../../base/index.ts';
import type { Files, StoredSession } from '../../contracts/index.ts';
import { getToolCalls, type SessionEntry } from '../../protocol/index.ts';
import { collectPathTo } from '../tree/branching.ts';
import { entryToMessages } from '../tree/context-path.ts';

/** Reads session files for the transcripts of subagents. */
export interface SubagentFiles {
  /** The file of the session that is exported; `undefined` if it has none. */
  readonly sessionFile: string | undefined;
  readonly files: Pick<Files, 'info' | 'realPath'>;
  read(path: string): Promise<StoredSession>;
}

/** A transcript, or the reason why there is none. */
export interface SubagentTranscript {
  readonly entries: readonly SessionEntry[];
  /** The number of entries that were left out before the entry at `gapPosition`. */
  readonly leftOut: number;
  readonly gapPosition: number;
  readonly problem: string | undefined;
  /** The transcripts of its own subagents. */
  readonly subagents: ReadonlyMap<string, SubagentTranscript>;
}

export interface SubagentLimits {
  /** Of one file. */
  readonly maxBytes: number;
  /** Of one transcript. The middle of a longer one is left out. */
  readonly maxEntries: number;
  /** Of all transcripts of the page. */
  readonly maxTotalEntries: number;
  readonly maxDepth: number;
}

export const SUBAGENT_LIMITS: SubagentLimits = {
  maxBytes: 32 * 1024 * 1024,
  maxEntries: 600,
  maxTotalEntries: 5000,
  maxDepth: 6,
};

/** The transcripts by the name of their file, which is the id of the task. */
export async function loadSubagents(
  entries: readonly SessionEntry[],
  source: SubagentFiles,
  limits: SubagentLimits = SUBAGENT_LIMITS,
): Promise<ReadonlyMap<string, SubagentTranscript>> {
  return new Loader(source, limits).load(entries, source.sessionFile, { depth: 1, prefix: '' });
}

interface Level {
  readonly depth: number;
  /** The beginning of the ids of nested subagents. */
  readonly prefix: string;
}

class Loader {
  readonly #source: SubagentFiles;
  readonly #limits: SubagentLimits;
  #totalEntries = 0;

  constructor(source: SubagentFiles, limits: SubagentLimits) {
    this.#source = source;
    this.#limits = limits;
  }

  async load(
    entries: readonly SessionEntry[],
    sessionFile: string | undefined,
    level: Level,
  ): Promise<ReadonlyMap<string, SubagentTranscript>> {
    const transcripts = new Map<string, SubagentTranscript>();
    const { reported, requested } = collectTaskIds(entries, level.prefix);
    for (const id of new Set([...reported, ...requested])) {
      const names = isSafeName(id) ? [id, `${id}-repair`] : [id];
      for (const [at, name] of names.entries()) {
        // A call without a result may have been refused before its tasks started, and most tasks have no repair.
        const mustExist = at === 0 && reported.has(id);
        const transcript = await this.#loadOne(sessionFile, name, mustExist, level);
        if (transcript) transcripts.set(name, transcript);
      }
    }
    return transcripts;
  }

  async #loadOne(
    sessionFile: string | undefined,
    name: string,
    mustExist: boolean,
    level: Level,
  ): Promise<SubagentTranscript | undefined> {
    const fail = (problem: string) => (mustExist ? createMissing(problem) : undefined);
    if (sessionFile === undefined) return fail('The session was not saved, so there is no transcript.');
    if (!isSafeName(name)) return fail('The id of the subagent is not a valid file name.');
    const folder = sessionFile.replace(/\.jsonl$/, '');
    const path = `${folder}/${name}.jsonl`;
    try {
      const info = await this.#source.files.info(path);
      if (!info) return fail(`The session file of the subagent does not exist: ${name}.jsonl`);
      if (!(await this.#isInside(path, folder)))
        return fail('The session file of the subagent is in another directory.');
      if (info.size > this.#limits.maxBytes)
        return fail(`Left out: its session file has ${Math.round(info.size / 1e6)} MB.`);
      if (level.depth > this.#limits.maxDepth)
        return fail(`Left out: more than ${this.#limits.maxDepth} levels of subagents.`);
      if (this.#totalEntries >= this.#limits.maxTotalEntries)
        return fail(
          'Left out: the page has enough transcripts already. Export the session file of the subagent instead.',
        );
      return await this.#read(path, name, level);
    } catch (thrown) {
      return fail(`The session file of the subagent cannot be read: ${getErrorMessage(thrown)}`);
    }
  }

  async #read(path: string, name: string, { depth }: Level): Promise<SubagentTranscript> {
    const session = await this.#source.read(path);
    const all = collectPathTo(session.entries, session.leafId);
    const maxCount = Math.min(this.#limits.maxEntries, this.#limits.maxTotalEntries - this.#totalEntries);
    const headCount = Math.ceil(maxCount / 2);
    const leftOut = Math.max(0, all.length - maxCount);
    const entries = leftOut === 0 ? all : [...all.slice(0, headCount), ...all.slice(headCount + leftOut)];
    this.#totalEntries += entries.length;
    const subagents = await this.load(entries, path, { depth: depth + 1, prefix: `${name}.` });
    return { entries, leftOut, gapPosition: headCount, problem: undefined, subagents };
  }

  /** A symbolic link could lead to any file of the user. */
  async #isInside(path: string, folder: string): Promise<boolean> {
    const { files } = this.#source;
    const [file, directory] = await Promise.all([files.realPath(path), files.realPath(folder)]);
    return file.startsWith(`${directory}/`);
  }
}

function createMissing(problem: string): SubagentTranscript {
  return { entries: [], leftOut: 0, gapPosition: 0, problem, subagents: new Map() };
}

/** The ids come from the log, which is not trusted. */
function isSafeName(name: string): boolean {
  return /^[\w.-]{1,200}$/.test(name) && !name.startsWith('.');
}

interface TaskIds {
  /** Of tasks that ended. */
  readonly reported: ReadonlySet<string>;
  /** Of tasks in the arguments of calls. */
  readonly requested: ReadonlySet<string>;
}

function collectTaskIds(entries: readonly SessionEntry[], prefix: string): TaskIds {
  const reported = new Set<string>();
  const requested = new Set<string>();
  for (const message of entries.flatMap(entryToMessages)) {
    if (message.role === 'toolResult') for (const { id } of listTaskResults(message.details)) reported.add(id);
    if (message.role !== 'assistant') continue;
    for (const call of getToolCalls(message))
      for (const id of listRequestedIds(call.arguments, prefix)) requested.add(id);
  }
  return { reported, requested };
}

export interface TaskResult {
  readonly id: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The results of subagents in the details of a tool result. */
export function listTaskResults(details: unknown): TaskResult[] {
  const results = isRecord(details) && Array.isArray(details.results) ? details.results : [];
  return results.flatMap((fields) =>
    isRecord(fields) && typeof fields.id === 'string' && typeof fields.agent === 'string'
      ? [{ id: fields.id, fields }]
      : [],
  );
}

/** The ids that a call of the task tool requests. Subagents of a subagent have its id as a prefix. */
export function listRequestedIds(args: Readonly<Record<string, unknown>>, prefix: string): string[] {
  const tasks = typeof args.agent === 'string' && Array.isArray(args.tasks) ? args.tasks : [];
  return tasks.flatMap((task) => (isRecord(task) && typeof task.id === 'string' ? [`${prefix}${task.id}`] : []));
}
