// What a session that is gone on with finds in its log: model, level, and what waits to be delivered.
import { describe, expect, test } from 'vitest';
import { CHECKPOINT_ENTRY, QUEUE_ENTRY, restored, SHELL_ENTRY } from '../../../src/core/session/restored.ts';
import type { SessionEntry } from '../../../src/protocol/index.ts';
import { assistant, bash, line, said, text, user } from '../entries.ts';

const custom = (customType: string, data?: unknown) => ({ type: 'custom' as const, customType, data });
const waiting = (id: string, kind = 'followUp') => ({ id, kind, message: user([text(id)]) });
const queued = (id: string, kind?: string) => custom(QUEUE_ENTRY, { op: 'add', ...waiting(id, kind) });
const held = (id: string) => ({ id, message: bash('ls', id) });
const delivered = (id: string) => ({ ...said(user([text(id)])), queueId: id });
const idsOf = (path: SessionEntry[]) => {
  const state = restored(path);
  return { queued: state.queued.map(({ id }) => id), held: state.held.map(({ id }) => id) };
};

describe('the queue', () => {
  test('what was added waits, in order, until it is delivered or cleared', () => {
    const path = line(queued('a', 'steer'), queued('b'), queued('c'), delivered('a'), queued('d'));
    expect(idsOf(path).queued).toEqual(['b', 'c', 'd']);
    expect(restored(path).queued[0]).toEqual(waiting('b'));
    const cleared = line(queued('a'), queued('b'), custom(QUEUE_ENTRY, { op: 'clear', ids: ['a', 'zz'] }));
    expect(idsOf(cleared).queued).toEqual(['b']);
  });

  test('a message that is delivered before its entry is known stays delivered', () => {
    expect(idsOf(line(delivered('a'), queued('b'))).queued).toEqual(['b']);
  });

  test('a command’s output is held until the prompt that it goes with', () => {
    const path = line(custom(SHELL_ENTRY, held('h1')), custom(SHELL_ENTRY, held('h2')), {
      ...said(bash('ls', 'h1')),
      queueId: 'h1',
    });
    expect(idsOf(path)).toEqual({ queued: [], held: ['h2'] });
  });

  test('a checkpoint says it anew; what came before does not count', () => {
    const checkpoint = { queued: [waiting('kept')], held: [held('h1')] };
    const path = line(queued('forgotten'), custom(CHECKPOINT_ENTRY, checkpoint), queued('later'), delivered('kept'));
    expect(idsOf(path)).toEqual({ queued: ['later'], held: ['h1'] });
  });
});

describe('model and level', () => {
  test('the newest choice, or the model of the newest answer', () => {
    const change = { type: 'model_change' as const, provider: 'p', modelId: 'm' };
    const level = { type: 'thinking_level_change' as const, thinkingLevel: 'high' };
    expect(restored(line(assistant('a'), change, level))).toMatchObject({
      model: { provider: 'p', modelId: 'm' },
      thinkingLevel: 'high',
    });
    expect(restored(line(change, assistant('a'))).model).toEqual({ provider: 'house', modelId: 'one' });
    expect(restored([])).toEqual({ model: undefined, thinkingLevel: undefined, queued: [], held: [] });
  });

  test('from a checkpoint, until they are changed again', () => {
    const checkpoint = custom(CHECKPOINT_ENTRY, { model: { provider: 'p', modelId: 'm' }, thinkingLevel: 'high' });
    expect(restored(line(checkpoint))).toMatchObject({ model: { modelId: 'm' }, thinkingLevel: 'high' });
    const later = { type: 'thinking_level_change' as const, thinkingLevel: 'low' };
    expect(restored(line(checkpoint, later))).toMatchObject({ model: { modelId: 'm' }, thinkingLevel: 'low' });
    // One from before checkpoints said so.
    const old = line({ type: 'model_change', provider: 'p', modelId: 'm' }, custom(CHECKPOINT_ENTRY, { queued: [] }));
    expect(restored(old).model).toEqual({ provider: 'p', modelId: 'm' });
  });

  test('a level that nobody knows is passed over', () => {
    expect(restored(line({ type: 'thinking_level_change', thinkingLevel: 'max' })).thinkingLevel).toBeUndefined();
  });
});

describe('what somebody else wrote under our names breaks nothing', () => {
  const junk = [undefined, null, 7, 'text', [], {}, { op: 'add' }, { op: 'add', id: 'a' }, { op: 'clear', ids: 'abc' }];
  const more = [{ queued: {} }, { queued: [null, { id: 7 }], held: 'x' }, { model: 'm', thinkingLevel: 3 }];
  const entries = [...junk, ...more].flatMap((data) =>
    [QUEUE_ENTRY, SHELL_ENTRY, CHECKPOINT_ENTRY, '__proto__', 'constructor'].map((type) => custom(type, data)),
  );

  test.each(entries)('%j', (entry) => {
    const state = restored(line({ type: 'model_change', provider: 'p', modelId: 'm' }, entry, queued('good')));
    expect(state.queued.map(({ id }) => id)).toEqual(['good']);
    expect(state.held).toEqual([]);
    expect(state.model).toEqual({ provider: 'p', modelId: 'm' });
  });
});
