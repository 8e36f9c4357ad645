// The audit log: one line per record, for the user only, and the rotation.
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createFiles } from '../../src/app/system-ports/files.ts';
import type { Files } from '../../src/contracts/index.ts';
import { AuditLog } from '../../src/http/audit-log.ts';
import { createFakeClock } from '../../src/testing/index.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

function createLog(directory = join(createTemporaryDirectory(), 'serve'), files: Files = createFiles()) {
  const problems: string[] = [];
  const onProblem = (message: string) => void problems.push(message);
  const audit = new AuditLog({ files, clock: createFakeClock(), directory, onProblem });
  const path = join(directory, 'audit.jsonl');
  const read = () => readFileSync(path, 'utf8').trimEnd().split('\n');
  return { audit, path, read, directory, problems, old: join(directory, 'audit.1.jsonl') };
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

test('records are lines in the order of the calls, with their time, in a file of the user', async () => {
  const { audit, path, read, directory } = createLog();
  for (let i = 0; i < 100; i++) audit.write({ action: 'call', client: `c${i}`, command: 'prompt' });
  await audit.close();
  const lines = read();
  expect(lines.map((line) => JSON.parse(line).client)).toEqual(Array.from({ length: 100 }, (_, i) => `c${i}`));
  expect(JSON.parse(lines[0] ?? '')).toEqual({
    ...{ time: '2026-01-02T03:04:05.000Z', action: 'call', client: 'c0', command: 'prompt' },
  });
  expect([modeOf(directory), modeOf(path)]).toEqual(['700', '600']);
});

test('a text with line breaks stays one line', async () => {
  const { audit, read } = createLog();
  audit.write({ action: 'refuse', reason: 'a\r\n{"action":"stop"}\u2028\0' });
  await audit.close();
  expect(read()).toHaveLength(1);
});

test('a file that others can read is restricted, and continued', async () => {
  const first = createLog();
  first.audit.write({ action: 'start' });
  await first.audit.close();
  rmSync(first.path);
  writeFileSync(first.path, '{"action":"stop"}\n', { mode: 0o644 });
  const second = createLog(first.directory);
  second.audit.write({ action: 'start' });
  await second.audit.close();
  expect(modeOf(first.path)).toBe('600');
  expect(second.read()).toHaveLength(2);
});

test('a long file is renamed, and only one older file is kept', async () => {
  const { audit, path, old, directory } = createLog();
  const reason = 'x'.repeat(1024 * 1024);
  for (let i = 0; i < 40; i++) {
    audit.write({ action: 'refuse', reason, client: `c${i}` });
    // So that the records are written one by one, and not in one batch.
    await audit.flush();
  }
  await audit.close();
  expect(existsSync(join(directory, 'audit.2.jsonl'))).toBe(false);
  const size = 16 * 1024 * 1024;
  expect(statSync(path).size).toBeLessThanOrEqual(size);
  expect(statSync(old).size).toBeLessThanOrEqual(size);
  expect([modeOf(path), modeOf(old)]).toEqual(['600', '600']);
  const clients = [old, path].flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/"client":"c(\d+)"/g)]);
  const numbers = clients.map(([, number]) => Number(number));
  expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, i) => 40 - numbers.length + i));
});

describe('a disk that fails', () => {
  test('does not stop the server, and the records are written when it works again', async () => {
    const { audit, path, read, directory, problems } = createLog();
    writeFileSync(directory, 'a file in the place of the directory');
    audit.write({ action: 'start' });
    await audit.flush();
    audit.write({ action: 'login' });
    await audit.close();
    expect(problems).toEqual([expect.stringContaining('The audit log cannot be written: EEXIST')]);
    rmSync(directory);
    audit.write({ action: 'stop' });
    await audit.close();
    expect(existsSync(path)).toBe(true);
    expect(read().map((line) => JSON.parse(line).action)).toEqual(['start', 'login', 'stop']);
  });

  test('in the middle of a record leaves no broken line and no open file', async () => {
    const disk = { spaceBytes: 250, openCount: 0 };
    const { audit, read, problems } = createLog(undefined, limitSpace(createFiles(), disk));
    for (let i = 0; i < 50; i++) {
      audit.write({ action: 'call', client: `c${i}` });
      await audit.flush();
    }
    expect(disk.openCount).toBe(0);
    expect(problems).toEqual([expect.stringContaining('ENOSPC')]);
    disk.spaceBytes = Number.POSITIVE_INFINITY;
    audit.write({ action: 'call', client: 'c50' });
    await audit.close();
    expect(read().map((line) => JSON.parse(line).client)).toEqual(Array.from({ length: 51 }, (_, i) => `c${i}`));
    expect(disk.openCount).toBe(0);
  });

  test('for a long time loses the newest records, and their number is recorded', async () => {
    const disk = { spaceBytes: 0, openCount: 0 };
    const { audit, read } = createLog(undefined, limitSpace(createFiles(), disk));
    const reason = 'x'.repeat(100_000);
    for (let i = 0; i < 30; i++) {
      audit.write({ action: 'refuse', reason, client: `c${i}` });
      await audit.flush();
    }
    disk.spaceBytes = Number.POSITIVE_INFINITY;
    audit.write({ action: 'stop' });
    await audit.close();
    const records = read().map((line) => JSON.parse(line) as { action: string; reason: string });
    const kept = records.filter(({ action }) => action === 'refuse').length;
    expect(kept).toBeGreaterThan(10);
    expect(kept).toBeLessThan(30);
    expect(records.at(-1)).toMatchObject({ action: 'lost', reason: `${31 - kept} records could not be written` });
  });
});

/** Files on a disk that becomes full: the last bytes of the space are written, and then appending fails. */
function limitSpace(files: Files, disk: { spaceBytes: number; openCount: number }): Files {
  return {
    ...files,
    async open(...args) {
      const file = await files.open(...args);
      disk.openCount += 1;
      return {
        ...file,
        async append(bytes) {
          const count = Math.min(bytes.length, disk.spaceBytes);
          if (count === 0) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
          disk.spaceBytes -= count;
          return file.append(bytes.subarray(0, count));
        },
        async close() {
          disk.openCount -= 1;
          await file.close();
        },
      };
    },
  };
}

test('refused requests without a token are recorded up to a limit, and counted beyond it', async () => {
  const { audit, read } = createLog();
  for (let i = 0; i < 1000; i++) audit.write({ action: 'refuse', reason: 'unauthorized' });
  audit.write({ action: 'call', command: 'prompt' });
  await audit.close();
  const records = read().map((line) => JSON.parse(line));
  expect(records.filter(({ action }) => action === 'refuse')).toHaveLength(200);
  expect(records.slice(-2)).toMatchObject([
    { action: 'omit', reason: '800 refused requests' },
    { action: 'call', command: 'prompt' },
  ]);
});
