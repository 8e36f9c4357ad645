import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ResumedSession } from '../../src/contracts/store.ts';
import { entry, header } from './contract.ts';
import { type FaultyFiles, faultyFiles, type Mishap } from './faulty-files.ts';
import { line, linesIn, place } from './place.ts';

const whole = [header, entry(0), entry(1)].map(line).join('');
const torn = whole + line(entry(2)).slice(0, 40);
const old = [{ ...header, version: 2 }, entry(0), entry(1)].map(line).join('');

/** Runs a story with the mishap at operation 1, 2, 3 … until it ends before the mishap comes. */
async function atEveryOperation(
  mishap: Mishap,
  content: string,
  check: (here: Story) => Promise<void>,
): Promise<number> {
  for (let n = 1; n < 200; n += 1) {
    const files = faultyFiles((operation) => (operation === n ? mishap : undefined));
    const { store, write, directory } = place(files);
    const path = write(content);
    await check({ files, path, directory, resume: () => store.resume(path), remove: () => store.remove(path) });
    await files.release();
    if (files.total < n) return n - 1;
  }
  throw new Error('the story does not end');
}

interface Story {
  readonly files: FaultyFiles;
  readonly path: string;
  readonly directory: string;
  resume(): Promise<ResumedSession>;
  remove(): Promise<void>;
}

/** Resumes, adds an entry, closes. Says which of it was promised to have happened. */
async function goOn({ resume }: Story): Promise<{ session?: ResumedSession; appended: boolean }> {
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
  ['a log that broke off', torn],
])('going on with %s', (_, content) => {
  test.each<Mishap>(['fail', 'late', 'torn', 'short'])('%s at any operation: nothing is lost', async (mishap) => {
    const operations = await atEveryOperation(mishap, content, async (story) => {
      const { session, appended } = await goOn(story);
      if (session) expect(session.path).toEqual([entry(0), entry(1)]);
      const found = readFileSync(story.path, 'utf8');
      expect([whole, torn]).toContain(appended ? found.slice(0, -line(entry(2)).length) : found);
      if (appended) expect(found).toBe(whole + line(entry(2)));
      // The same process can go on when things work again, and another one can too.
      story.files.heal();
      const again = await story.resume();
      expect(again.path).toHaveLength(appended ? 3 : 2);
      await again.log.append([entry(appended ? 3 : 2)]);
      await again.log.close();
      expect(linesIn(story.path)).toHaveLength(appended ? 5 : 4);
      expect(readdirSync(story.directory)).toEqual(['session.jsonl']);
    });
    expect(operations).toBeGreaterThan(15);
  });

  test('crash at any operation: the next process finds everything that was acknowledged', async () => {
    await atEveryOperation('crash', content, async (story) => {
      const { appended } = await goOn(story);
      const { store } = place(undefined, story.directory);
      // To another process it would be stale; here it bears our own name.
      clearLocks(story.directory);
      const session = await store.resume(story.path);
      const ids = session.path.map(({ id }) => id);
      expect(ids.slice(0, 2)).toEqual([entry(0).id, entry(1).id]);
      if (appended) expect(ids).toContain(entry(2).id);
      await session.log.append([entry(5)]);
      await session.log.close();
      expect(() => linesIn(story.path)).not.toThrow();
    });
  });
});

function clearLocks(directory: string): void {
  for (const name of readdirSync(directory)) if (name.includes('.lock')) rmSync(`${directory}/${name}`);
}

describe('translating an old log', () => {
  test.each<Mishap>(['fail', 'late', 'torn', 'short', 'crash'])(
    '%s at any operation: the file is the old one or the new one, and a whole copy is there before it is the new one',
    async (mishap) => {
      const operations = await atEveryOperation(mishap, old, async (story) => {
        await goOn(story);
        const found = readFileSync(story.path, 'utf8');
        const isNew = found.includes('"version":3');
        if (isNew) expect(readFileSync(`${story.path}.v2.bak`, 'utf8')).toBe(old);
        else expect(found).toBe(old);
        story.files.heal();
        clearLocks(story.directory);
        const session = await place(undefined, story.directory).store.resume(story.path);
        expect(session.path.slice(0, 2)).toEqual([entry(0), entry(1)]);
        await session.log.close();
        expect(readFileSync(`${story.path}.v2.bak`, 'utf8')).toBe(old);
        const rest = readdirSync(story.directory).filter((name) => !/\.jsonl$|\.bak$/.test(name));
        expect(rest).toEqual([]);
      });
      expect(operations).toBeGreaterThan(30);
    },
  );
});

describe('removing', () => {
  test.each<Mishap>(['fail', 'late', 'crash'])(
    '%s at any operation: it can be done again, or it is done',
    async (mishap) => {
      await atEveryOperation(mishap, whole, async (story) => {
        const removed = await story.remove().then(
          () => true,
          (fault) => {
            expect(fault).toMatchObject({ name: 'Fault' });
            return false;
          },
        );
        if (removed) expect(existsSync(story.path)).toBe(false);
        story.files.heal();
        clearLocks(story.directory);
        if (existsSync(story.path)) await story.remove();
        expect(readdirSync(story.directory)).toEqual([]);
      });
    },
  );
});
