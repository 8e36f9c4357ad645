// File lock: one writer at a time, takeover of stale locks, no takeover of live locks.
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSystemPorts } from '../../src/app/system-ports/index.ts';
import { createDeferred } from '../../src/base/index.ts';
import { withFileLock } from '../../src/support/file-lock.ts';
import { createFakeClock } from '../../src/testing/index.ts';
import { createTemporaryDirectory } from './temporary-directory.ts';
import { waitUntil } from './wait-until.ts';

const { files, clock, ids } = createSystemPorts();
const ports = { files, clock, ids };

function setUp() {
  const directory = createTemporaryDirectory();
  const path = join(directory, 'shared.json');
  const writeStaleFile = (name: string) => {
    writeFileSync(join(directory, name), 'dead process');
    utimesSync(join(directory, name), new Date(0), new Date(0));
  };
  return { directory, path, old: writeStaleFile };
}

test('two actions under one lock do not overlap, and no files are left', async () => {
  const { directory, path } = setUp();
  const order: string[] = [];
  const mayEnd = createDeferred();
  const first = withFileLock(ports, path, async () => {
    order.push('first in');
    await mayEnd.promise;
    order.push('first out');
  });
  await waitUntil(() => order.length === 1);
  const second = withFileLock(ports, path, async () => {
    order.push('second in');
    return 'done';
  });
  expect(JSON.stringify(readdirSync(directory))).toBe('["shared.json.lock"]');
  mayEnd.resolve();
  await first;
  expect(await second).toBe('done');
  expect(order).toEqual(['first in', 'first out', 'second in']);
  expect(readdirSync(directory)).toEqual([]);
});

test('a failed action releases the lock', async () => {
  const { directory, path } = setUp();
  await expect(withFileLock(ports, path, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(readdirSync(directory)).toEqual([]);
});

test('a stale lock is taken over by one process at a time', async () => {
  const { directory, path, old } = setUp();
  old('shared.json.lock');
  old('shared.json.lock.claim');
  let inside = 0;
  let maxInside = 0;
  const actions = Array.from({ length: 12 }, () =>
    withFileLock(ports, path, async (assertLockHeld) => {
      inside += 1;
      maxInside = Math.max(maxInside, inside);
      await clock.yieldToEventLoop();
      await expect(assertLockHeld()).resolves.toBeUndefined();
      inside -= 1;
    }),
  );
  await Promise.all(actions);
  expect(maxInside).toBe(1);
  expect(readdirSync(directory)).toEqual([]);
});

test('a lock that is created between check and takeover is not removed', async () => {
  const { path, old } = setUp();
  const lock = `${path}.lock`;
  old('shared.json.lock');
  const racingFiles: typeof files = {
    ...files,
    open(name, purpose, options) {
      if (name === `${lock}.claim` && readFileSync(lock, 'utf8') !== 'new holder') {
        writeFileSync(lock, 'new holder');
        utimesSync(lock, new Date(), new Date());
      }
      return files.open(name, purpose, options);
    },
  };
  let sleepCount = 0;
  const sleep = async () => {
    expect(readFileSync(lock, 'utf8')).toBe('new holder');
    sleepCount += 1;
    rmSync(lock);
  };
  expect(await withFileLock({ ids, files: racingFiles, clock: { ...clock, sleep } }, path, async () => 'in')).toBe(
    'in',
  );
  expect(sleepCount).toBe(1);
});

test('waiting for a live lock times out, and the lock stays', async () => {
  const { path } = setUp();
  const fake = createFakeClock(Date.now());
  writeFileSync(`${path}.lock`, 'live process');
  const locking = withFileLock({ files, ids, clock: fake }, path, async () => {});
  const rejection = expect(locking).rejects.toMatchObject({
    code: 'busy',
    message: expect.stringContaining(`remove ${path}.lock`),
  });
  // The live holder renews its lock file.
  const settled = rejection.then(() => true);
  let isOver = false;
  void settled.then(() => {
    isOver = true;
  });
  await waitUntil(async () => {
    await fake.advance(2000);
    utimesSync(`${path}.lock`, new Date(fake.now()), new Date(fake.now()));
    return isOver;
  });
  await rejection;
  expect(readFileSync(`${path}.lock`, 'utf8')).toBe('live process');
});

test('a holder renews its lock and detects its loss', async () => {
  const { path } = setUp();
  const fake = createFakeClock();
  const mayEnd = createDeferred();
  const acquired = createDeferred<() => Promise<void>>();
  const holding = withFileLock({ files, ids, clock: fake }, path, async (assertLockHeld) => {
    acquired.resolve(assertLockHeld);
    await mayEnd.promise;
  });
  const assertHeld = await acquired.promise;
  await expect(assertHeld()).resolves.toBeUndefined();
  utimesSync(`${path}.lock`, new Date(0), new Date(0));
  await fake.advance(3000);
  // Wait for the content too, because truncating the file already updates its time.
  await waitUntil(() => statSync(`${path}.lock`).mtimeMs > 1000 && readFileSync(`${path}.lock`, 'utf8') !== '');
  writeFileSync(`${path}.lock`, 'another');
  await expect(assertHeld()).rejects.toThrow(`${path} was taken over by another process. Try again.`);
  await fake.advance(3000);
  mayEnd.resolve();
  await holding;
  // The lock of the other process is not removed.
  expect(readFileSync(`${path}.lock`, 'utf8')).toBe('another');
});

test('an action that ends during a renewal leaves no lock file', async () => {
  const { directory, path } = setUp();
  const fakeClock = createFakeClock();
  const renewalStarted = createDeferred();
  const renewalDone = createDeferred();
  const mayWrite = createDeferred();
  const mayEnd = createDeferred();
  const slowFiles: typeof files = {
    ...files,
    async write(name, bytes, options) {
      renewalStarted.resolve();
      await mayWrite.promise;
      await files.write(name, bytes, options);
      renewalDone.resolve();
    },
  };
  const actionStarted = createDeferred();
  const locked = withFileLock({ files: slowFiles, clock: fakeClock, ids }, path, () => {
    actionStarted.resolve();
    return mayEnd.promise;
  });
  await actionStarted.promise;
  await fakeClock.advance(2_500);
  await renewalStarted.promise;
  mayEnd.resolve();
  // Enough turns for a release that does not wait for the renewal.
  for (let turn = 0; turn < 1000 && existsSync(`${path}.lock`); turn += 1) await clock.yieldToEventLoop();
  mayWrite.resolve();
  await locked;
  await renewalDone.promise;
  expect(readdirSync(directory)).toEqual([]);
});
