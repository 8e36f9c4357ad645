// One writer at a time, also when a holder died, and never a lock taken from one that lives.
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import { deferred } from '../../../src/base/index.ts';
import { withFileLock } from '../../../src/llm/credentials/file-lock.ts';
import { createFakeClock } from '../../../src/testing/index.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { until } from '../../support/until.ts';

const { files, clock, ids } = createSystemPorts();
const ports = { files, clock, ids };

function place() {
  const directory = temporaryDirectory();
  const path = join(directory, 'shared.json');
  const old = (name: string) => {
    writeFileSync(join(directory, name), 'somebody who died');
    utimesSync(join(directory, name), new Date(0), new Date(0));
  };
  return { directory, path, old };
}

test('what two do under one lock does not overlap, and nothing is left behind', async () => {
  const { directory, path } = place();
  const order: string[] = [];
  const mayEnd = deferred();
  const first = withFileLock(ports, path, async () => {
    order.push('first in');
    await mayEnd.promise;
    order.push('first out');
  });
  await until(() => order.length === 1);
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

test('a failure inside frees the lock', async () => {
  const { directory, path } = place();
  await expect(withFileLock(ports, path, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(readdirSync(directory)).toEqual([]);
});

test('of many who find the lock of a dead process, one after another gets it', async () => {
  const { directory, path, old } = place();
  old('shared.json.lock');
  old('shared.json.lock.claim');
  let inside = 0;
  let most = 0;
  const visits = Array.from({ length: 12 }, () =>
    withFileLock(ports, path, async (stillHeld) => {
      inside += 1;
      most = Math.max(most, inside);
      await clock.turn();
      expect(await stillHeld()).toBe(true);
      inside -= 1;
    }),
  );
  await Promise.all(visits);
  expect(most).toBe(1);
  expect(readdirSync(directory)).toEqual([]);
});

test('who is overtaken between looking and taking leaves the new lock alone', async () => {
  const { path, old } = place();
  const lock = `${path}.lock`;
  old('shared.json.lock');
  const overtaken: typeof files = {
    ...files,
    open(name, purpose, options) {
      if (name === `${lock}.claim` && readFileSync(lock, 'utf8') !== 'new holder') {
        writeFileSync(lock, 'new holder');
        utimesSync(lock, new Date(), new Date());
      }
      return files.open(name, purpose, options);
    },
  };
  let pauses = 0;
  const sleep = async () => {
    expect(readFileSync(lock, 'utf8')).toBe('new holder');
    pauses += 1;
    rmSync(lock);
  };
  expect(await withFileLock({ ids, files: overtaken, clock: { ...clock, sleep } }, path, async () => 'in')).toBe('in');
  expect(pauses).toBe(1);
});

test('a lock that is held on and on is not waited for forever, and stays', async () => {
  const { path } = place();
  const fake = createFakeClock(Date.now());
  writeFileSync(`${path}.lock`, 'somebody who lives');
  const asked = withFileLock({ files, ids, clock: fake }, path, async () => {});
  const refused = expect(asked).rejects.toMatchObject({
    code: 'busy',
    message: expect.stringContaining(`remove ${path}.lock`),
  });
  // Whoever holds it says so now and then.
  const settled = refused.then(() => true);
  let over = false;
  void settled.then(() => {
    over = true;
  });
  await until(async () => {
    await fake.advance(2000);
    utimesSync(`${path}.lock`, new Date(fake.now()), new Date(fake.now()));
    return over;
  });
  await refused;
  expect(readFileSync(`${path}.lock`, 'utf8')).toBe('somebody who lives');
});

test('a holder renews its lock, and knows when it has lost it', async () => {
  const { path } = place();
  const fake = createFakeClock();
  const mayEnd = deferred();
  let isHeld: () => Promise<boolean> = async () => false;
  const holding = withFileLock({ files, ids, clock: fake }, path, async (stillHeld) => {
    isHeld = stillHeld;
    await mayEnd.promise;
  });
  await until(() => existsSync(`${path}.lock`) && readFileSync(`${path}.lock`, 'utf8') !== '');
  await until(() => isHeld());
  utimesSync(`${path}.lock`, new Date(0), new Date(0));
  await fake.advance(3000);
  // Written to its end: a file is young from the moment it is emptied.
  await until(() => statSync(`${path}.lock`).mtimeMs > 1000 && readFileSync(`${path}.lock`, 'utf8') !== '');
  writeFileSync(`${path}.lock`, 'another');
  expect(await isHeld()).toBe(false);
  await fake.advance(3000);
  mayEnd.resolve();
  await holding;
  // The other's lock is not ours to remove.
  expect(readFileSync(`${path}.lock`, 'utf8')).toBe('another');
});
