// Ground floor: where conversations are kept. Nothing here knows what a file is.
import type { SessionEntry, SessionHeader } from '../protocol/index.ts';

/** One conversation's log. Entries are only ever added. */
export interface SessionLog {
  /** Where it is kept; absent for logs that live in memory only. */
  readonly file: string | undefined;
  /** Resolves when the entries are safe: written and synced. Calls are written in the order they were made. */
  append(entries: readonly SessionEntry[]): Promise<void>;
  /** Everything that was ever appended, in order. Costs what the history costs: for trees and exports, never to resume. */
  readAll(): Promise<readonly SessionEntry[]>;
  /**
   * Keeps beside the log what there is to know of it, for whoever goes on with it next. Only saves work: never rejects, and
   * asks nothing where there is little to save. Nothing may be appended meanwhile.
   */
  remember?(about: () => Promise<Remembered | undefined>): Promise<void>;
  close(): Promise<void>;
}

/** A part of a log that could not be read and was passed over. */
export interface LogDamage {
  offset: number;
  message: string;
}

/** A message of the log that nobody has read yet. */
export interface UnreadMessage {
  readonly type: 'unread';
  readonly id: string;
  readonly role: string;
  /** `undefined` when it turns out to be damaged. */
  read(): SessionEntry | undefined;
  mentions(words: string): boolean;
}

/** What a line of conversation that nobody has read says about itself, without a word of what was said in it. */
export interface Digest {
  readonly type: 'digest';
  /** How many the model is given. */
  readonly messages: number;
  readonly model?: { readonly provider: string; readonly modelId: string } | undefined;
  readonly thinkingLevel?: string | undefined;
  /** Rules that have acted, by name. */
  readonly rules?: readonly string[] | undefined;
  /** Of the budget. */
  readonly spent?: Readonly<Record<string, number>> | undefined;
}

/** What a log is remembered by. */
export interface Remembered {
  readonly leafId: string;
  readonly name?: string | undefined;
  readonly digest: Digest;
}

export type EntryOnPath = SessionEntry | UnreadMessage;

/** A digest stands for everything before what comes after it. */
export type SketchedEntry = EntryOnPath | Digest;

/** A conversation that goes on. */
export interface ResumedSession {
  readonly header: SessionHeader;
  readonly log: SessionLog;
  /**
   * The entries that the context is made of, oldest first, ending at the leaf: from the first one that the newest
   * compaction kept, otherwise from the root. Read backwards from the end, so that the rest of the history costs nothing,
   * and not before somebody asks: beginning to serve a host does not need what was said.
   */
  readonly path: readonly SessionEntry[];
  /** The same before it is read; absent when it has been. */
  readonly sketch?: readonly SketchedEntry[];
  readonly leafId: string | null;
  readonly name: string | undefined;
  /** Grows when the path is read and a message in it turns out to be damaged. */
  readonly damage: readonly LogDamage[];
}

/** Everything in a log, as it was when it was read. */
export interface StoredSession {
  readonly header: SessionHeader;
  readonly entries: readonly SessionEntry[];
  readonly leafId: string | null;
  readonly name: string | undefined;
}

/** One line of the list of sessions. */
export interface SessionSummary {
  path: string;
  id: string;
  cwd: string;
  name?: string;
  parentSession?: string;
  createdMs: number;
  modifiedMs: number;
  messages: number;
  /** US dollars. */
  cost: number;
  /** The file and its artifacts. */
  bytes: number;
  /** How the first prompt begins. */
  opening: string;
}

export interface EmptyFile {
  readonly path: string;
  readonly exists: boolean;
}

export interface SessionStore {
  /** A new log, in `file` when one is given: it must be empty or absent. Nothing touches the disk before the first append. */
  create(header: SessionHeader, file?: string): SessionLog;
  /** Throws a Fault: nothing there, not a session, or held by another process (named). Never overwrites what it cannot read. */
  resume(path: string): Promise<ResumedSession>;
  /** Looks without touching: takes no lock, changes nothing. For copies and exports. */
  read(path: string): Promise<StoredSession>;
  /**
   * A path, or the beginning of an id. Throws a Fault when it names none or several. Relative paths begin at `cwd`, or where
   * the process was started.
   */
  locate(wanted: string, cwd?: string): Promise<string>;
  /**
   * A file in which a session can begin: an empty one, or an absent one whose name is a path. `undefined` when the name means
   * neither. Throws a Fault when the file cannot be opened or its directory does not exist. Absent
   * where sessions are not kept in files.
   */
  emptyFile?(wanted: string, cwd?: string): Promise<EmptyFile | undefined>;
  /** The session that was written to last; `undefined` when there is none. */
  latest(): Promise<string | undefined>;
  /** Newest first. */
  list(): Promise<readonly SessionSummary[]>;
  /** With its artifacts. */
  remove(path: string): Promise<void>;
}
