// isRunOpen: whether the last run on a path has ended, for complete, aborted and interrupted runs.
import { expect, test } from 'vitest';
import type { LazyPathEntry, UnreadMessage } from '../../../src/contracts/index.ts';
import { createDigest } from '../../../src/core/session/create-digest.ts';
import { isRunOpen } from '../../../src/core/tree/is-run-open.ts';
import type { AgentMessage, SessionEntry } from '../../../src/protocol/index.ts';
import { assistant, bash, call, compactionBody, createPath, result, text, user } from '../entries.ts';

const prompt = user([text('go')]);
const calls = assistant([call('a'), call('b')], { stopReason: 'toolUse' });
const custom = (customType: string) => ({ type: 'custom', customType }) as const;
const customMessage = (customType: string) => ({ type: 'custom_message', customType, content: 'x' }) as const;
const ruleAnswer = assistant('x', { stopReason: 'aborted', errorMessage: 'Interrupted by a rule' });

type Body = AgentMessage | ({ type: SessionEntry['type'] } & Record<string, unknown>);

const rows: [string, boolean, Body[]][] = [
  ['no entries', false, []],
  ['a prompt', true, [prompt]],
  ['a prompt and a compaction before the request', true, [prompt, compactionBody('e0'), custom('parley.checkpoint')]],
  ['a prompt and the message of a hook', true, [prompt, customMessage('hook')]],
  ['an answer', false, [prompt, assistant('done')]],
  ['an answer that reached the length limit', false, [prompt, assistant('do', { stopReason: 'length' })]],
  ['calls without results', true, [prompt, calls]],
  ['calls with some results', true, [prompt, calls, result('a')]],
  ['calls with all results', true, [prompt, calls, result('a'), result('b')]],
  ['results at which the run ended', false, [prompt, calls, result('a'), result('b'), custom('parley.run_end')]],
  ['an error', false, [prompt, assistant('', { stopReason: 'error', errorMessage: 'down' })]],
  ['an abort', false, [prompt, calls, result('a'), result('b'), assistant([], { stopReason: 'aborted' })]],
  ['an aborted answer with calls', false, [prompt, { ...calls, stopReason: 'aborted' }, result('a')]],
  ['an answer that a rule interrupted', true, [prompt, ruleAnswer]],
  [
    'the reminder of a rule',
    true,
    [prompt, assistant('x', { stopReason: 'aborted' }), customMessage('ttsr-injection')],
  ],
  ['a reminder of the todo list', true, [prompt, assistant('x'), customMessage('todo-reminder')]],
  ['a message of an extension after the run', false, [prompt, assistant('x'), customMessage('other')]],
  ['output of a shell command after the run', false, [prompt, assistant('x'), bash('ls', '')]],
  ['output of a shell command after the crash', true, [prompt, bash('ls', '')]],
  ['a queued message after the run', false, [prompt, assistant('x'), custom('parley.queue')]],
  [
    'a failed answer before its retry',
    true,
    [prompt, assistant('', { stopReason: 'error' }), custom('parley.next_step')],
  ],
  ['a retry that was not done', false, [prompt, custom('parley.next_step'), custom('parley.run_end')]],
  ['a call that was started', true, [prompt, calls, custom('parley.tool_start')]],
  ['a start after the run', false, [prompt, assistant('x'), custom('parley.tool_start')]],
  ['a move to results', false, [prompt, calls, result('a'), result('b'), custom('parley.moved')]],
  ['a move with a summary', false, [prompt, calls, { type: 'branch_summary', fromId: 'e1', summary: 's' }]],
  ['an answer of another program', false, [prompt, assistant('ok' as never)]],
];

test.each(rows)('%s: %s', (_, expected, bodies) => {
  const path = createPath(...bodies);
  expect(isRunOpen(path)).toBe(expected);
  expect(isRunOpen(path.map(toUnread))).toBe(expected);
  const digest = createDigest(path);
  expect(isRunOpen(digest ? [digest] : path)).toBe(expected);
});

test('only the newest answer is read', () => {
  const readIds: string[] = [];
  const path = createPath(prompt, calls, result('a'), result('b')).map((entry) => {
    const unread = toUnread(entry) as UnreadMessage;
    const read = () => {
      readIds.push(unread.id);
      return entry;
    };
    return { ...unread, read };
  });
  expect(isRunOpen(path)).toBe(true);
  expect(readIds).toEqual(['e1']);
});

function toUnread(entry: SessionEntry): LazyPathEntry {
  if (entry.type !== 'message') return entry;
  const { role } = entry.message as AgentMessage;
  return { type: 'unread', id: entry.id, role, read: () => entry, containsText: () => false };
}
