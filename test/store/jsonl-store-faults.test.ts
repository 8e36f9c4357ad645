// Tests of appending with injected faults.
import { existsSync, readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SessionLog } from '../../src/contracts/session-store.ts';
import type { SessionEntry } from '../../src/protocol/session-entry.ts';
import { entry, header } from './contract.ts';
import { createFaultyFiles, type FaultyFiles, type InjectedFault } from './faulty-files.ts';
import { createStoreFixture, toLine } from './store-fixture.ts';

/** Appends in four rounds, some calls concurrently. Returns the acknowledged entries in order. */
async function appendRounds(log: SessionLog): Promise<SessionEntry[]> {
  const acknowledged: SessionEntry[] = [];
  let next = 0;
  for (const sizes of [[1], [2, 1], [1, 1, 3], [1]]) {
    const calls = sizes.map((size) => Array.from({ length: size }, () => entry(next++, 'x'.repeat(40 + next))));
    const outcomes = await Promise.allSettled(calls.map((entries) => log.append(entries)));
    for (const [i, { status }] of outcomes.entries()) if (status === 'fulfilled') acknowledged.push(...calls[i]!);
  }
  return acknowledged;
}

async function runAppends(files: FaultyFiles) {
  const log = createStoreFixture(files).store.create(header);
  const acknowledged = await appendRounds(log);
  const expected = acknowledged.length === 0 ? '' : [header, ...acknowledged].map(toLine).join('');
  const content = () => (existsSync(log.file!) ? readFileSync(log.file!, 'utf8') : '');
  return { log, acknowledged, expected, content };
}

/** Runs `check` with the fault at operation 1, 2, 3 … until it ends before the fault occurs. */
async function atEveryOperation(
  injectedFault: InjectedFault,
  check: (files: FaultyFiles) => Promise<void>,
): Promise<number> {
  for (let n = 1; ; n += 1) {
    const files = createFaultyFiles((operation) => (operation === n ? injectedFault : undefined));
    await check(files);
    await files.closeLeakedFiles();
    if (files.total < n) return n - 1;
    if (n > 200) throw new Error('too many operations');
  }
}

describe('a fault at any operation', () => {
  test.each<InjectedFault>(['fail', 'late', 'torn', 'short'])(
    '%s: the file contains exactly the acknowledged entries',
    async (fault) => {
      const operations = await atEveryOperation(fault, async (files) => {
        const { log, expected, acknowledged, content } = await runAppends(files);
        expect(content()).toBe(expected);
        // At most one round is lost, and none after a short write.
        expect(acknowledged.length).toBeGreaterThanOrEqual(fault === 'short' ? 10 : 5);
        files.stopFaults();
        await log.append([entry(99)]);
        expect(content()).toBe((expected || toLine(header)) + toLine(entry(99)));
        await log.close();
      });
      expect(operations).toBeGreaterThan(12);
    },
  );

  test('crash: the acknowledged entries are stored, and at most one later line is incomplete', async () => {
    await atEveryOperation('crash', async (files) => {
      const { expected, content } = await runAppends(files);
      const found = content();
      expect(found.startsWith(expected)).toBe(true);
      const rest = found.slice(expected.length).split('\n').slice(0, -1);
      for (const completeLine of rest) expect(() => JSON.parse(completeLine)).not.toThrow();
    });
  });
});

test('with any sequence of faults no acknowledged entry is lost, and the next append is complete', async () => {
  const faults = fc.array(
    fc.option(fc.constantFrom<InjectedFault>('fail', 'late', 'torn', 'short'), { nil: undefined }),
    {
      maxLength: 40,
    },
  );
  await fc.assert(
    fc.asyncProperty(faults, async (plan) => {
      const files = createFaultyFiles((operation) => plan[operation - 1]);
      const { log, expected, content } = await runAppends(files);
      expect(content().startsWith(expected)).toBe(true);
      files.stopFaults();
      await log.append([entry(99)]);
      expect(content()).toBe((expected || toLine(header)) + toLine(entry(99)));
      await log.close();
      await files.closeLeakedFiles();
    }),
    { numRuns: 150 },
  );
});
