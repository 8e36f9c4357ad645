// Conversation: lazy loading of messages, unique ids and digests.
import { describe, expect, test } from 'vitest';
import { createDeferred } from '../../../src/base/index.ts';
import type { Digest, DigestRecord, ResumedSession, SessionLog, UnreadMessage } from '../../../src/contracts/index.ts';
import { Conversation } from '../../../src/core/tree/conversation.ts';
import type { SessionEntry, SessionHeader } from '../../../src/protocol/index.ts';
import { createFakeClock } from '../../../src/testing/index.ts';
import { assistant, compactionBody, createPath, user } from '../entries.ts';

const header: SessionHeader = { type: 'session', version: 3, id: 's', timestamp: '', cwd: '/project' };

function createLazySession(entries: readonly SessionEntry[]) {
  let readCount = 0;
  const lazyPath = entries.map((entry): SessionEntry | UnreadMessage => {
    if (entry.type !== 'message') return entry;
    const read = () => {
      readCount += 1;
      return entry;
    };
    return { type: 'unread', id: entry.id, role: entry.message.role, read, containsText: () => false };
  });
  const resumed = {
    lazyPath,
    get path() {
      return lazyPath.map((entry) => (entry.type === 'unread' ? entry.read() : entry) as SessionEntry);
    },
    leafId: entries.at(-1)?.id ?? null,
  };
  return { resumed, readCount: () => readCount };
}

function createConversation(
  resumed: Pick<ResumedSession, 'path' | 'lazyPath' | 'leafId'>,
  ids: string[],
  logMethods: Partial<SessionLog> = {},
) {
  const appended: SessionEntry[] = [];
  const append = async (entries: readonly SessionEntry[]) => void appended.push(...entries);
  const log: Partial<SessionLog> = { file: undefined, append, ...logMethods };
  const ports = {
    clock: createFakeClock(),
    ids: { uuid: () => 'u', entryId: () => ids.shift() ?? 'none' },
    onStorageStatus() {},
  };
  return { conversation: new Conversation(header, log as SessionLog, ports, resumed), appended };
}

test('counting and adding read no message; the first access to the messages reads each once', async () => {
  const { resumed, readCount } = createLazySession(
    createPath(user('one'), assistant('two'), compactionBody('e1'), user('three')),
  );
  const { conversation } = createConversation(resumed, ['n1', 'n2']);
  expect(conversation.messageCount).toBe(3);
  await conversation.commit([{ type: 'session_info', name: 'a name' }]);
  await conversation.commit([{ type: 'message', message: user('four') }]);
  expect([conversation.messageCount, conversation.leafId, readCount()]).toEqual([4, 'n2', 0]);
  expect(conversation.messages.map(({ role }) => role)).toEqual(['compactionSummary', 'assistant', 'user', 'user']);
  expect(conversation.path.map(({ id }) => id)).toEqual(['e0', 'e1', 'e2', 'e3', 'n1', 'n2']);
  expect([conversation.messageCount, readCount()]).toEqual([4, 3]);
});

test('an id that is already used is not generated again', async () => {
  const { resumed } = createLazySession(createPath(user('one')));
  const { conversation, appended } = createConversation(resumed, ['e0', 'a', 'a', 'e0', 'b']);
  await conversation.commit([
    { type: 'session_info', name: 'x' },
    { type: 'session_info', name: 'y' },
  ]);
  expect(appended.map(({ id, parentId }) => [id, parentId])).toEqual([
    ['a', 'e0'],
    ['b', 'a'],
  ]);
});

const digest: Digest = { type: 'digest', messages: 3 };

/** A log that records the digests that are written. */
function createDigestLog() {
  const digests: (DigestRecord | undefined)[] = [];
  const writeDigest: SessionLog['writeDigest'] = async (create) => void digests.push(await create());
  return { digests, writeDigest };
}

function createDigestedSession(entries: readonly SessionEntry[]) {
  let readCount = 0;
  const resumed = {
    lazyPath: [digest],
    get path() {
      readCount += 1;
      return entries;
    },
    leafId: entries.at(-1)?.id ?? null,
  };
  return { resumed, readCount: () => readCount };
}

