// Programs under test as real processes: bundles a fixture, starts it with stdout of a given kind, ends it with the test.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { type Channel, channel, LineSplitter } from '../../src/base/index.ts';

export interface Workshop {
  readonly directory: string;
  /** The path of a fixture as one JavaScript file. */
  bundle(fixture: string, options?: { minify?: boolean; keepNames?: boolean }): string;
  remove(): void;
}

export function createWorkshop(): Workshop {
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

/** Starts a shell command in a process group of its own. Its streams are sockets; pipes and files are the shell's business. */
export function startShell(command: string): ChildProcessWithoutNullStreams {
  return spawn('sh', ['-c', command], { detached: true, stdio: 'pipe' });
}

/** Ends the group of a child that may have ended already. */
export function endGroup(child: ChildProcessWithoutNullStreams): void {
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
  try {
    process.kill(-(child.pid as number), 'SIGKILL');
  } catch {
    // Nothing left of it.
  }
}

/** The lines of a stream, taken no faster than asked for. */
export async function* linesOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const splitter = new LineSplitter();
  for await (const chunk of stream)
    for (const line of splitter.push(chunk)) yield 'text' in line ? line.text : line.problem;
  for (const line of splitter.end()) yield 'text' in line ? line.text : line.problem;
}

export async function outcomeOf(
  child: ChildProcessWithoutNullStreams,
): Promise<{ out: string; err: string; code: number }> {
  const [out, err, [code]] = await Promise.all([textOf(child.stdout), textOf(child.stderr), once(child, 'close')]);
  return { out, err, code: code as number };
}

export async function textOf(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** Lines of a flowing stream, kept until someone asks. */
export function collect(stream: NodeJS.ReadableStream): Channel<string> {
  const lines = channel<string>();
  const splitter = new LineSplitter();
  const take = (found: ReturnType<LineSplitter['push']>) => {
    for (const line of found) lines.push('text' in line ? line.text : line.problem);
  };
  stream.on('data', (chunk: Uint8Array) => take(splitter.push(chunk)));
  stream.on('close', () => {
    take(splitter.end());
    lines.close();
  });
  return lines;
}
