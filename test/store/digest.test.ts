// What is remembered beside a long log: nobody can tell the difference, and whatever happens to either counts as forgotten.
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createClock } from '../../src/app/system-ports/clock.ts';
import { createFiles } from '../../src/app/system-ports/files.ts';
import type { Files } from '../../src/contracts/ports.ts';
import type { ResumedSession } from '../../src/contracts/store.ts';
import type { SessionEntry } from '../../src/protocol/entry.ts';
import { entry, header } from './contract.ts';
import { faultyFiles, type Mishap } from './faulty-files.ts';
import { memoryFiles } from './memory-files.ts';
import { compaction, line, place } from './place.ts';

/** Everything is worth remembering here, and time passes. */
const room = (files: Files = createFiles(), directory?: string) =>
  place(files, directory, { clock: createClock(), longBytes: 0 });

const digest = (messages: number) => ({ type: 'digest' as const, messages });

/** As an owner does who knows how many entries there are. */
async function remember({ log, leafId, name }: ResumedSession, messages: number): Promise<void> {
  await log.remember?.(async () => (leafId === null ? undefined : { leafId, name, digest: digest(messages) }));
}

const knows = ({ sketch }: ResumedSession) => sketch?.[0]?.type === 'digest';

/** Opens, looks, closes. */
async function look(at: ReturnType<typeof place>, path: string) {
  const resumed = await at.store.resume(path);
  const [known, sketch] = [knows(resumed), resumed.sketch];
  const found = {
    header: resumed.header,
    leafId: resumed.leafId,
    name: resumed.name,
    path: resumed.path,
    damage: resumed.damage,
  };
  await resumed.log.close();
  return { known, sketch, found };
}

/** Opens, has it remembered, closes. */
async function lookAndRemember(at: ReturnType<typeof place>, path: string, messages = 7): Promise<void> {
  const resumed = await at.store.resume(path);
  await remember(resumed, messages);
  await resumed.log.close();
}

const entries = Array.from({ length: 9 }, (_, n) => entry(n));
const others = Array.from({ length: 9 }, (_, n) => entry(n, `massege ${n}`));
const other = others.map(line).join('');

test('what was remembered is said in the place of what nobody has read, which is there for whoever asks', async () => {
  const at = room();
  const path = at.write([header, ...entries]);
  const first = await look(at, path);
  await lookAndRemember(at, path);
  const again = await look(at, path);
  expect([first.known, again.known]).toEqual([false, true]);
  expect(again.sketch).toEqual([digest(7)]);
  expect(again.found).toEqual(first.found);
  expect(statSync(`${path}.digest`).mode & 0o777).toBe(0o600);
  expect(readFileSync(`${path}.digest`, 'utf8')).not.toContain('message 3');
});

