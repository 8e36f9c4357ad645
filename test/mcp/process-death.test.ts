// No server outlives the program, however the program ends.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isAlive } from '../support/processes.ts';
import { waitUntil } from '../support/wait-until.ts';
import { defineScripted, defineTool } from './mcp-fixture.ts';

const directory = mkdtempSync(join(tmpdir(), 'parley-mcp-death-'));
const program = join(directory, 'parent.mjs');

beforeAll(() => {
  const entryPoints = [join(import.meta.dirname, 'parent-fixture.ts')];
  buildSync({ entryPoints, outfile: program, bundle: true, platform: 'node', format: 'esm' });
});
afterAll(() => rmSync(directory, { recursive: true }));

const send = (command: string) => (parent: ChildProcess) => void parent.stdin?.end(command);

test.each<[string, (parent: ChildProcess) => void]>([
  ['kill -9', (parent) => void parent.kill('SIGKILL')],
  ['SIGTERM', (parent) => void parent.kill('SIGTERM')],
  ['process.exit', send('process.exit')],
  ['an exception', send('throw')],
  ['a clean close', send('close')],
])('a program that ends by %s leaves no server behind', async (_, end) => {
  const { server } = defineScripted('one', { ignoreEnd: true, lists: { tools: [[defineTool('a')]] } });
  const args = server.type === 'stdio' ? [server.command, ...server.args] : [];
  const parent = spawn(process.execPath, [program, ...args], { stdio: ['pipe', 'pipe', 'ignore'] });
  const exited = once(parent, 'exit');
  const [line] = (await once(parent.stdout, 'data')) as [Buffer];
  const { pid, tools } = JSON.parse(line.toString()) as { pid: number; tools: number };
  expect([tools, isAlive(pid)]).toEqual([1, true]);
  end(parent);
  await exited;
  await waitUntil(() => !isAlive(pid));
});
