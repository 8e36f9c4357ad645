// Lets built-in tools work on another machine, with operations that an extension provides.
import { resolve } from 'node:path';
import { getErrorMessage } from '../../base/index.ts';
import type { FileInfo, Files, OpenFile, Ports, Processes, SpawnRequest } from '../../contracts/index.ts';

type MaybePromise<T> = T | Promise<T>;

/** The operations of all tools of pi; each tool uses some of them. Paths are absolute. */
export interface Operations {
  readFile?(path: string): MaybePromise<Uint8Array | string>;
  access?(path: string): MaybePromise<unknown>;
  writeFile?(path: string, content: string): MaybePromise<unknown>;
  mkdir?(path: string): MaybePromise<unknown>;
  exists?(path: string): MaybePromise<boolean>;
  isDirectory?(path: string): MaybePromise<boolean>;
  stat?(path: string): MaybePromise<{ isDirectory(): boolean }>;
  readdir?(path: string): MaybePromise<readonly string[]>;
  glob?(pattern: string, cwd: string, options: { ignore: string[]; limit: number }): MaybePromise<readonly string[]>;
  exec?(
    command: string,
    cwd: string,
    options: { onData(data: Uint8Array | string): void; signal: AbortSignal; env: Readonly<Record<string, string>> },
  ): Promise<{ exitCode: number | null }>;
}

interface SpawnArguments {
  command: string;
  cwd: string;
  env: Readonly<Record<string, string>>;
}

export interface RemoteToolOptions {
  operations?: Operations | undefined;
  /** Changes the command, directory and environment before the shell is started. */
  spawnHook?: ((spawn: SpawnArguments) => SpawnArguments) | undefined;
  /** Inserted before every command. */
  commandPrefix?: string | undefined;
}

export function createRemotePorts(ports: Ports, { operations, spawnHook, commandPrefix }: RemoteToolOptions): Ports {
  const hook = (spawn: SpawnArguments): SpawnArguments => {
    const prefixed = commandPrefix ? { ...spawn, command: `${commandPrefix}\n${spawn.command}` } : spawn;
    return spawnHook?.(prefixed) ?? prefixed;
  };
  const replacesFiles = operations && Object.keys(operations).some((name) => name !== 'exec' && name !== 'glob');
  const replacesShell = operations?.exec || spawnHook || commandPrefix;
  return {
    ...ports,
    ...(replacesFiles ? { files: createRemoteFiles(ports.files, operations) } : {}),
    ...(replacesShell
      ? { processes: createRemoteProcesses(ports.processes, operations?.exec?.bind(operations), hook) }
      : {}),
  };
}

/** Used for one tool call. A file that was read is cached. */
function createRemoteFiles(baseFiles: Files, operations: Operations): Files {
  const cache = new Map<string, Promise<Uint8Array>>();
  const readBytes = (path: string): Promise<Uint8Array> => {
    const reading = cache.get(path) ?? toBytes(operations.readFile?.(path));
    cache.set(path, reading);
    return reading;
  };
  const writeBytes = async (path: string, bytes: Uint8Array) => {
    cache.delete(path);
    if (!operations.writeFile) return baseFiles.write(path, bytes);
    await operations.writeFile(path, new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
  };
  const { readFile, readdir, mkdir } = operations;
  return {
    ...baseFiles,
    // Links can only be resolved on the other machine.
    realPath: async (path) => resolve(path),
    info: (path) => readInfo(operations, path, readBytes),
    async list(path) {
      if (!readdir) return baseFiles.list(path);
      const names = await readdir.call(operations, path);
      return Promise.all(names.map(async (name) => ({ name, kind: await readKind(operations, `${path}/${name}`) })));
    },
    async read(path, { start = 0, length } = {}) {
      if (!readFile) return baseFiles.read(path, { start, ...(length === undefined ? {} : { length }) });
      return (await readBytes(path)).subarray(start, length === undefined ? undefined : start + length);
    },
    open: async (path, purpose, options) =>
      readFile && purpose === 'read' ? createOpenBytes(await readBytes(path)) : baseFiles.open(path, purpose, options),
    write: writeBytes,
    replace: writeBytes,
    makeDirectory: async (path, options) => {
      if (mkdir) await mkdir.call(operations, path);
      else await baseFiles.makeDirectory(path, options);
    },
  };
}

async function toBytes(data: MaybePromise<Uint8Array | string> | undefined): Promise<Uint8Array> {
  const content = (await data) ?? '';
  return typeof content === 'string' ? new TextEncoder().encode(content) : content;
}

async function readKind(operations: Operations, path: string): Promise<'file' | 'directory'> {
  const isFolder = (await operations.isDirectory?.(path)) ?? (await operations.stat?.(path))?.isDirectory();
  return isFolder ? 'directory' : 'file';
}

/** As much as the operations support. For operations that can only write, every path is reported as missing. */
async function readInfo(
  operations: Operations,
  path: string,
  readBytes: (path: string) => Promise<Uint8Array>,
): Promise<FileInfo | undefined> {
  const { stat, isDirectory, access, exists } = operations;
  const createInfo = (kind: FileInfo['kind'], size = 0) => ({ kind, size, modifiedMs: 0, mode: 0o644 });
  try {
    if (exists && !(await exists.call(operations, path))) return undefined;
    if (stat || isDirectory) return createInfo(await readKind(operations, path));
    // Operations with only `exists` belong to the find tool, which searches folders.
    if (exists) return createInfo('directory');
    if (!access) return undefined;
    await access.call(operations, path);
    return createInfo('file', (await readBytes(path)).length);
  } catch {
    return undefined;
  }
}

function createOpenBytes(bytes: Uint8Array): OpenFile {
  const refuse = async () => {
    throw new Error('This file is open for reading only');
  };
  return {
    size: async () => bytes.length,
    version: async () => ({ size: bytes.length, versionTag: '', changedMs: 0 }),
    read: async (position, length) => bytes.subarray(position, position + length),
    readSync: (position, length) => bytes.subarray(position, position + length),
    append: refuse,
    sync: async () => {},
    truncate: refuse,
    restrictToOwner: refuse,
    close: async () => {},
  };
}

/** The last argument of the shell is the command. */
function createRemoteProcesses(
  baseProcesses: Processes,
  exec: Operations['exec'],
  hook: (spawn: SpawnArguments) => SpawnArguments,
): Processes {
  return {
    ...baseProcesses,
    async spawn(request) {
      const { command, cwd, env } = hook({ command: request.args.at(-1) ?? '', cwd: request.cwd, env: request.env });
      if (!exec) return baseProcesses.spawn({ ...request, args: [...request.args.slice(0, -1), command], cwd, env });
      return runWithExec(exec, { command, cwd, env }, request);
    },
  };
}

function runWithExec(exec: NonNullable<Operations['exec']>, spawn: SpawnArguments, { onOutput }: SpawnRequest) {
  const stop = new AbortController();
  const onData = (data: Uint8Array | string) =>
    void onOutput(typeof data === 'string' ? new TextEncoder().encode(data) : data, 'stdout');
  const work = exec(spawn.command, spawn.cwd, { onData, signal: stop.signal, env: spawn.env });
  const finished = work.then(
    ({ exitCode: code }) => ({ code, signal: null }),
    (thrown: unknown) => {
      // An error after an abort is expected.
      if (stop.signal.aborted) return { code: null, signal: 'SIGTERM' };
      throw new Error(`The shell runner of an extension failed: ${getErrorMessage(thrown)}`, { cause: thrown });
    },
  );
  return { pid: 0, finished, kill: () => stop.abort() };
}
