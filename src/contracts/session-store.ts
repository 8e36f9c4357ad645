// Storage of sessions, independent of the storage format.
import type { SessionEntry, SessionHeader } from '../protocol/index.ts';

/** A local directory for the files of a session beside its log, such as artifacts. It may not exist. */
export interface SessionDirectory {
  readonly path: string;
  /** Resolves when the files of the session are there. Called before the directory is used. Absent if they always are. */
  restore?(): Promise<void>;
  /** Resolves when all changes are stored. Absent if the directory itself is where they are stored. */
  save?(): Promise<void>;
}

/** The append-only log of one session. */
export interface SessionLog {
  /** Path of the log, or another reference with which its store finds it; undefined for logs in memory. */
  readonly file: string | undefined;
  /** Absent for logs in memory. */
  readonly directory?: SessionDirectory | undefined;
  /**
   * Another process takes the log over when this one has ended, and continues its run. So the log also records which tool calls
   * have been started, and what the run does after an answer that looks like its end. Absent for logs of one process.
   */
  readonly canBeTakenOver?: boolean | undefined;
  /** Resolves when the entries are written and synced. Entries are written in the order of the calls. */
  append(entries: readonly SessionEntry[]): Promise<void>;
  /** Reads all entries in order. The cost grows with the whole history: for trees and exports, never to resume. */
  readAll(): Promise<readonly SessionEntry[]>;
  /**
   * Stores a digest next to the log, so that the next resume is faster. Never rejects. `createRecord` is not called for short
   * logs. Nothing may be appended during the call.
   */
  writeDigest?(createRecord: () => Promise<DigestRecord | undefined>): Promise<void>;
  close(): Promise<void>;
}

/** A part of a log that could not be read and was skipped. */
export interface LogDamage {
  offset: number;
  message: string;
}

/** A message of the log that is not parsed yet. */
export interface UnreadMessage {
  readonly type: 'unread';
  readonly id: string;
  readonly role: string;
  /** `undefined` when the message is damaged. */
  read(): SessionEntry | undefined;
  containsText(text: string): boolean;
}

/** Summary data of a branch whose entries are not read yet. Contains no message text. */
export interface Digest {
  readonly type: 'digest';
  /** Number of messages in the model's context. */
  readonly messages: number;
  readonly model?: { readonly provider: string; readonly modelId: string } | undefined;
  readonly thinkingLevel?: string | undefined;
  /** Names of the rules that have been triggered. */
  readonly rules?: readonly string[] | undefined;
  /** The last run has not ended. */
  readonly isInterrupted?: boolean | undefined;
  /** Consumed budget. */
  readonly spent?: Readonly<Record<string, number>> | undefined;
}

/** The content of the digest file. */
export interface DigestRecord {
  readonly leafId: string;
  readonly name?: string | undefined;
  readonly digest: Digest;
}

export type PathEntry = SessionEntry | UnreadMessage;

/** A digest replaces all entries before the following one. */
export type LazyPathEntry = PathEntry | Digest;

export interface ResumedSession {
  readonly header: SessionHeader;
  readonly log: SessionLog;
  /**
   * The entries of the context, oldest first, up to the leaf: from the first entry that the newest compaction kept,
   * otherwise from the root. Read backwards from the end of the log, so that older history costs nothing. Read on first
   * access only, because the start of the program does not need the messages.
   */
  readonly path: readonly SessionEntry[];
  /** The path before it is read; absent when it is read. */
  readonly lazyPath?: readonly LazyPathEntry[];
  readonly leafId: string | null;
  readonly name: string | undefined;
  /** Grows when the path is read and contains a damaged message. */
  readonly damage: readonly LogDamage[];
}

/** A complete log at the time of reading. */
export interface StoredSession {
  readonly header: SessionHeader;
  readonly entries: readonly SessionEntry[];
  readonly leafId: string | null;
  readonly name: string | undefined;
}

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
  /** Size of the file and its artifacts. */
  bytes: number;
  /** The beginning of the first prompt. */
  opening: string;
  /** The last run has not ended: the program was killed during it, or it is in progress in some program. */
  interrupted: boolean;
}

/** Which stored sessions to list. */
export interface SessionQuery {
  /** Must occur in the path, the name, or a message of the user or the model, or begin the id. */
  readonly query?: string | undefined;
  /** The working directory of the sessions. */
  readonly cwd?: string | undefined;
  readonly limit: number;
  /** Of the page before. */
  readonly cursor?: string | undefined;
}

export interface FoundSession extends SessionSummary {
  /** The place in a message where the query was found. */
  match?: string;
}

export interface SessionPage {
  /** Newest first. */
  readonly sessions: readonly FoundSession[];
  /** Present if there are older sessions that were not searched. */
  readonly nextCursor?: string | undefined;
}

export interface EmptyFile {
  readonly path: string;
  readonly exists: boolean;
}

export interface SessionStore {
  /** The directory of new sessions. Absent in stores without files. */
  readonly directory?: string | undefined;
  /**
   * Creates a log, in `file` if given: it must be empty or absent. Otherwise in `directory`, by default that of the store.
   * Nothing is written before the first append. Stores without files throw a Fault when one of them is given.
   */
  create(header: SessionHeader, file?: string, directory?: string): SessionLog;
  /**
   * Throws a Fault when the file is missing, is not a session, or is locked by another process (which is named). Never
   * overwrites a file that it cannot read.
   */
  resume(path: string): Promise<ResumedSession>;
  /** Reads without a lock and changes nothing. For copies and exports. */
  read(path: string): Promise<StoredSession>;
  /**
   * Finds a session by its path or the beginning of its id. Throws a Fault when there is none or more than one. Relative paths
   * are resolved against `cwd`, by default the working directory of the process.
   */
  locate(pathOrId: string, cwd?: string): Promise<string>;
  /** The path of the session with exactly this id, where `list` would show it. Of several, the newest one. */
  find(id: string): Promise<string | undefined>;
  /**
   * A file in which a session can be created: an empty one, or an absent one whose name is a path. Otherwise `undefined`.
   * Throws a Fault when the file cannot be opened or its directory does not exist. Absent in stores without files.
   */
  findEmptyFile?(pathOrId: string, cwd?: string): Promise<EmptyFile | undefined>;
  /** Path of the session that was written last, in `directory` or that of the store; `undefined` when there is none. */
  findLatest(directory?: string): Promise<string | undefined>;
  /** Newest first. */
  list(): Promise<readonly SessionSummary[]>;
  /** Removes the session and its artifacts. */
  remove(path: string): Promise<void>;
}
