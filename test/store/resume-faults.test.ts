// Tests of resuming, migrating and removing with injected faults.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ResumedSession } from '../../src/contracts/session-store.ts';
import { entry, header } from './contract.ts';
import { createFaultyFiles, type FaultyFiles, type InjectedFault } from './faulty-files.ts';
import { createStoreFixture, readLines, toLine } from './store-fixture.ts';

const whole = [header, entry(0), entry(1)].map(toLine).join('');
const torn = whole + toLine(entry(2)).slice(0, 40);
const old = [{ ...header, version: 2 }, entry(0), entry(1)].map(toLine).join('');

/** Runs `check` with the fault at operation 1, 2, 3 … until it ends before the fault occurs. */
async function atEveryOperation(
  injectedFault: InjectedFault,
  content: string,
  check: (context: FaultContext) => Promise<void>,
): Promise<number> {
  for (let n = 1; n < 200; n += 1) {
    const files = createFaultyFiles((operation) => (operation === n ? injectedFault : undefined));
    const { store, write, directory } = createStoreFixture(files);
    const path = write(content);
    await check({ files, path, directory, resume: () => store.resume(path), remove: () => store.remove(path) });
    await files.closeLeakedFiles();
    if (files.total < n) return n - 1;
  }
  throw new Error('too many operations');
}

interface FaultContext {
  readonly files: FaultyFiles;
  readonly path: string;
  readonly directory: string;
  resume(): Promise<ResumedSession>;
  remove(): Promise<void>;
}

/** Resumes, appends an entry and closes. Returns which steps were acknowledged. */
async function resumeAndAppend({ resume }: FaultContext): Promise<{ session?: ResumedSession; appended: boolean }> {
  let session: ResumedSession | undefined;
  try {
    session = await resume();
    await session.log.append([entry(2)]);
    await session.log.close();
    return { session, appended: true };
  } catch (fault) {
    expect(fault).toMatchObject({ name: 'Fault', code: 'storage', message: expect.stringContaining('ENOSPC') });
    await session?.log.close();
    return { ...(session ? { session } : {}), appended: false };
  }
}

describe.each([
  ['a whole log', whole],
  ['an incomplete log', torn],
])('resuming %s', (_, content) => {
  test.each<InjectedFault>(['fail', 'late', 'torn', 'short'])('%s at any operation: nothing is lost', async (fault) => {
    const operations = await atEveryOperation(fault, content, async (context) => {
      const { session, appended } = await resumeAndAppend(context);
      if (session) expect(session.path).toEqual([entry(0), entry(1)]);
      const found = readFileSync(context.path, 'utf8');
      expect([whole, torn]).toContain(appended ? found.slice(0, -toLine(entry(2)).length) : found);
      if (appended) expect(found).toBe(whole + toLine(entry(2)));
      // The same process can continue when operations work again, and another process can too.
      context.files.stopFaults();
      const again = await context.resume();
      expect(again.path).toHaveLength(appended ? 3 : 2);
      await again.log.append([entry(appended ? 3 : 2)]);
      await again.log.close();
      expect(readLines(context.path)).toHaveLength(appended ? 5 : 4);
      expect(readdirSync(context.directory)).toEqual(['session.jsonl']);
    });
    expect(operations).toBeGreaterThan(15);
  });

  test('crash at any operation: the next process finds all acknowledged entries', async () => {
    await atEveryOperation('crash', content, async (context) => {
      const { appended } = await resumeAndAppend(context);
      const { store } = createStoreFixture(undefined, context.directory);
      // Another process would see a stale lock. Here the lock has our own process id.
      clearLocks(context.directory);
      const session = await store.resume(context.path);
      const ids = session.path.map(({ id }) => id);
      expect(ids.slice(0, 2)).toEqual([entry(0).id, entry(1).id]);
      if (appended) expect(ids).toContain(entry(2).id);
      await session.log.append([entry(5)]);
      await session.log.close();
      expect(() => readLines(context.path)).not.toThrow();
    });
  });
});

function clearLocks(directory: string): void {
  for (const name of readdirSync(directory)) if (name.includes('.lock')) rmSync(`${directory}/${name}`);
}

describe('migrating an old log', () => {
  test.each<InjectedFault>(['fail', 'late', 'torn', 'short', 'crash'])(
    '%s at any operation: the file is the old or the new one, and a complete backup exists before it is replaced',
    async (fault) => {
      const operations = await atEveryOperation(fault, old, async (context) => {
        await resumeAndAppend(context);
        const found = readFileSync(context.path, 'utf8');
        const isNew = found.includes('"version":3');
        if (isNew) expect(readFileSync(`${context.path}.v2.bak`, 'utf8')).toBe(old);
        else expect(found).toBe(old);
        context.files.stopFaults();
        clearLocks(context.directory);
        const session = await createStoreFixture(undefined, context.directory).store.resume(context.path);
        expect(session.path.slice(0, 2)).toEqual([entry(0), entry(1)]);
        await session.log.close();
        expect(readFileSync(`${context.path}.v2.bak`, 'utf8')).toBe(old);
        const rest = readdirSync(context.directory).filter((name) => !/\.jsonl$|\.bak$/.test(name));
        expect(rest).toEqual([]);
      });
      expect(operations).toBeGreaterThan(30);
    },
  );
});

describe('removing', () => {
  test.each<InjectedFault>(['fail', 'late', 'crash'])(
    '%s at any operation: the removal is complete or can be repeated',
    async (fault) => {
      await atEveryOperation(fault, whole, async (context) => {
        const removed = await context.remove().then(
          () => true,
          (fault) => {
            expect(fault).toMatchObject({ name: 'Fault' });
            return false;
          },
        );
        if (removed) expect(existsSync(context.path)).toBe(false);
        context.files.stopFaults();
        clearLocks(context.directory);
        if (existsSync(context.path)) await context.remove();
        expect(readdirSync(context.directory)).toEqual([]);
      });
    },
  );
});
