// The hall: lets built-in tools work elsewhere than on this machine, through the operations that an extension hands in.
import { resolve } from 'node:path';
import { messageOf } from '../../../base/index.ts';
import type { FileInfo, Files, OpenFile, Ports, Processes, SpawnRequest } from '../../../contracts/index.ts';

type Later<T> = T | Promise<T>;

/** All that the tools of this family take, each its own part of it. Paths are absolute. */
export interface Operations {
  readFile?(path: string): Later<Uint8Array | string>;
  access?(path: string): Later<unknown>;
  writeFile?(path: string, content: string): Later<unknown>;
  mkdir?(path: string): Later<unknown>;
  exists?(path: string): Later<boolean>;
  isDirectory?(path: string): Later<boolean>;
  stat?(path: string): Later<{ isDirectory(): boolean }>;
  readdir?(path: string): Later<readonly string[]>;
  glob?(pattern: string, cwd: string, options: { ignore: string[]; limit: number }): Later<readonly string[]>;
  exec?(
    command: string,
    cwd: string,
    options: { onData(data: Uint8Array | string): void; signal: AbortSignal; env: Readonly<Record<string, string>> },
  ): Promise<{ exitCode: number | null }>;
}

interface Spawned {
  command: string;
  cwd: string;
  env: Readonly<Record<string, string>>;
}

export interface Elsewhere {
  operations?: Operations | undefined;
  /** Changes what the shell is about to run. */
  spawnHook?: ((about: Spawned) => Spawned) | undefined;
  /** Comes before every command. */
  commandPrefix?: string | undefined;
}

export function portsThrough(ports: Ports, { operations, spawnHook, commandPrefix }: Elsewhere): Ports {
  const hook = (about: Spawned): Spawned => {
    const prefixed = commandPrefix ? { ...about, command: `${commandPrefix}\n${about.command}` } : about;
    return spawnHook?.(prefixed) ?? prefixed;
  };
  const touchesFiles = operations && Object.keys(operations).some((name) => name !== 'exec' && name !== 'glob');
  const touchesShell = operations?.exec || spawnHook || commandPrefix;
  return {
    ...ports,
    ...(touchesFiles ? { files: filesThrough(ports.files, operations) } : {}),
    ...(touchesShell ? { processes: processesThrough(ports.processes, operations?.exec?.bind(operations), hook) } : {}),
  };
}

/** For one call of a tool: what was read once is not fetched again. */
function filesThrough(own: Files, operations: Operations): Files {
  const known = new Map<string, Promise<Uint8Array>>();
  const bytesOf = (path: string): Promise<Uint8Array> => {
    const reading = known.get(path) ?? asBytes(operations.readFile?.(path));
    known.set(path, reading);
    return reading;
  };
  const put = async (path: string, bytes: Uint8Array) => {
    known.delete(path);
    if (!operations.writeFile) return own.write(path, bytes);
    await operations.writeFile(path, new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
  };
  const { readFile, readdir, mkdir } = operations;
  return {
    ...own,
    // Where links lead is known only there.
    resolve: async (path) => resolve(path),
    info: (path) => infoOf(operations, path, bytesOf),
    async list(path) {
      if (!readdir) return own.list(path);
      const names = await readdir.call(operations, path);
      return Promise.all(names.map(async (name) => ({ name, kind: await kindOf(operations, `${path}/${name}`) })));
    },
    async read(path, { start = 0, length } = {}) {
      if (!readFile) return own.read(path, { start, ...(length === undefined ? {} : { length }) });
      return (await bytesOf(path)).subarray(start, length === undefined ? undefined : start + length);
    },
    open: async (path, purpose, options) =>
      readFile && purpose === 'read' ? openBytes(await bytesOf(path)) : own.open(path, purpose, options),
    write: put,
    replace: put,
    makeDirectory: async (path, options) => {
      if (mkdir) await mkdir.call(operations, path);
      else await own.makeDirectory(path, options);
    },
  };
}

async function asBytes(data: Later<Uint8Array | string> | undefined): Promise<Uint8Array> {
  const given = (await data) ?? '';
  return typeof given === 'string' ? new TextEncoder().encode(given) : given;
}

async function kindOf(operations: Operations, path: string): Promise<'file' | 'directory'> {
  const isFolder = (await operations.isDirectory?.(path)) ?? (await operations.stat?.(path))?.isDirectory();
  return isFolder ? 'directory' : 'file';
}

/** As much as the operations can tell. Those that only write are told of nothing that is there. */
async function infoOf(
  operations: Operations,
  path: string,
  bytesOf: (path: string) => Promise<Uint8Array>,
): Promise<FileInfo | undefined> {
  const { stat, isDirectory, access, exists } = operations;
  const about = (kind: FileInfo['kind'], size = 0) => ({ kind, size, modifiedMs: 0, mode: 0o644 });
  try {
    if (exists && !(await exists.call(operations, path))) return undefined;
    if (stat || isDirectory) return about(await kindOf(operations, path));
    // What can only be looked for is a folder to look in.
    if (exists) return about('directory');
    if (!access) return undefined;
    await access.call(operations, path);
    return about('file', (await bytesOf(path)).length);
  } catch {
    return undefined;
  }
}

function openBytes(bytes: Uint8Array): OpenFile {
  const refuse = async () => {
    throw new Error('This file is open for reading');
  };
  return {
    size: async () => bytes.length,
    version: async () => ({ size: bytes.length, mark: '', changedMs: 0 }),
    read: async (position, length) => bytes.subarray(position, position + length),
    readNow: (position, length) => bytes.subarray(position, position + length),
    append: refuse,
    sync: async () => {},
    truncate: refuse,
    protect: refuse,
    close: async () => {},
  };
}

/** Shells are given their command as the last word. */
function processesThrough(own: Processes, exec: Operations['exec'], hook: (about: Spawned) => Spawned): Processes {
  return {
    ...own,
    async spawn(request) {
      const { command, cwd, env } = hook({ command: request.args.at(-1) ?? '', cwd: request.cwd, env: request.env });
      if (!exec) return own.spawn({ ...request, args: [...request.args.slice(0, -1), command], cwd, env });
      return executed(exec, { command, cwd, env }, request);
    },
  };
}

function executed(exec: NonNullable<Operations['exec']>, about: Spawned, { onOutput }: SpawnRequest) {
  const stop = new AbortController();
  const onData = (data: Uint8Array | string) =>
    void onOutput(typeof data === 'string' ? new TextEncoder().encode(data) : data, 'stdout');
  const work = exec(about.command, about.cwd, { onData, signal: stop.signal, env: about.env });
  const finished = work.then(
    ({ exitCode: code }) => ({ code, signal: null }),
    (thrown: unknown) => {
      // Being stopped is what it was told.
      if (stop.signal.aborted) return { code: null, signal: 'SIGTERM' };
      throw new Error(`Whoever runs commands here failed: ${messageOf(thrown)}`, { cause: thrown });
    },
  );
  return { pid: 0, finished, kill: () => stop.abort() };
}