test('messages can be counted with the digest alone; the entries are read before a new one is added', async () => {
  const { resumed, readCount } = createDigestedSession(createPath(user('one'), assistant('two'), user('three')));
  const { conversation, appended } = createConversation(resumed, ['e1', 'n1', 'n2', 'n3']);
  expect([conversation.messageCount, conversation.lazyPath, conversation.leafId, readCount()]).toEqual([
    3,
    [digest],
    'e2',
    0,
  ]);
  await conversation.commit([{ type: 'session_info', name: 'a name' }]);
  expect([readCount(), appended[0]?.id, appended[0]?.parentId]).toEqual([1, 'n1', 'e2']);
  await conversation.commit([{ type: 'compaction', summary: 's', firstKeptEntryId: 'e1', tokensBefore: 9 }]);
  expect(conversation.path.map(({ id }) => id)).toEqual(['e1', 'e2', 'n1', 'n2']);
  expect([conversation.messageCount, readCount()]).toEqual([3, 1]);
});

test('a digest is written for a log without one, and on close if there are new entries', async () => {
  const request = (isClosing: boolean) => ({ isClosing, name: 'a name', createDigest: async () => digest });
  const record = (leafId: string) => ({ leafId, name: 'a name', digest });
  const withDigest = createDigestedSession(createPath(user('one')));
  const log = createDigestLog();
  const first = createConversation(withDigest.resumed, ['n1'], log).conversation;
  await first.saveDigest(request(false));
  await first.saveDigest(request(true));
  expect([log.digests, withDigest.readCount()]).toEqual([[], 0]);
  await first.commit([{ type: 'session_info', name: 'x' }]);
  await first.saveDigest(request(false));
  expect(log.digests).toEqual([]);
  await first.saveDigest(request(true));
  expect(log.digests).toEqual([record('n1')]);
  const otherLog = createDigestLog();
  const second = createConversation(createLazySession(createPath(user('one'))).resumed, [], otherLog).conversation;
  await second.saveDigest(request(false));
  expect(otherLog.digests).toEqual([record('e0')]);
});

test('no digest is written while entries are unsaved, and a failed write is ignored', async () => {
  const log = createDigestLog();
  const { conversation } = createConversation(createLazySession(createPath(user('one'))).resumed, ['n1'], log);
  conversation.appendDeferred([{ type: 'session_info', name: 'x' }]);
  await conversation.saveDigest({ isClosing: true, name: 'x', createDigest: async () => digest });
  expect(log.digests).toEqual([]);
  await createConversation({ path: [], leafId: null }, [], log).conversation.saveDigest({
    isClosing: true,
    name: undefined,
    createDigest: async () => digest,
  });
  expect(log.digests).toEqual([]);
  const failingLog = { writeDigest: async () => Promise.reject(new Error('no')) };
  const other = createConversation(createLazySession(createPath(user('one'))).resumed, ['n1'], failingLog).conversation;
  await other.saveDigest({ isClosing: true, name: undefined, createDigest: async () => digest });
});

describe('a deferred entry during a write', () => {
  /** A conversation whose first write waits for `finishWrite`. */
  function createSlowConversation() {
    const write = createDeferred();
    const written: SessionEntry[] = [];
    const append = async (entries: readonly SessionEntry[]) => {
      if (written.length === 0) await write.promise;
      written.push(...entries);
    };
    const { resumed } = createLazySession(createPath(user('one')));
    const { conversation } = createConversation(resumed, ['a', 'b', 'c'], { append });
    const first = conversation.commit([{ type: 'session_info', name: 'x' }]);
    const describeWritten = () => written.map(({ id, parentId }) => [id, parentId]);
    return { conversation, first, write, describeWritten };
  }

  test('is written with the next entries, after the entry that was being written', async () => {
    const { conversation, first, write, describeWritten } = createSlowConversation();
    await Promise.resolve();
    conversation.appendDeferred([{ type: 'thinking_level_change', thinkingLevel: 'high' }]);
    write.resolve();
    await first;
    await conversation.commit([{ type: 'session_info', name: 'y' }]);
    expect(describeWritten()).toEqual([
      ['a', 'e0'],
      ['b', 'a'],
      ['c', 'b'],
    ]);
  });

  test('does not get a parent whose write fails', async () => {
    const { conversation, first, write, describeWritten } = createSlowConversation();
    await Promise.resolve();
    conversation.appendDeferred([{ type: 'thinking_level_change', thinkingLevel: 'high' }]);
    write.reject(new Error('disk full'));
    await expect(first).rejects.toThrow('disk full');
    write.promise.catch(() => {});
    expect(conversation.path.map(({ id, parentId }) => [id, parentId])).toEqual([
      ['e0', null],
      ['b', 'e0'],
    ]);
    expect(describeWritten()).toEqual([]);
  });
});
