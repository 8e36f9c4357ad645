// Typical hosts without the client library. They start the program under several names.
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { createDirectories } from '../support/program.ts';

const hosts = join(import.meta.dirname, '../hosts');
const hasBun = spawnSync('bun', ['--version']).status === 0;
const NAMES = ['parley', 'omp', 'pi', 'pisces'];

/** Creates a directory with the program under all names, and a project. */
function install() {
  const directories = createDirectories();
  const bin = join(directories.home, 'bin');
  mkdirSync(bin);
  chmodSync(inject('program'), 0o755);
  for (const name of NAMES) symlinkSync(inject('program'), join(bin, name));
  writeFileSync(join(directories.cwd, 'shopping.txt'), 'milk\nbread\n');
  // The shebang of the program finds `node` on the path. It must be the Node of the tests.
  const path = [bin, dirname(process.execPath), process.env.PATH].join(delimiter);
  return { ...directories, env: { PATH: path, HOME: directories.home, PARLEY_DIR: directories.home } };
}

interface Host {
  readonly ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
  waitForOutput(text: string): Promise<void>;
  interrupt(): void;
}

function start(runtime: string, host: string, ...args: string[]): Host {
  return startIn(install(), runtime, host, ...args);
}

function startIn({ cwd, env }: ReturnType<typeof install>, runtime: string, host: string, ...args: string[]): Host {
  const child = spawn(runtime, [join(hosts, host), ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
  return {
    ended,
    waitForOutput: (text) =>
      new Promise((resolve, reject) => {
        const look = () => stdout.includes(text) && resolve();
        child.stdout.on('data', look);
        void ended.then(() => reject(new Error(`The host ended without writing ${text}: ${stdout}${stderr}`)));
        look();
      }),
    interrupt: () => void child.kill('SIGINT'),
  };
}

const readers: [string, string, string][] = [
  ['Node, line by line', process.execPath, 'readline.mjs'],
  ['Node, in chunks', process.execPath, 'chunks.mjs'],
  ...(hasBun ? [['Bun, in chunks', 'bun', 'chunks.mjs'] as [string, string, string]] : []),
];

describe.each(readers)('%s', (_, runtime, host) => {
  test.each(NAMES)('gets an answer from %s', async (name) => {
    const { code, stdout, stderr } = await start(runtime, host, name, 'What files are here?').ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('[tool ls]');
    expect(stdout).toContain('shopping.txt');
    expect(stdout).toMatch(/\n\[end stop\]\n$/);
  });

  test('Ctrl+C aborts the run, and the host ends normally', async () => {
    const host_ = start(runtime, host, 'omp', 'Run `sleep 600`');
    await host_.waitForOutput('[tool bash]');
    host_.interrupt();
    const { code, stdout } = await host_.ended;
    expect(code).toBe(0);
    expect(stdout).toMatch(/\[end (aborted|toolResult)\]\n$/);
  });
});

test.each(['omp', 'pi', 'pi-legacy'])(
  'in %s, matching calls and results by id and by turn gives the same result',
  async (dialect) => {
    const directories = install();
    writeFileSync(join(directories.home, 'settings.json'), JSON.stringify({ dialect, defaultModel: 'parley/offline' }));
    const messages = [
      'Run `echo one; echo two`',
      'Read shopping.txt',
      'create note.txt with `a b`',
      'Read missing.txt',
    ];
    const { code, stdout, stderr } = await startIn(directories, process.execPath, 'correlate.mjs', 'pi', ...messages)
      .ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const { byId, byTurn, shown, left } = JSON.parse(stdout);
    expect(left).toBe(0);
    expect(byTurn).toEqual(byId);
    expect(byId.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(['bash', 'read', 'write']));
    expect(byId.filter(({ isError }: { isError: boolean }) => isError)).not.toEqual([]);
    expect(shown[0]).toBe('$ echo one; echo two\none\ntwo\n');
    expect(shown[1]).toContain('read shopping.txt\n');
    expect(shown).toContain('wrote note.txt');
  },
);
