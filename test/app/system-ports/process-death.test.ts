import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { environmentOf, isAlive, processesWith } from '../../support/processes.ts';
import { until } from '../../support/until.ts';

const directory = mkdtempSync(join(tmpdir(), 'parley-death-'));
const program = join(directory, 'parent.mjs');

beforeAll(() => {
  const entryPoints = [join(import.meta.dirname, 'parent-fixture.ts')];
  buildSync({ entryPoints, outfile: program, bundle: true, platform: 'node', format: 'esm' });
});
afterAll(() => rmSync(directory, { recursive: true }));

/** What the small agent tells, kept until somebody asks: the numbers of children that run now. */
function tellings(stdout: Readable): () => Promise<number[]> {
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  return async () => JSON.parse((await lines.next()).value as string);
}

async function startParent(kind: 'all' | 'storm') {
  const parent = spawn(process.execPath, [program, kind], { stdio: ['pipe', 'pipe', 'ignore'], detached: true });
  const told = tellings(parent.stdout);
  const children = await told();
  // The system shows no environment of a process that is just becoming another program.
  const tree = () => environmentOf(children[0]!).PARLEY_PROCESS_TREE ?? '';
  await until(() => tree() !== '');
  expect(tree()).toMatch(/^[0-9a-f-]{36}$/);
  return { parent, children, told, tree: tree() };
}

/** The agent's end is seen by its host at once, and soon nothing of it is left: no child, no watcher. */
async function expectNothingLeft({ parent, children, tree }: Awaited<ReturnType<typeof startParent>>) {
  if (parent.exitCode === null && parent.signalCode === null) await once(parent, 'exit');
  if (!parent.stdout.closed) await once(parent.stdout.resume(), 'close');
  await until(() => processesWith(tree, 'environ').length === 0 && !children.some(isAlive));
  await until(() => processesWith(tree, 'cmdline').length === 0);
}

const say = (word: string) => (parent: ChildProcess) => void parent.stdin!.end(word);
const signal = (name: NodeJS.Signals) => (parent: ChildProcess) => void parent.kill(name);

test.each<[string, (parent: ChildProcess) => void]>([
  ['kill -9', signal('SIGKILL')],
  ['kill -9 of its group', (parent) => void process.kill(-parent.pid!, 'SIGKILL')],
  ['SIGTERM', signal('SIGTERM')],
  ['SIGHUP', signal('SIGHUP')],
  ['SIGINT', signal('SIGINT')],
  ['process.exit', say('process.exit')],
  ['an exception', say('throw')],
  ['a clean close', say('close')],
])('an agent that ends by %s leaves no child behind', async (_, end) => {
  const agent = await startParent('all');
  expect(agent.children.every(isAlive)).toBe(true);
  await until(() => processesWith(agent.tree, 'cmdline').length === 1);
  end(agent.parent);
  await expectNothingLeft(agent);
});

test('an agent killed at any moment of starting children leaves none behind', async () => {
  for (let round = 1; round <= 10; round += 1) {
    const agent = await startParent('storm');
    for (let more = 1; more < round; more += 1) await agent.told();
    agent.parent.kill('SIGKILL');
    await expectNothingLeft(agent);
  }
});
