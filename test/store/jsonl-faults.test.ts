import { existsSync, readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SessionLog } from '../../src/contracts/store.ts';
import type { SessionEntry } from '../../src/protocol/entry.ts';
import { entry, header } from './contract.ts';
import { type FaultyFiles, faultyFiles, type Mishap } from './faulty-files.ts';
import { line, place } from './place.ts';

/** Four rounds of calls, some at once. Gives the entries that were acknowledged, in order. */
async function converse(log: SessionLog): Promise<SessionEntry[]> {
  const acknowledged: SessionEntry[] = [];
  let next = 0;
  for (const sizes of [[1], [2, 1], [1, 1, 3], [1]]) {
    const calls = sizes.map((size) => Array.from({ length: size }, () => entry(next++, 'x'.repeat(40 + next))));
    const outcomes = await Promise.allSettled(calls.map((entries) => log.append(entries)));
    for (const [i, { status }] of outcomes.entries()) if (status === 'fulfilled') acknowledged.push(...calls[i]!);
  }
  return acknowledged;
}

async function story(files: FaultyFiles) {
  const log = place(files).store.create(header);
  const acknowledged = await converse(log);
  const promised = acknowledged.length === 0 ? '' : [header, ...acknowledged].map(line).join('');
  const content = () => (existsSync(log.file!) ? readFileSync(log.file!, 'utf8') : '');
  return { log, acknowledged, promised, content };
}

/** Runs the story with the mishap at operation 1, 2, 3 … until it ends before the mishap comes. */
async function atEveryOperation(mishap: Mishap, check: (files: FaultyFiles) => Promise<void>): Promise<number> {
  for (let n = 1; ; n += 1) {
    const files = faultyFiles((operation) => (operation === n ? mishap : undefined));
    await check(files);
    await files.release();
    if (files.total < n) return n - 1;
    if (n > 200) throw new Error('the story does not end');
  }
}

describe('whichever operation goes wrong', () => {
  test.each<Mishap>(['fail', 'late', 'torn', 'short'])(
    '%s: the file has exactly what was acknowledged',
    async (mishap) => {
      const operations = await atEveryOperation(mishap, async (files) => {
        const { log, promised, acknowledged, content } = await story(files);
        expect(content()).toBe(promised);
        // At most one round is lost, and none when the system merely took less.
        expect(acknowledged.length).toBeGreaterThanOrEqual(mishap === 'short' ? 10 : 5);
        files.heal();
        await log.append([entry(99)]);
        expect(content()).toBe((promised || line(header)) + line(entry(99)));
        await log.close();
      });
      expect(operations).toBeGreaterThan(12);
    },
  );

  test('crash: what was acknowledged is there, and of the rest at most one line is broken', async () => {
    await atEveryOperation('crash', async (files) => {
      const { promised, content } = await story(files);
      const found = content();
      expect(found.startsWith(promised)).toBe(true);
      const rest = found.slice(promised.length).split('\n').slice(0, -1);
      for (const whole of rest) expect(() => JSON.parse(whole)).not.toThrow();
    });
  });
});

test('whatever goes wrong however often, nothing acknowledged is lost and the next good append is whole', async () => {
  const mishaps = fc.array(fc.option(fc.constantFrom<Mishap>('fail', 'late', 'torn', 'short'), { nil: undefined }), {
    maxLength: 40,
  });
  await fc.assert(
    fc.asyncProperty(mishaps, async (plan) => {
      const files = faultyFiles((operation) => plan[operation - 1]);
      const { log, promised, content } = await story(files);
      expect(content().startsWith(promised)).toBe(true);
      files.heal();
      await log.append([entry(99)]);
      expect(content()).toBe((promised || line(header)) + line(entry(99)));
      await log.close();
      await files.release();
    }),
    { numRuns: 150 },
  );
});
