// Ports: all access to time, randomness, files, processes and network. The app provides real ones, tests provide fakes.

import type { RenderMarkup } from './markup.ts';
import type { TestPatterns } from './pattern-matcher.ts';

export type Cancel = () => void;

export interface Clock {
  now(): number;
  /** Runs `act` once after `ms`. A pending timer never keeps the process alive. */
  after(ms: number, act: () => void): Cancel;
  /** Resolves after `ms`, or at once when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Lets other pending tasks of the event loop run. Long synchronous work calls it regularly. */
  yieldToEventLoop(): Promise<void>;
}

export interface IdGenerator {
  uuid(): string;
  /** Eight hexadecimal digits: the id of a log entry. */
  entryId(): string;
}

/** What an operation does with a file or directory. `inspect` reads only facts about it, such as its size. */
export type FileAccess = 'inspect' | 'read' | 'list' | 'write';

/** Throws to forbid the access. `realPath` has all links resolved. */
export type CheckAccess = (realPath: string, access: FileAccess) => void;

export interface AccessCheckOptions {
  /** A file with several names gets its own content when it is written, because its other names may be anywhere. */
  shouldSplitHardLinks?: boolean;
}

export type FileKind = 'file' | 'directory' | 'link' | 'fifo' | 'device' | 'socket';

export interface FileInfo {
  kind: FileKind;
  size: number;
  modifiedMs: number;
  mode: number;
  /** User id of the owner; absent where the system has none. */
  owner?: number | undefined;
}

/** The version of an open file at one point in time. */
export interface FileVersion {
  readonly size: number;
  /** Changes whenever the content may have changed or the file was replaced. An earlier value can never be restored. */
  readonly versionTag: string;
  /** Latest possible time of the change: the timestamps of file systems have a low resolution. */
  readonly changedMs: number;
}

/** An open file. Like the system call, `append` may write fewer bytes than requested. */
export interface OpenFile {
  size(): Promise<number>;
  version(): Promise<FileVersion>;
  /** Reads at most `length` bytes. `into` may be used as the buffer, so that reading a large file needs little memory. */
  read(position: number, length: number, into?: Uint8Array): Promise<Uint8Array>;
  /** Blocks the event loop. For callers that cannot await. */
  readSync(position: number, length: number): Uint8Array;
  append(bytes: Uint8Array): Promise<number>;
  /** Resolves when the appended bytes are on disk (fdatasync). */
  sync(): Promise<void>;
  truncate(length: number): Promise<void>;
  /** Sets mode 0600: only the user can read and write the file. */
  restrictToOwner(): Promise<void>;
  close(): Promise<void>;
}

export interface Files {
  /** User id of this process; absent where the system has none. */
  readonly userId?: number | undefined;
  /** `undefined` when the path does not exist. Follows links by default. */
  info(path: string, options?: { follow?: boolean }): Promise<FileInfo | undefined>;
  /** The path with all links resolved; parts that do not exist are kept unchanged. */
  realPath(path: string): Promise<string>;
  list(directory: string): Promise<{ name: string; kind: FileKind }[]>;
  /** At most `length` bytes from `start`; the whole file without them. */
  read(path: string, range?: { start?: number; length?: number }): Promise<Uint8Array>;
  /** Creates or overwrites in place (keeps the inode, its owner and its mode). */
  write(path: string, bytes: Uint8Array, options?: { mode?: number }): Promise<void>;
  /** Replaces the whole file at once: other processes see the old or the new content, never a part. */
  replace(path: string, bytes: Uint8Array, options?: { mode?: number }): Promise<void>;
  /** Renames a file atomically in the same file system. An existing file at `to` is replaced. */
  rename(from: string, to: string): Promise<void>;
  makeDirectory(path: string, options?: { mode?: number }): Promise<void>;
  /** A new private directory under the system's temporary one. */
  makeTemporaryDirectory(prefix: string): Promise<string>;
  remove(path: string, options?: { recursive?: boolean }): Promise<void>;
  open(path: string, purpose: 'read' | 'append' | 'create', options?: { mode?: number }): Promise<OpenFile>;
  /**
   * The same files, and every operation calls `check` with the path of what the system has found, before anything is read, listed,
   * created or changed. On Linux links that are exchanged at the same time cannot lead to another file.
   */
  withAccessCheck(check: CheckAccess, options?: AccessCheckOptions): Files;
}

