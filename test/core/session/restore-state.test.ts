// restoreState: model, thinking level, queued messages and held shell output from the log.
import { describe, expect, test } from 'vitest';
import { CHECKPOINT_ENTRY, QUEUE_ENTRY, restoreState, SHELL_ENTRY } from '../../../src/core/session/restore-state.ts';
import type { SessionEntry } from '../../../src/protocol/index.ts';
import { assistant, bash, createPath, messageBody, text, user } from '../entries.ts';

const custom = (customType: string, data?: unknown) => ({ type: 'custom' as const, customType, data });
const queuedItem = (id: string, kind = 'followUp') => ({ id, kind, message: user([text(id)]) });
const queued = (id: string, kind?: string) => custom(QUEUE_ENTRY, { op: 'add', ...queuedItem(id, kind) });
const heldItem = (id: string) => ({ id, message: bash('ls', id) });
const delivered = (id: string) => ({ ...messageBody(user([text(id)])), queueId: id });
const restoreIds = (path: SessionEntry[]) => {
  const state = restoreState(path);
  return { queued: state.queued.map(({ id }) => id), held: state.held.map(({ id }) => id) };
};

describe('the queue', () => {
  test('added messages stay queued, in order, until they are delivered or cleared', () => {
    const path = createPath(queued('a', 'steer'), queued('b'), queued('c'), delivered('a'), queued('d'));
    expect(restoreIds(path).queued).toEqual(['b', 'c', 'd']);
    expect(restoreState(path).queued[0]).toEqual(queuedItem('b'));
    const cleared = createPath(queued('a'), queued('b'), custom(QUEUE_ENTRY, { op: 'clear', ids: ['a', 'zz'] }));
    expect(restoreIds(cleared).queued).toEqual(['b']);
  });

  test('messages are edited and moved', () => {
    const edit = (id: string, message: unknown) => custom(QUEUE_ENTRY, { op: 'edit', id, message });
    const move = (id: string, kind: string, before: string | null) =>
      custom(QUEUE_ENTRY, { op: 'move', id, kind, before });
    const path = createPath(
      ...[
        queued('a'),
        queued('b'),
        queued('c', 'steer'),
        edit('b', user([text('new')])),
        edit('zz', user([text('x')])),
      ],
      ...[
        move('c', 'followUp', 'a'),
        move('a', 'steer', null),
        move('b', 'followUp', 'gone'),
        move('zz', 'steer', 'a'),
      ],
    );
    expect(restoreState(path).queued).toEqual([
      { ...queuedItem('c'), kind: 'followUp' },
      { ...queuedItem('a'), kind: 'steer' },
      { ...queuedItem('b'), message: user([text('new')]) },
    ]);
  });

  test('a delivered message without a queue entry is ignored', () => {
    expect(restoreIds(createPath(delivered('a'), queued('b'))).queued).toEqual(['b']);
  });

  test('shell output is held until it is delivered', () => {
    const path = createPath(custom(SHELL_ENTRY, heldItem('h1')), custom(SHELL_ENTRY, heldItem('h2')), {
      ...messageBody(bash('ls', 'h1')),
      queueId: 'h1',
    });
    expect(restoreIds(path)).toEqual({ queued: [], held: ['h2'] });
  });

  test('a checkpoint replaces the state before it', () => {
    const checkpoint = { queued: [queuedItem('kept')], held: [heldItem('h1')] };
    const path = createPath(
      queued('earlier'),
      custom(CHECKPOINT_ENTRY, checkpoint),
      queued('later'),
      delivered('kept'),
    );
    expect(restoreIds(path)).toEqual({ queued: ['later'], held: ['h1'] });
  });
});

describe('model and level', () => {
  test('are the newest choice, or the model of the newest answer', () => {
    const change = { type: 'model_change' as const, provider: 'p', modelId: 'm' };
    const level = { type: 'thinking_level_change' as const, thinkingLevel: 'high' };
    expect(restoreState(createPath(assistant('a'), change, level))).toMatchObject({
      model: { provider: 'p', modelId: 'm' },
      thinkingLevel: 'high',
    });
    expect(restoreState(createPath(change, assistant('a'))).model).toEqual({
      provider: 'test-provider',
      modelId: 'one',
    });
    expect(restoreState([])).toEqual({ model: undefined, thinkingLevel: undefined, queued: [], held: [] });
  });

  test('come from a checkpoint until they are changed again', () => {
    const checkpoint = custom(CHECKPOINT_ENTRY, { model: { provider: 'p', modelId: 'm' }, thinkingLevel: 'high' });
    expect(restoreState(createPath(checkpoint))).toMatchObject({ model: { modelId: 'm' }, thinkingLevel: 'high' });
    const later = { type: 'thinking_level_change' as const, thinkingLevel: 'low' };
    expect(restoreState(createPath(checkpoint, later))).toMatchObject({
      model: { modelId: 'm' },
      thinkingLevel: 'low',
    });
    // A checkpoint of an older version, without a model.
    const old = createPath(
      { type: 'model_change', provider: 'p', modelId: 'm' },
      custom(CHECKPOINT_ENTRY, { queued: [] }),
    );
    expect(restoreState(old).model).toEqual({ provider: 'p', modelId: 'm' });
  });

  test('an unknown thinking level is ignored', () => {
    expect(
      restoreState(createPath({ type: 'thinking_level_change', thinkingLevel: 'max' })).thinkingLevel,
    ).toBeUndefined();
  });
});

describe('invalid data in our custom entries is ignored', () => {
  const invalidRecords = [
    undefined,
    null,
    7,
    'text',
    [],
    {},
    { op: 'add' },
    { op: 'add', id: 'a' },
    { op: 'clear', ids: 'abc' },
    { op: 'edit', id: 'good' },
    { op: 'move', id: 'good', kind: 'steer' },
    { op: 'move', id: 'good', kind: 'later', before: null },
  ];
  const invalidCheckpoints = [
    { queued: {} },
    { queued: [null, { id: 7 }], held: 'x' },
    { model: 'm', thinkingLevel: 3 },
  ];
  const entries = [...invalidRecords, ...invalidCheckpoints].flatMap((data) =>
    [QUEUE_ENTRY, SHELL_ENTRY, CHECKPOINT_ENTRY, '__proto__', 'constructor'].map((type) => custom(type, data)),
  );

  test.each(entries)('%j', (entry) => {
    const state = restoreState(
      createPath({ type: 'model_change', provider: 'p', modelId: 'm' }, entry, queued('good')),
    );
    expect(state.queued.map(({ id }) => id)).toEqual(['good']);
    expect(state.held).toEqual([]);
    expect(state.model).toEqual({ provider: 'p', modelId: 'm' });
  });
});