test('any log: the same conversation, remembered or not', async () => {
  const kinds = fc.constantFrom('message', 'name', 'compaction', 'odd', 'blank');
  const steps = fc.array(fc.tuple(kinds, fc.nat(), fc.nat(3000)), { minLength: 1, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(steps, async (choices) => {
      const files = memoryFiles();
      const at = room(files, '/sessions');
      const made: string[] = [];
      const lines = choices.map(([kind, choice, size], n) => {
        const parent = choice % (n + 1);
        const parentId = parent === n ? null : (made[parent] ?? null);
        const { id, ...plain } = entry(n, 'x'.repeat(size));
        made.push(id);
        const rest = { parentId, timestamp: header.timestamp };
        if (kind === 'name') return line({ type: 'session_info', id, ...rest, name: `name ${n}` });
        if (kind === 'compaction')
          return line(compaction(id, parentId as string, made[choice % made.length] as string));
        if (kind === 'odd') return line({ ...plain, parentId, id });
        return line({ ...entry(n, 'x'.repeat(size)), parentId }) + (kind === 'blank' ? '\r\n' : '');
      });
      files.contents.set('/s.jsonl', Buffer.from(line(header) + lines.join('')));
      const cold = await look(at, '/s.jsonl');
      await lookAndRemember(at, '/s.jsonl', 5);
      const warm = await look(at, '/s.jsonl');
      expect(warm.known).toBe(cold.found.damage.length === 0);
      expect(warm.found).toEqual(cold.found);
    }),
    { numRuns: 100 },
  );
});

describe('whatever happens to the log, it is read as if nothing had been remembered', () => {
  const changes: [string, (path: string) => void][] = [
    ['an entry of another program', (path) => appendFileSync(path, line(entry(9)))],
    ['garbage at its end', (path) => appendFileSync(path, 'garbage\n')],
    ['a line that broke off', (path) => appendFileSync(path, line(entry(9)).slice(0, 50))],
    ['cut off at a line', (path) => truncateSync(path, readFileSync(path).lastIndexOf('\n', -2) + 1)],
    ['cut off in a line', (path) => truncateSync(path, readFileSync(path).length - 5)],
    ['other words of the same length in the same place', (path) => writeFileSync(path, line(header) + other)],
    [
      'another file of the same size in its place',
      (path) => {
        writeFileSync(`${path}.new`, line(header) + other);
        renameSync(`${path}.new`, path);
      },
    ],
  ];

  test.each(changes.flatMap(([what, change]) => [false, true].map((dated) => [what, dated, change] as const)))(
    '%s (with the old times put back: %s)',
    async (_, dated, change) => {
      const at = room();
      const path = at.write([header, ...entries]);
      // Whole seconds, which can be put back exactly.
      const date = () => utimesSync(path, 1_700_000_000, 1_700_000_000);
      if (dated) date();
      await lookAndRemember(at, path);
      expect((await look(at, path)).known).toBe(true);
      change(path);
      if (dated) date();
      const remembered = await look(at, path);
      const elsewhere = room();
      const copy = elsewhere.write(readFileSync(path));
      const fresh = await look(elsewhere, copy);
      expect(remembered).toEqual(fresh);
      expect(remembered.known).toBe(false);
    },
  );

  test('cut off at every byte', async () => {
    const files = memoryFiles();
    const at = room(files, '/sessions');
    const whole = Buffer.from([header, ...entries].map(line).join(''));
    files.contents.set('/s.jsonl', whole);
    await lookAndRemember(at, '/s.jsonl');
    expect((await look(at, '/s.jsonl')).known).toBe(true);
    for (let cut = whole.length - 1; cut >= line(header).length; cut -= 1) {
      files.contents.set('/s.jsonl', whole.subarray(0, cut));
      files.contents.set('/fresh.jsonl', whole.subarray(0, cut));
      const [one, two] = [await look(at, '/s.jsonl'), await look(at, '/fresh.jsonl')];
      expect(one).toEqual(two);
    }
  });

  test('a copy does not know what the original is remembered by', async () => {
    const at = room();
    const path = at.write([header, ...entries]);
    await lookAndRemember(at, path);
    const copy = join(at.directory, 'copy.jsonl');
    copyFileSync(path, copy);
    copyFileSync(`${path}.digest`, `${copy}.digest`);
    expect((await look(at, copy)).known).toBe(false);
  });
});

describe('whatever happens to what is remembered', () => {
  test('each byte changed, and cut off at each: it counts as nothing', async () => {
    const files = memoryFiles();
    const at = room(files, '/sessions');
    files.contents.set('/s.jsonl', Buffer.from([header, ...entries].map(line).join('')));
    const { found } = await look(at, '/s.jsonl');
    await lookAndRemember(at, '/s.jsonl');
    const good = files.contents.get('/s.jsonl.digest') as Buffer;
    for (let n = 0; n < good.length; n += 1) {
      const wrong = Buffer.from(good);
      wrong[n] = (good[n] as number) ^ 1;
      for (const bytes of [wrong, good.subarray(0, n)]) {
        files.contents.set('/s.jsonl.digest', bytes);
        const seen = await look(at, '/s.jsonl');
        expect([n, seen.known, seen.found]).toEqual([n, false, found]);
      }
    }
    files.contents.set('/s.jsonl.digest', good);
    expect((await look(at, '/s.jsonl')).known).toBe(true);
  });

  test('a pipe holds nobody up, and a link leads nobody to another file', async () => {
    const at = room();
    const path = at.write([header, ...entries]);
    execFileSync('mkfifo', [`${path}.digest`]);
    expect((await look(at, path)).known).toBe(false);
    await lookAndRemember(at, path);
    expect((await look(at, path)).known).toBe(true);
    const [second, precious] = [at.write([header, ...entries], 'b.jsonl'), at.write('precious', 'precious.txt')];
    symlinkSync(precious, `${second}.digest`);
    await lookAndRemember(at, second);
    expect(readFileSync(precious, 'utf8')).toBe('precious');
    expect((await look(at, second)).known).toBe(true);
  });

  test('it goes with the session', async () => {
    const at = room();
    const path = at.write([header, ...entries]);
    await lookAndRemember(at, path);
    expect(readdirSync(at.directory).sort()).toEqual(['session.jsonl', 'session.jsonl.digest']);
    await at.store.remove(path);
    expect(readdirSync(at.directory)).toEqual([]);
  });
});

describe('nothing is remembered', () => {
  test('of a short log', async () => {
    const at = place(createFiles(), undefined, { clock: createClock() });
    const path = at.write([header, ...entries]);
    await lookAndRemember(at, path);
    expect(readdirSync(at.directory)).toEqual(['session.jsonl']);
  });

  test.each<[string, string]>([
    ['with garbage in it', `${[header, ...entries].map(line).join('')}garbage\n${line(entry(9))}`],
    ['that broke off', `${[header, ...entries].map(line).join('')}{"type":`],
    ['whose last line has no end', [header, ...entries].map(line).join('').slice(0, -1)],
    ['with pictures that lie elsewhere', [header, ...entries, picture(9)].map(line).join('')],
  ])('of a log %s', async (_, content) => {
    const at = room();
    const path = at.write(content);
    const first = await look(at, path);
    await lookAndRemember(at, path);
    expect(existsSync(`${path}.digest`)).toBe(false);
    // The warnings come again, too.
    expect(await look(at, path)).toEqual(first);
  });

  test('when the owner stands somewhere else, or has nothing to say', async () => {
    const at = room();
    const path = at.write([header, ...entries]);
    const resumed = await at.store.resume(path);
    await resumed.log.remember?.(async () => ({ leafId: entry(3).id, digest: digest(4) }));
    await resumed.log.remember?.(async () => undefined);
    await resumed.log.remember?.(async () => {
      throw new Error('nobody knows');
    });
    await resumed.log.close();
    expect(existsSync(`${path}.digest`)).toBe(false);
  });

  test.each<[string, boolean]>([
    ['before we did', true],
    ['after we did', false],
  ])('when a program that knows no locks wrote into the log %s', async (_, before) => {
    const at = room();
    const path = at.write([header, ...entries]);
    const resumed = await at.store.resume(path);
    const strange = line({ type: 'session_info', id: 'theirs', parentId: null, timestamp: 't', name: 'theirs' });
    if (before) appendFileSync(path, strange);
    await resumed.log.append([entry(9)]);
    if (!before) appendFileSync(path, strange + line(entry(9)));
    await resumed.log.remember?.(async () => ({ leafId: entry(9).id, digest: digest(10) }));
    await resumed.log.close();
    expect(existsSync(`${path}.digest`)).toBe(false);
    expect((await look(at, path)).found.name).toBe('theirs');
  });

  test('when the file was replaced while it was open', async () => {
    const at = room();
    const path = at.write([header, ...entries]);
    const resumed = await at.store.resume(path);
    renameSync(at.write([header, ...others], 'new'), path);
    await remember(resumed, 9);
    await resumed.log.close();
    expect(existsSync(`${path}.digest`)).toBe(false);
  });
});

test('what is added is remembered at the end, however soon that comes', async () => {
  const at = room();
  const path = at.write([header, ...entries]);
  await lookAndRemember(at, path);
  const resumed = await at.store.resume(path);
  await resumed.log.append([entry(9), entry(10)]);
  await resumed.log.remember?.(async () => ({ leafId: entry(10).id, name: 'given', digest: digest(11) }));
  await resumed.log.close();
  const { known, sketch, found } = await look(at, path);
  expect({ known, sketch, name: found.name, ids: found.path.length }).toEqual({
    known: true,
    sketch: [digest(11)],
    name: 'given',
    ids: 11,
  });
});

test('a log that was changed after it was opened, and before anybody read it, says so', async () => {
  const at = room();
  const path = at.write([header, ...entries]);
  await lookAndRemember(at, path);
  const resumed = await at.store.resume(path);
  truncateSync(path, line(header).length + 20);
  const refusal = { name: 'Fault', code: 'storage', message: expect.stringContaining(path) };
  expect(() => resumed.path).toThrow(expect.objectContaining(refusal));
  writeFileSync(path, line(header) + others.slice(0, 8).map(line).join('') + line({ ...others[8], id: 'ffffffff' }));
  expect(() => resumed.path).toThrow('was changed by another program. Open it again.');
  await resumed.log.close();
});

describe.each<Mishap>(['fail', 'late', 'torn', 'short', 'crash'])('%s at any operation', (mishap) => {
  test('the log is what it was, and what was remembered is right or nothing', async () => {
    for (let n = 1; ; n += 1) {
      const files = faultyFiles((operation) => (operation === n ? mishap : undefined));
      const at = room(files);
      const path = at.write([header, ...entries]);
      const story = async () => {
        const resumed = await at.store.resume(path);
        try {
          await resumed.log.append([entry(9)]);
        } finally {
          await resumed.log.remember?.(async () => ({ leafId: entry(9).id, digest: digest(10) }));
          await resumed.log.close();
        }
      };
      await story().catch((fault) => expect(fault).toMatchObject({ name: 'Fault', code: 'storage' }));
      const ended = files.total < n;
      files.heal();
      await files.release();
      rmSync(`${path}.lock`, { force: true });
      const seen = await look(room(createFiles(), at.directory), path);
      const all = [...entries, ...(seen.found.leafId === entry(9).id ? [entry(9)] : [])];
      expect([n, seen.found.path]).toEqual([n, all]);
      if (seen.known) expect(seen.sketch).toEqual([digest(10)]);
      if (ended) return expect(seen.known).toBe(true);
    }
  }, 60_000);
});

function picture(n: number): SessionEntry {
  const image = { type: 'image', data: `blob:sha256:${'a'.repeat(64)}`, mimeType: 'image/png' };
  const message = { role: 'user', content: [image], timestamp: n };
  return { ...entry(n), message } as unknown as SessionEntry;
}
