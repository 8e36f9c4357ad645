// What was said is read when somebody asks, no id is given twice, and nobody can tell the difference.
import { expect, test } from 'vitest';
import type { Digest, Remembered, ResumedSession, SessionLog, UnreadMessage } from '../../../src/contracts/index.ts';
import { Conversation } from '../../../src/core/tree/conversation.ts';
import type { SessionEntry, SessionHeader } from '../../../src/protocol/index.ts';
import { createFakeClock } from '../../../src/testing/index.ts';
import { assistant, compacted, line, user } from '../entries.ts';

const header: SessionHeader = { type: 'session', version: 3, id: 's', timestamp: '', cwd: '/project' };

function unreadOf(entries: readonly SessionEntry[]) {
  let reads = 0;
  const sketch = entries.map((entry): SessionEntry | UnreadMessage => {
    if (entry.type !== 'message') return entry;
    const read = () => {
      reads += 1;
      return entry;
    };
    return { type: 'unread', id: entry.id, role: entry.message.role, read, mentions: () => false };
  });
  const resumed = {
    sketch,
    get path() {
      return sketch.map((entry) => (entry.type === 'unread' ? entry.read() : entry) as SessionEntry);
    },
    leafId: entries.at(-1)?.id ?? null,
  };
  return { resumed, reads: () => reads };
}

function conversationOf(
  resumed: Pick<ResumedSession, 'path' | 'sketch' | 'leafId'>,
  ids: string[],
  more: Partial<SessionLog> = {},
) {
  const appended: SessionEntry[] = [];
  const append = async (entries: readonly SessionEntry[]) => void appended.push(...entries);
  const log: Partial<SessionLog> = { file: undefined, append, ...more };
  const ports = {
    clock: createFakeClock(),
    ids: { uuid: () => 'u', entry: () => ids.shift() ?? 'none' },
    onStorage() {},
  };
  return { conversation: new Conversation(header, log as SessionLog, ports, resumed), appended };
}

test('counting and adding read nothing; asking what was said reads everything once', async () => {
  const { resumed, reads } = unreadOf(line(user('one'), assistant('two'), compacted('e1'), user('three')));
  const { conversation } = conversationOf(resumed, ['n1', 'n2']);
  expect(conversation.count).toBe(3);
  await conversation.commit([{ type: 'session_info', name: 'a name' }]);
  await conversation.commit([{ type: 'message', message: user('four') }]);
  expect([conversation.count, conversation.leafId, reads()]).toEqual([4, 'n2', 0]);
  expect(conversation.messages.map(({ role }) => role)).toEqual(['compactionSummary', 'assistant', 'user', 'user']);
  expect(conversation.path.map(({ id }) => id)).toEqual(['e0', 'e1', 'e2', 'e3', 'n1', 'n2']);
  expect([conversation.count, reads()]).toEqual([4, 3]);
});

test('an id that is taken is not given again', async () => {
  const { resumed } = unreadOf(line(user('one')));
  const { conversation, appended } = conversationOf(resumed, ['e0', 'a', 'a', 'e0', 'b']);
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

/** A log that says what it was asked to remember. */
function rememberingLog() {
  const kept: (Remembered | undefined)[] = [];
  const remember: SessionLog['remember'] = async (about) => void kept.push(await about());
  return { kept, remember };
}

function digested(entries: readonly SessionEntry[]) {
  let reads = 0;
  const resumed = {
    sketch: [digest],
    get path() {
      reads += 1;
      return entries;
    },
    leafId: entries.at(-1)?.id ?? null,
  };
  return { resumed, reads: () => reads };
}

test('a digest is enough to count; what it stands for is read before something follows it', async () => {
  const { resumed, reads } = digested(line(user('one'), assistant('two'), user('three')));
  const { conversation, appended } = conversationOf(resumed, ['e1', 'n1', 'n2', 'n3']);
  expect([conversation.count, conversation.sketch, conversation.leafId, reads()]).toEqual([3, [digest], 'e2', 0]);
  await conversation.commit([{ type: 'session_info', name: 'a name' }]);
  expect([reads(), appended[0]?.id, appended[0]?.parentId]).toEqual([1, 'n1', 'e2']);
  await conversation.commit([{ type: 'compaction', summary: 's', firstKeptEntryId: 'e1', tokensBefore: 9 }]);
  expect(conversation.path.map(({ id }) => id)).toEqual(['e1', 'e2', 'n1', 'n2']);
  expect([conversation.count, reads()]).toEqual([3, 1]);
});

test('what is new is remembered: soon after a log was read, and at the end', async () => {
  const about = (isEnd: boolean) => ({ isEnd, name: 'a name', digest: async () => digest });
  const remembered = (leafId: string) => ({ leafId, name: 'a name', digest });
  const known = digested(line(user('one')));
  const log = rememberingLog();
  const first = conversationOf(known.resumed, ['n1'], log).conversation;
  await first.remember(about(false));
  await first.remember(about(true));
  expect([log.kept, known.reads()]).toEqual([[], 0]);
  await first.commit([{ type: 'session_info', name: 'x' }]);
  await first.remember(about(false));
  expect(log.kept).toEqual([]);
  await first.remember(about(true));
  expect(log.kept).toEqual([remembered('n1')]);
  const fresh = rememberingLog();
  const second = conversationOf(unreadOf(line(user('one'))).resumed, [], fresh).conversation;
  await second.remember(about(false));
  expect(fresh.kept).toEqual([remembered('e0')]);
});

test('what is not on the disk is not remembered, and nobody hears of what goes wrong', async () => {
  const log = rememberingLog();
  const { conversation } = conversationOf(unreadOf(line(user('one'))).resumed, ['n1'], log);
  conversation.note([{ type: 'session_info', name: 'x' }]);
  await conversation.remember({ isEnd: true, name: 'x', digest: async () => digest });
  expect(log.kept).toEqual([]);
  await conversationOf({ path: [], leafId: null }, [], log).conversation.remember({
    isEnd: true,
    name: undefined,
    digest: async () => digest,
  });
  expect(log.kept).toEqual([]);
  const refusing = { remember: async () => Promise.reject(new Error('no')) };
  const other = conversationOf(unreadOf(line(user('one'))).resumed, ['n1'], refusing).conversation;
  await other.remember({ isEnd: true, name: undefined, digest: async () => digest });
});