export interface SpawnRequest {
  command: string;
  args: readonly string[];
  cwd: string;
  /** The complete environment of the child. Variables with API keys of model providers are removed from it. */
  env: Readonly<Record<string, string>>;
  /** Variables with API keys that are not removed from `env`: a command that prints a key may need another key. */
  allowedKeyVariables?: readonly string[] | undefined;
  /** `env` is passed as it is, API keys included. Only when the user has named each variable for this child. */
  shouldKeepKeys?: boolean | undefined;
  /** `pipe`: the child reads what is written to `RunningProcess.input`. Default: its stdin is empty. */
  stdin?: 'pipe' | undefined;
  /**
   * Called with every chunk of output as it arrives, stdout and stderr in order of arrival. If it returns a promise, the
   * stream is not read further before the promise has resolved.
   */
  onOutput(chunk: Uint8Array, stream: 'stdout' | 'stderr'): void | Promise<void>;
  /** The child has a further pipe, descriptor 3. Called with what it writes to it, before `finished` resolves. */
  onInfo?: ((chunk: Uint8Array) => void) | undefined;
}

/** The stdin of a child. */
export interface ProcessInput {
  /** Resolves when the pipe has taken the bytes. Rejects when the child does not read any more. */
  write(bytes: Uint8Array): Promise<void>;
  /** The child sees the end of its input after the bytes that were written before. */
  end(): void;
}

export interface RunningProcess {
  readonly pid: number;
  /** Present when the child was started with `stdin: 'pipe'`. */
  readonly input?: ProcessInput | undefined;
  /**
   * Resolves when the process itself has exited and its output is read. Background children of the process do not delay
   * this, even when they keep its pipes open.
   */
  readonly finished: Promise<{ code: number | null; signal: string | null }>;
  /** Kills the process and its process group. */
  kill(): void;
}

export interface Processes {
  /** Starts a child in its own process group, which is killed when this process ends, also by a crash. Rejects when the start fails. */
  spawn(request: SpawnRequest): Promise<RunningProcess>;
  /** Kills all running children. */
  killAll(): Promise<void>;
}

export interface HttpRequest {
  method: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
  signal: AbortSignal;
  /** Redirects are refused, so that API keys are not sent to another server. */
  redirect: 'error';
}

export interface HttpResponse {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: {
    get(name: string): string | null;
    forEach(callback: (value: string, name: string) => void): void;
  };
  readonly body: AsyncIterable<Uint8Array> | null;
}

/** Sends one HTTP request with a streamed response. Compatible with the global `fetch`, whose first use is slower. */
export interface SendHttp {
  (url: string, request: HttpRequest): Promise<HttpResponse>;
  /** Loads the code for the first request to this URL in advance. */
  preload?(url: string): void;
}

/** Diagnostic log; does nothing unless a log file is configured. */
export type Log = (event: string, facts?: Record<string, unknown>) => void;

export interface Ports {
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly files: Files;
  readonly processes: Processes;
  /** For requests to models, where latency matters. */
  readonly sendHttp: SendHttp;
  /** For libraries that need the complete fetch API. Both use the user's proxy settings. */
  readonly fetch: typeof fetch;
  readonly log: Log;
  /** The environment of tools and shells, without provider keys. */
  readonly toolEnv: Readonly<Record<string, string>>;
  readonly platform: string;
  /** Tests untrusted regular expressions in a thread that can be terminated. */
  readonly testPatterns: TestPatterns;
  readonly renderMarkup: RenderMarkup;
  /** API keys of this process, which must not be written to files. */
  listSecrets?(): readonly string[];
}
