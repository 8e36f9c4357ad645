// Data is synced to disk before it is acknowledged: checks the order of the system calls.
import type * as promises from 'node:fs/promises';
import { beforeEach, expect, test, vi } from 'vitest';
import { createFiles } from '../../../src/app/system-ports/files.ts';
import { entry, header } from '../../store/contract.ts';
import { createStoreFixture } from '../../store/store-fixture.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';

const calls = vi.hoisted(() => [] as string[]);

vi.mock('node:fs/promises', async (importOriginal) => {
  const original = await importOriginal<typeof promises>();
  const nameOf = (path: unknown) =>
    String(path)
      .replace(/^.*\//, '')
      .replace(/^\.parley-.*\.tmp$/, 'TEMPORARY');
  return {
    ...original,
    async open(...args: Parameters<typeof original.open>) {
      const handle = await original.open(...args);
      const name = (await handle.stat()).isDirectory() ? 'DIRECTORY' : nameOf(args[0]);
      for (const call of ['write', 'writeFile', 'datasync', 'sync', 'truncate'] as const) {
        const act = handle[call].bind(handle) as (...args: unknown[]) => Promise<unknown>;
        Object.assign(handle, {
          async [call](...args: unknown[]) {
            const result = await act(...args);
            calls.push(`${call} ${name}`);
            return result;
          },
        });
      }
      return handle;
    },
    async rename(from: string, to: string) {
      await original.rename(from, to);
      calls.push(`rename ${nameOf(from)} ${nameOf(to)}`);
    },
  };
});

beforeEach(() => void calls.splice(0));

test('sync() of an open file calls datasync', async () => {
  const file = await createFiles().open(`${createTemporaryDirectory()}/a`, 'create');
  await file.append(Buffer.from('x'));
  await file.sync();
  await file.close();
  expect(calls).toEqual(['write a', 'datasync a']);
});

test('log entries are synced before they are acknowledged, the first one with its directory', async () => {
  const { store, directory } = createStoreFixture();
  const log = store.create(header, `${directory}/s.jsonl`);
  const logCalls = () => calls.filter((call) => !call.includes('.lock'));
  await log.append([entry(0)]);
  expect(logCalls()).toEqual(['write s.jsonl', 'datasync s.jsonl', 'datasync DIRECTORY']);
  calls.splice(0);
  await log.append([entry(1)]);
  expect(logCalls()).toEqual(['write s.jsonl', 'datasync s.jsonl']);
  await log.close();
});

test('replace() syncs the new file before the rename, and the directory after it', async () => {
  const path = `${createTemporaryDirectory()}/a.json`;
  await createFiles().replace(path, Buffer.from('{}'));
  expect(calls).toEqual(['writeFile TEMPORARY', 'sync TEMPORARY', 'rename TEMPORARY a.json', 'sync DIRECTORY']);
});
