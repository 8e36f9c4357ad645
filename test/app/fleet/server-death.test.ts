import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buildSync } from 'esbuild';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { createPassableDirectory } from '../../support/database.ts';
import { isAlive } from '../../support/processes.ts';
import { waitUntil } from '../../support/wait-until.ts';

let program = '';

beforeAll(() => {
  program = join(createPassableDirectory(afterAll), 'parent.mjs');
  const entryPoints = [join(import.meta.dirname, 'server-parent-fixture.ts')];
  buildSync({ entryPoints, outfile: program, bundle: true, platform: 'node', format: 'esm' });
});

/** Returns when the process begins to start a server in the directory. */
async function startParent(directory: string) {
  const args = [program, directory, inject('databases'), import.meta.filename];
  const parent = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => {
    parent.kill('SIGKILL');
    // If the test has failed.
    for (const pid of findServerProcesses(directory)) process.kill(pid, 'SIGKILL');
  });
  const lines = createInterface({ input: parent.stdout })[Symbol.asyncIterator]();
  await lines.next();
  return { parent, started: async () => JSON.parse((await lines.next()).value) as { pid: number; url: string } };
}

/** Processes in the directory of the data, also while they are created. */
function findServerProcesses(directory: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && readLink(`/proc/${name}/cwd`).startsWith(`${directory}/`))
    .map(Number);
}

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

test.each<[string, (parent: ReturnType<typeof spawn>) => void]>([
  ['kill -9', (parent) => void parent.kill('SIGKILL')],
  ['SIGTERM', (parent) => void parent.kill('SIGTERM')],
  ['process.exit', (parent) => void parent.stdin?.write('exit')],
])('no process of the server is left when the starting process ends by %s', async (_, end) => {
  const directory = join(createPassableDirectory(), 'server');
  const { parent, started } = await startParent(directory);
  const { pid, url } = await started();
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  onTestFinished(() => sql.end({ timeout: 0 }));
  // Computes without waiting for anything, so that it does not notice by itself that the main process has ended.
  await sql`select 1`;
  const query = sql.unsafe('do $$ begin loop end loop; end $$').catch((error) => error);
  await waitUntil(() => findServerProcesses(directory).length > 2);
  expect(isAlive(pid)).toBe(true);
  end(parent);
  await waitUntil(() => findServerProcesses(directory).length === 0);
  expect(isAlive(pid)).toBe(false);
  expect(await query).toBeInstanceOf(Error);
});

test('no process is left when the starting process is killed during the start, and the next start works at once', async () => {
  const directory = join(createPassableDirectory(), 'server');
  // Each round a later point: the data are created, they are complete, the server starts, it runs.
  const points = [
    () => readNames(directory).some((name) => name.startsWith('new-data-')),
    () => findServerProcesses(directory).length > 1,
    () => findServerProcesses(directory).length > 2,
    () => readNames(directory).includes('data'),
    () => readNames(join(directory, 'data')).includes('postmaster.pid'),
    () => findServerProcesses(directory).length > 3,
  ];
  for (const isReached of points) {
    const { parent } = await startParent(directory);
    await waitUntil(isReached);
    parent.kill('SIGKILL');
    await once(parent, 'exit');
    const { parent: next, started } = await startParent(directory);
    expect(isAlive((await started()).pid)).toBe(true);
    next.kill('SIGKILL');
    await waitUntil(() => findServerProcesses(directory).length === 0);
    if (points.indexOf(isReached) < 3) rmSync(directory, { recursive: true });
  }
});

function readNames(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
