// Ground floor: everything that makes one run differ from another. The app gives real ones, tests give scripted ones.

import type { RenderMarkup } from './markup.ts';
import type { TryPatterns } from './patterns.ts';

export type Cancel = () => void;

export interface Clock {
  now(): number;
  /** Runs `act` once after `ms`. A pending timer never keeps the process alive. */
  after(ms: number, act: () => void): Cancel;
  /** Resolves after `ms`, or at once when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Lets everything else that is ready go first, once. Long work that nothing interrupts calls it now and then. */
  turn(): Promise<void>;
}

export interface Ids {
  uuid(): string;
  /** Eight hexadecimal digits: the id of a log entry. */
  entry(): string;
}

export type FileKind = 'file' | 'directory' | 'link' | 'fifo' | 'device' | 'socket';

export interface FileInfo {
  kind: FileKind;
  size: number;
  modifiedMs: number;
  mode: number;
  /** The id of the user whom it belongs to; absent where the system has none. */
  owner?: number | undefined;
}

/** What a file that is held open is at one moment. */
export interface FileVersion {
  readonly size: number;
  /** Another one whenever the content may be another, or the file itself. Nobody can set it to what it was. */
  readonly mark: string;
  /** When it became this version, at the latest: the clocks of file systems tick slowly. */
  readonly changedMs: number;
}

/** A file held open. `append` may write less than it was given, as the system call may. */
export interface OpenFile {
  size(): Promise<number>;
  version(): Promise<FileVersion>;
  /** At most `length` bytes. `into` may be used for them, so that whoever looks at much and keeps nothing needs little memory. */
  read(position: number, length: number, into?: Uint8Array): Promise<Uint8Array>;
  /** The same while everything waits: for what must be known in the middle of something. */
  readNow(position: number, length: number): Uint8Array;
  append(bytes: Uint8Array): Promise<number>;
  /** What was appended is on the disk (fdatasync). */
  sync(): Promise<void>;
  truncate(length: number): Promise<void>;
  /** From here on only the user can read and write the file (mode 0600). */
  protect(): Promise<void>;
  close(): Promise<void>;
}

export interface Files {
  /** The id of the user in whose name files are opened; absent where the system has none. */
  readonly userId?: number | undefined;
  /** `undefined` when nothing is there. Follows links unless told not to. */
  info(path: string, options?: { follow?: boolean }): Promise<FileInfo | undefined>;
  /** The path with every link resolved; parts that do not exist yet are kept as they are. */
  resolve(path: string): Promise<string>;
  list(directory: string): Promise<{ name: string; kind: FileKind }[]>;
  /** At most `length` bytes from `start`; the whole file without them. */
  read(path: string, range?: { start?: number; length?: number }): Promise<Uint8Array>;
  /** Creates or overwrites in place (keeps the inode, its owner and its mode). */
  write(path: string, bytes: Uint8Array, options?: { mode?: number }): Promise<void>;
  /** Replaces the whole file at once: other processes see the old or the new content, never a part. */
  replace(path: string, bytes: Uint8Array, options?: { mode?: number }): Promise<void>;
  /** Gives a file another name in the same file system, at once. What had that name before is gone. */
  rename(from: string, to: string): Promise<void>;
  makeDirectory(path: string, options?: { mode?: number }): Promise<void>;
  /** A new private directory under the system's temporary one. */
  temporaryDirectory(prefix: string): Promise<string>;
  remove(path: string, options?: { recursive?: boolean }): Promise<void>;
  open(path: string, purpose: 'read' | 'append' | 'create', options?: { mode?: number }): Promise<OpenFile>;
}

export interface SpawnRequest {
  command: string;
  args: readonly string[];
  cwd: string;
  /** The whole environment of the child. Variables that hold keys of models are taken out of it. */
  env: Readonly<Record<string, string>>;
  /** Variables that stay in `env` although they hold keys: a command that prints a key may need another one. */
  keys?: readonly string[] | undefined;
  /**
   * Called with every piece of output as it arrives, stdout and stderr in the order they came. Nothing more of that stream
   * is read before the promise, where there is one, has resolved.
   */
  onOutput(chunk: Uint8Array, stream: 'stdout' | 'stderr'): void | Promise<void>;
}

export interface RunningProcess {
  readonly pid: number;
  /**
   * Resolves when the process itself has exited and what it had written is read. Children that it left in the background
   * do not hold this up, even when they keep its pipes open.
   */
  readonly finished: Promise<{ code: number | null; signal: string | null }>;
  /** Ends the process and everything in its group. */
  kill(): void;
}

export interface Processes {
  /** Starts a child in a group of its own that dies with us, however we die. Rejects when it cannot be started. */
  spawn(request: SpawnRequest): Promise<RunningProcess>;
  /** Ends every child that is left. */
  killAll(): Promise<void>;
}

export interface HttpRequest {
  method: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
  signal: AbortSignal;
  /** Keys go where they were meant to go, and nowhere else. */
  redirect: 'error';
}

export interface HttpAnswer {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: AsyncIterable<Uint8Array> | null;
}

/** One HTTP request whose answer is read as it arrives. The process's own `fetch` fits, and costs more at first use. */
export interface Send {
  (url: string, request: HttpRequest): Promise<HttpAnswer>;
  /** Loads what the first request to this address needs, while its sender still waits for something else. */
  prepare?(url: string): void;
}

/** Diagnostic only; does nothing unless a log file was asked for. */
export type Log = (event: string, facts?: Record<string, unknown>) => void;

export interface Ports {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly files: Files;
  readonly processes: Processes;
  /** For the hot road to a model. */
  readonly send: Send;
  /** For libraries that want all of it. Both go through the user's proxy where there is one. */
  readonly fetch: typeof fetch;
  readonly log: Log;
  /** The environment that tools and shells get: provider keys are not in it. */
  readonly toolEnv: Readonly<Record<string, string>>;
  readonly platform: string;
  /** Regular expressions that others wrote, tried in a thread that can be ended. */
  readonly tryPatterns: TryPatterns;
  readonly renderMarkup: RenderMarkup;
}
