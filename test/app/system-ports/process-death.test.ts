import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findProcesses, isAlive, readEnvironment } from '../../support/processes.ts';
import { waitUntil } from '../../support/wait-until.ts';

const directory = mkdtempSync(join(tmpdir(), 'parley-death-'));
const program = join(directory, 'parent.mjs');

beforeAll(() => {
  const entryPoints = [join(import.meta.dirname, 'parent-fixture.ts')];
  buildSync({ entryPoints, outfile: program, bundle: true, platform: 'node', format: 'esm' });
});
afterAll(() => rmSync(directory, { recursive: true }));

/** Returns a function that reads the next line of the agent: the pids of running children. */
function createPidReader(stdout: Readable): () => Promise<number[]> {
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  return async () => JSON.parse((await lines.next()).value as string);
}

async function startParent(kind: 'all' | 'storm') {
  const parent = spawn(process.execPath, [program, kind], { stdio: ['pipe', 'pipe', 'ignore'], detached: true });
  const readPids = createPidReader(parent.stdout);
  const children = await readPids();
  // The system shows no environment of a process during exec.
  const readTree = () => readEnvironment(children[0]!).PARLEY_PROCESS_TREE ?? '';
  await waitUntil(() => readTree() !== '');
  expect(readTree()).toMatch(/^[0-9a-f-]{36}$/);
  return { parent, children, readPids, tree: readTree() };
}

/** Checks that the host sees the end of the agent's output, and that no child and no watcher is left. */
async function expectNothingLeft({ parent, children, tree }: Awaited<ReturnType<typeof startParent>>) {
  if (parent.exitCode === null && parent.signalCode === null) await once(parent, 'exit');
  if (!parent.stdout.closed) await once(parent.stdout.resume(), 'close');
  await waitUntil(() => findProcesses(tree, 'environ').length === 0 && !children.some(isAlive));
  await waitUntil(() => findProcesses(tree, 'cmdline').length === 0);
}

const sendCommand = (command: string) => (parent: ChildProcess) => void parent.stdin!.end(command);
const signal = (name: NodeJS.Signals) => (parent: ChildProcess) => void parent.kill(name);

test.each<[string, (parent: ChildProcess) => void]>([
  ['kill -9', signal('SIGKILL')],
  ['kill -9 of its group', (parent) => void process.kill(-parent.pid!, 'SIGKILL')],
  ['SIGTERM', signal('SIGTERM')],
  ['SIGHUP', signal('SIGHUP')],
  ['SIGINT', signal('SIGINT')],
  ['process.exit', sendCommand('process.exit')],
  ['an exception', sendCommand('throw')],
  ['a clean close', sendCommand('close')],
])('an agent that ends by %s leaves no child behind', async (_, endAgent) => {
  const agent = await startParent('all');
  expect(agent.children.every(isAlive)).toBe(true);
  await waitUntil(() => findProcesses(agent.tree, 'cmdline').length === 1);
  endAgent(agent.parent);
  await expectNothingLeft(agent);
});

test('an agent that is killed while it starts children leaves none behind', async () => {
  for (let round = 1; round <= 10; round += 1) {
    const agent = await startParent('storm');
    for (let line = 1; line < round; line += 1) await agent.readPids();
    agent.parent.kill('SIGKILL');
    await expectNothingLeft(agent);
  }
});
