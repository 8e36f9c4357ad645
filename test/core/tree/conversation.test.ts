// What was said is read when somebody asks, no id is given twice, and nobody can tell the difference.
import { expect, test } from 'vitest';
import type { ResumedSession, SessionLog, UnreadMessage } from '../../../src/contracts/index.ts';
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

function conversationOf(resumed: Pick<ResumedSession, 'path' | 'sketch' | 'leafId'>, ids: string[]) {
  const appended: SessionEntry[] = [];
  const log = { file: undefined, append: async (entries) => void appended.push(...entries) } as Partial<SessionLog>;
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
