// Runs fixtures as real processes: bundles them, starts them with a shell and reads their output.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { type Channel, createChannel, LineSplitter } from '../../src/base/index.ts';

export interface ScratchDirectory {
  readonly directory: string;
  /** Bundles a fixture into one JavaScript file and returns its path. */
  bundle(fixture: string, options?: { minify?: boolean; keepNames?: boolean }): string;
  remove(): void;
}

export function createScratchDirectory(): ScratchDirectory {
  const directory = mkdtempSync(join(tmpdir(), 'transport-'));
  return {
    directory,
    bundle(fixture, options = {}) {
      const outfile = join(directory, `${fixture}.mjs`);
      const entry = fileURLToPath(new URL(`./fixtures/${fixture}.ts`, import.meta.url));
      buildSync({
        entryPoints: [entry],
        outfile,
        bundle: true,
        platform: 'node',
        format: 'esm',
        target: 'node20',
        ...options,
      });
      return outfile;
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** Starts a shell command in its own process group. Its streams are sockets; the command creates pipes and files. */
export function startShell(command: string): ChildProcessWithoutNullStreams {
  return spawn('sh', ['-c', command], { detached: true, stdio: 'pipe' });
}

/** Kills the process group of a child that may have ended already. */
export function killGroup(child: ChildProcessWithoutNullStreams): void {
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
  try {
    process.kill(-(child.pid as number), 'SIGKILL');
  } catch {
    // The group has ended.
  }
}

/** Reads the lines of a stream, only as fast as the caller takes them. */
export async function* readLines(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const splitter = new LineSplitter();
  for await (const chunk of stream)
    for (const line of splitter.push(chunk)) yield 'text' in line ? line.text : line.problem;
  for (const line of splitter.end()) yield 'text' in line ? line.text : line.problem;
}

export async function waitForExit(
  child: ChildProcessWithoutNullStreams,
): Promise<{ out: string; err: string; code: number }> {
  const [out, err, [code]] = await Promise.all([readText(child.stdout), readText(child.stderr), once(child, 'close')]);
  return { out, err, code: code as number };
}

export async function readText(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** Reads a stream at full speed and queues its lines. */
export function collectLines(stream: NodeJS.ReadableStream): Channel<string> {
  const lines = createChannel<string>();
  const splitter = new LineSplitter();
  const enqueue = (newLines: ReturnType<LineSplitter['push']>) => {
    for (const line of newLines) lines.push('text' in line ? line.text : line.problem);
  };
  stream.on('data', (chunk: Uint8Array) => enqueue(splitter.push(chunk)));
  stream.on('close', () => {
    enqueue(splitter.end());
    lines.close();
  });
  return lines;
}
