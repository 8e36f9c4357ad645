// A second process exchanges a directory and a link to a directory outside, 10,000 times, while all operations run. Nothing outside is
// read or changed.
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CANARY, createPathFixture, type PathFixture } from './path-fixture.ts';

const SWAPS = 10_000;
/** `shared` is a directory, then a link to the directory outside, and so on. The rename makes each change at once. */
const SWAP_PROGRAM = `
const fs = require('node:fs');
const [, workspace, outside, swaps] = process.argv;
process.chdir(workspace);
// The tested process may create the name in between. What it has created is inside, and is removed.
const put = (act, name) => {
  for (;;) {
    try {
      return act();
    } catch {
      // Fails when the tested process adds a file meanwhile. Then it is tried again.
      try {
        fs.rmSync(name, { recursive: true, force: true });
      } catch {}
    }
  }
};
for (let at = 0; at < Number(swaps); at++) {
  fs.renameSync('shared', 'spare');
  put(() => fs.symlinkSync(outside, 'shared'), 'shared');
  fs.renameSync('file.txt', 'file.spare');
  put(() => fs.symlinkSync(outside + '/canary.txt', 'file.txt'), 'file.txt');
  fs.unlinkSync('shared');
  put(() => fs.renameSync('spare', 'shared'), 'shared');
  fs.unlinkSync('file.txt');
  put(() => fs.renameSync('file.spare', 'file.txt'), 'file.txt');
}
`;

let fixture: PathFixture;
beforeEach(() => {
  fixture = createPathFixture();
});
afterEach(() => fixture.remove());

it('leaves the canary unread and unchanged', async () => {
  const { workspace, outside } = fixture;
  const shared = join(workspace, 'shared');
  mkdirSync(shared);
  writeFileSync(join(shared, 'canary.txt'), 'inside');
  writeFileSync(join(workspace, 'file.txt'), 'inside');
  const before = fixture.snapshotOutside();
  const files = fixture.guard();
  const text = new TextEncoder().encode('written');
  const results: unknown[] = [];
  let count = 0;
  const attempts = [
    () => files.read(join(shared, 'canary.txt')),
    () => files.read(join(workspace, 'file.txt'), { start: 0, length: 100 }),
    () => files.write(join(shared, 'canary.txt'), text),
    () => files.write(join(workspace, 'file.txt'), text),
    () => files.write(join(shared, `new-${count}.txt`), text),
    () => files.replace(join(shared, 'canary.txt'), text),
    () => files.list(shared),
    () => files.info(join(shared, 'directory')),
    () => files.makeDirectory(join(shared, `d-${count}`, 'e')),
    () => files.rename(join(shared, 'canary.txt'), join(shared, 'canary.txt')),
    () => files.remove(join(shared, 'directory'), { recursive: true }),
    () =>
      files.open(join(shared, 'canary.txt'), 'append').then((file) => file.append(text).finally(() => file.close())),
  ];
  // On a busy machine all swaps can be made before there were enough attempts. Then they are made again.
  while (count <= 500) {
    const swapping = startSwapping(workspace, outside);
    while (!swapping.isFinished) {
      for (const attempt of attempts) {
        count += 1;
        results.push(await attempt().catch((error: { message: string }) => error.message));
      }
    }
    expect(await swapping.exitCode).toBe(0);
  }
  for (const result of results) expect(formatResult(result)).not.toContain('canary: this');
  expect(results.filter((result) => Array.isArray(result) && result.some(({ name }) => name === 'fifo'))).toEqual([]);
  expect(fixture.snapshotOutside()).toBe(before);
  expect(readFileSync(fixture.canary, 'utf8')).toBe(CANARY);
  expect(readdirSync(outside).sort()).toEqual(['canary.txt', 'directory', 'fifo']);
}, 60_000);

function startSwapping(workspace: string, outside: string) {
  const child = spawn(process.execPath, ['-e', SWAP_PROGRAM, '--', workspace, outside, String(SWAPS)], {
    stdio: 'inherit',
  });
  const state = { isFinished: false, exitCode: new Promise<number | null>((resolve) => child.on('exit', resolve)) };
  void state.exitCode.then(() => {
    state.isFinished = true;
  });
  return state;
}

function formatResult(result: unknown): string {
  return result instanceof Uint8Array ? Buffer.from(result).toString() : JSON.stringify(result ?? '');
}
