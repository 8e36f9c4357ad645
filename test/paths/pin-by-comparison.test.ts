// Systems without /proc: a path that leads elsewhere after it was checked is not used.
import { constants, mkdirSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createCheckedFiles } from '../../src/app/system-ports/checked-files.ts';
import { pinByComparison } from '../../src/app/system-ports/pin-file.ts';
import { CANARY, createPathFixture, type PathFixture } from './path-fixture.ts';

let fixture: PathFixture;
let shared: string;
beforeEach(() => {
  fixture = createPathFixture(pinByComparison);
  shared = join(fixture.workspace, 'shared');
  mkdirSync(shared);
  writeFileSync(join(shared, 'canary.txt'), 'inside');
});
afterEach(() => fixture.remove());

function exchange(): void {
  renameSync(shared, `${shared}-spare`);
  symlinkSync(fixture.outside, shared);
}

function exchangeBack(): void {
  unlinkSync(shared);
  renameSync(`${shared}-spare`, shared);
}

it('reads and changes a file that is still there', async () => {
  const files = fixture.guard();
  await files.write(join(shared, 'canary.txt'), new TextEncoder().encode('changed'));
  expect(Buffer.from(await files.read(join(shared, 'canary.txt'))).toString()).toBe('changed');
  expect(await files.list(shared)).toEqual([{ name: 'canary.txt', kind: 'file' }]);
});

it.each([constants.O_RDONLY, constants.O_WRONLY])(
  'opens nothing below an exchanged directory (flags %s)',
  async (flags) => {
    const pinned = await pinByComparison(join(shared, 'canary.txt'), true);
    exchange();
    await expect(pinned.open(flags)).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(pinned.confirm()).rejects.toMatchObject({ code: 'ENOENT' });
    exchangeBack();
    await (await pinned.open(flags)).close();
  },
);

it('opens nothing when the file itself is exchanged', async () => {
  const file = join(fixture.workspace, 'a.txt');
  const pinned = await pinByComparison(file, true);
  unlinkSync(file);
  symlinkSync(fixture.canary, file);
  await expect(pinned.open(constants.O_RDONLY)).rejects.toMatchObject({ code: 'ELOOP' });
});

it('shows no names of a directory that is exchanged after the check', async () => {
  const files = createCheckedFiles(exchange, {}, pinByComparison);
  await expect(files.list(shared)).rejects.toMatchObject({ code: 'ENOENT' });
});

it('reads nothing of a directory that is exchanged after the check', async () => {
  const files = createCheckedFiles(exchange, {}, pinByComparison);
  const result = await files.read(join(shared, 'canary.txt')).catch((error: Error) => error.message);
  expect(String(result)).not.toContain(CANARY);
});
