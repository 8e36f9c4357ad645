// conversation_changed: sent once after each replacement of the path, and by no dialect on its own.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dialectNames, loadDialect } from '../../../src/dialects/index.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import { openSession, type SessionFixture, type SessionFixtureOptions } from './session-fixture.ts';

const answers = Array.from({ length: 10 }, () => ({ text: 'ok' }));
const changesOf = ({ events }: SessionFixture) => events.filter(({ type }) => type === 'conversation_changed');

async function openWithTwoPrompts(options: Partial<SessionFixtureOptions> = {}): Promise<SessionFixture> {
  const directory = createTemporaryDirectory();
  const fixture = await openSession({ directory, script: answers, ...options });
  await fixture.prompt('one');
  await fixture.prompt('two');
  expect(changesOf(fixture)).toEqual([]);
  return fixture;
}

const switches: [string, (fixture: SessionFixture) => Promise<unknown>][] = [
  ['new_session', ({ session }) => session.history.startNew({})],
  ['clone', ({ session }) => session.history.clone()],
  [
    'branch',
    async ({ session }) => {
      const [, second] = await session.history.branchPoints();
      await session.history.branch(second?.entryId ?? '');
    },
  ],
  [
    'open_session',
    async ({ session }) => {
      const other = join(session.cwd, 'other');
      mkdirSync(other);
      await session.history.openDirectory(other);
    },
  ],
];

test.each(switches)('%s sends it once, with the new session', async (_, replace) => {
  const fixture = await openWithTwoPrompts();
  const oldId = fixture.session.id;
  await replace(fixture);
  expect(fixture.session.id).not.toBe(oldId);
  const { leafId } = fixture.session.entries;
  expect(changesOf(fixture)).toEqual([
    { type: 'conversation_changed', sessionId: fixture.session.id, leafId, reason: 'switched' },
  ]);
  await fixture.session.close();
});

test('switch_session sends it once, and not for the session that is open already', async () => {
  const fixture = await openWithTwoPrompts();
  const { file, id } = fixture.session;
  await fixture.session.history.switchTo(file as string);
  expect(changesOf(fixture)).toEqual([]);
  await fixture.session.history.startNew({});
  await fixture.session.history.switchTo(file as string);
  expect(changesOf(fixture)).toMatchObject([{ reason: 'switched' }, { reason: 'switched', sessionId: id }]);
  await fixture.session.close();
});

test('a move to another entry sends it once, with the new leaf', async () => {
  const fixture = await openWithTwoPrompts();
  const [, second] = await fixture.session.history.branchPoints();
  await fixture.session.history.moveTo(second?.entryId ?? '');
  const { leafId } = fixture.session.entries;
  expect(changesOf(fixture)).toEqual([
    { type: 'conversation_changed', sessionId: fixture.session.id, leafId, reason: 'moved' },
  ]);
  await fixture.session.close();
});

test('a cancelled switch and a cancelled move send nothing', async () => {
  const cancel = async () => ({ cancel: true });
  const hooks = [{ beforeSwitch: cancel, beforeMove: cancel }];
  const fixture = await openWithTwoPrompts({ hooks });
  const [, second] = await fixture.session.history.branchPoints();
  await fixture.session.history.startNew({});
  await fixture.session.history.moveTo(second?.entryId ?? '');
  expect(changesOf(fixture)).toEqual([]);
  await fixture.session.close();
});

test('a compaction sends it once, before compaction_end; a refused compaction sends nothing', async () => {
  const fixture = await openWithTwoPrompts({ keepRecentTokens: 1 });
  await fixture.session.compaction.compact();
  const { leafId } = fixture.session.entries;
  const types = fixture.events.map(({ type }) => type);
  expect(changesOf(fixture)).toEqual([
    { type: 'conversation_changed', sessionId: fixture.session.id, leafId, reason: 'compacted' },
  ]);
  expect(types.slice(-2)).toEqual(['conversation_changed', 'compaction_end']);
  await expect(fixture.session.compaction.compact()).rejects.toThrow('Already compacted');
  expect(changesOf(fixture)).toHaveLength(1);
  await fixture.session.close();
});

test('an automatic compaction sends it once', async () => {
  const directory = createTemporaryDirectory();
  const full = { input: 199_000, output: 10 };
  const script = [{ text: 'one' }, { text: 'two', usage: full }, { text: 'summary' }, { text: 'three' }];
  const fixture = await openSession({ directory, script, keepRecentTokens: 1 });
  fixture.session.compaction.isAutomatic = true;
  await fixture.prompt('first');
  await fixture.prompt('second');
  await fixture.session.runs.waitUntilSettled();
  const types = fixture.events.map(({ type }) => type).filter((type) => /compaction|changed/.test(type));
  expect(types).toEqual(['auto_compaction_start', 'conversation_changed', 'auto_compaction_end']);
  await fixture.session.close();
});

test.each(dialectNames)('%s does not send it', async (name) => {
  const dialect = await loadDialect(name);
  expect(dialect.events).not.toContain('conversation_changed');
  const codec = dialect.createCodec({ version: '0', stream: 'full' });
  const event = { type: 'conversation_changed', sessionId: 's', leafId: null, reason: 'moved' } as const;
  expect(codec.encodeEvent(event, undefined)).toBe(undefined);
});
