// The subagents of a session in the view of the page.
import { describe, expect, test } from 'vitest';
import { reduceFrame } from '../../web/src/store/reduce-frame.ts';
import { createSessionView, type SessionView } from '../../web/src/store/session-view.ts';
import type { IncomingFrame } from '../../web/src/wire/server-frames.ts';
import { assistant, attached, snapshot, user } from './frames.ts';

function reduceAll(frames: readonly object[], start = createSessionView('s1')): SessionView {
  return frames.reduce<SessionView>((view, frame) => reduceFrame(view, frame as IncomingFrame), start);
}

const loaded = reduceAll([attached(), snapshot()]);
const identity = { index: 0, agent: 'task', agentSource: 'bundled', parentToolCallId: 'c1' };
const started = {
  type: 'subagent_lifecycle',
  payload: { id: 'A', ...identity, description: 'Look', status: 'started' },
};
const inner = (event: object) => ({ type: 'subagent_event', payload: { id: 'A', event } });

describe('a subagent', () => {
  test('is known from its first event on, with the call that started it', () => {
    const view = reduceAll([{ type: 'subagent_start', id: 'A', agent: 'task', isolated: true }, started], loaded);
    expect(view.subagents.get('A')).toMatchObject({
      ...{ id: 'A', agent: 'task', parentToolCallId: 'c1', description: 'Look', status: 'running', isIsolated: true },
    });
  });

  test('has progress', () => {
    const progress = {
      id: 'A',
      index: 0,
      agent: 'task',
      status: 'running',
      toolCount: 3,
      recentTools: [],
      recentOutput: [],
    };
    const payload = { ...identity, task: 'Long prompt', assignment: 'Short', progress };
    const view = reduceAll([started, { type: 'subagent_progress', payload }], loaded);
    expect(view.subagents.get('A')).toMatchObject({ task: 'Short', progress: { toolCount: 3 } });
  });

  test('has its own conversation, which does not mix with that of the session', () => {
    const messages = [user('Task'), assistant('Result')].map((message) => inner({ type: 'message_end', message }));
    const view = reduceAll([started, ...messages], loaded);
    expect(view.subagents.get('A')?.conversation.messages).toEqual([user('Task'), assistant('Result')]);
    expect(view.conversation.messages).toEqual([]);
  });

  test('a subagent of a subagent belongs to it', () => {
    const nested = { type: 'subagent_lifecycle', payload: { id: 'B', ...identity, status: 'started' } };
    const view = reduceAll([started, inner(nested)], loaded);
    expect(view.subagents.get('B')).toMatchObject({ parentId: 'A' });
    expect(view.subagents.get('A')).toMatchObject({ parentId: undefined });
  });

  test.each([
    [{ exitCode: 0 }, 'completed'],
    [{ exitCode: 1, error: 'E' }, 'failed'],
    [{ exitCode: 1, aborted: true }, 'aborted'],
  ])('ends: %o', (fields, status) => {
    const view = reduceAll([started, { type: 'subagent_end', id: 'A', agent: 'task', ...fields }], loaded);
    expect(view.subagents.get('A')?.status).toBe(status);
  });

  test('shows each command of its verification', () => {
    const command = { id: 'A', attempt: 1, commandName: 'test' };
    const view = reduceAll(
      [
        started,
        { type: 'subagent_verification_start', id: 'A', attempt: 1 },
        { type: 'subagent_verification_command_start', ...command },
        { type: 'subagent_verification_command_end', ...command, exitCode: 1, durationMs: 5 },
        { type: 'subagent_verification_command_start', ...command, commandName: 'lint' },
        { type: 'subagent_verification_end', id: 'A', attempt: 1, status: 'failed' },
      ],
      loaded,
    );
    expect(view.subagents.get('A')?.attempts).toEqual([
      {
        ...{ attempt: 1, status: 'failed' },
        commands: [
          { name: 'test', status: 'failed', durationMs: 5 },
          { name: 'lint', status: 'running', durationMs: undefined },
        ],
      },
    ]);
  });

  test('after a reconnection its conversation is loaded again, unless it has ended', () => {
    const message = inner({ type: 'message_end', message: user('Task') });
    const running = reduceAll([started, message], loaded);
    expect(reduceAll([attached()], running).subagents.get('A')?.conversation.messages).toEqual([]);
    const ended = reduceAll([{ type: 'subagent_end', id: 'A', agent: 'task', exitCode: 0 }], running);
    expect(reduceAll([attached()], ended).subagents.get('A')?.conversation.messages).toHaveLength(1);
  });
});
