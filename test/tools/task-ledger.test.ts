// Any sequence of changes to a list of tasks: it is made whole or not at all, and what waits for what always holds.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TASK_PRIORITIES, TASK_STATUSES, type TaskLedger } from '../../src/protocol/tracked-task.ts';
import { changedLedger, NO_TASKS, type TaskOperation } from '../../src/tools/task-ledger.ts';

const NOW = '2026-01-02 03:04:05.000000';
const made = (...operations: TaskOperation[]) => changedLedger(NO_TASKS, operations, NOW).ledger;
const statuses = ({ tasks }: TaskLedger) => Object.fromEntries(tasks.map(({ id, status }) => [id, status]));
const insert = (label: string, more: Partial<TaskOperation> = {}): TaskOperation => ({
  action: 'insert',
  label,
  ...more,
});

describe('the rules', () => {
  test('what waits is blocked until all that it waits for is done', () => {
    const ledger = made(insert('a'), insert('b'), insert('c', { blocked_by: [1, 2] }));
    expect(statuses(ledger)).toEqual({ 1: 'open', 2: 'open', 3: 'blocked' });
    const half = changedLedger(ledger, [{ action: 'update', id: 1, status: 'done' }], NOW);
    expect(statuses(half.ledger)).toEqual({ 1: 'done', 2: 'open', 3: 'blocked' });
    const whole = changedLedger(half.ledger, [{ action: 'update', id: 2, status: 'done' }], NOW);
    expect(statuses(whole.ledger)).toEqual({ 1: 'done', 2: 'done', 3: 'open' });
    expect(whole.changes).toEqual([
      { id: 2, change: 'updated' },
      { id: 3, change: 'unblocked' },
    ]);
    const again = changedLedger(whole.ledger, [{ action: 'update', id: 2, status: 'open' }], NOW);
    expect(statuses(again.ledger)).toEqual({ 1: 'done', 2: 'open', 3: 'blocked' });
  });

  test('what is said to be blocked stays so when nothing here is waited for', () => {
    const ledger = made(insert('a', { status: 'blocked' }));
    expect(statuses(changedLedger(ledger, [{ action: 'update', id: 1, notes: 'still' }], NOW).ledger)).toEqual({
      1: 'blocked',
    });
  });

  test('tasks of one call may name one another; the most urgent stands first', () => {
    const ledger = made(
      insert('last', { blocked_by: [2], priority: 'low' }),
      insert('first', { priority: 'critical' }),
    );
    expect(ledger.tasks.map(({ id }) => id)).toEqual([2, 1]);
  });

  test('nobody waits for what was deleted, and its id is not given again', () => {
    const ledger = made(insert('a'), insert('b', { blocked_by: [1], parent_id: 1 }));
    const after = changedLedger(ledger, [{ action: 'delete', id: 1 }, insert('c')], NOW).ledger;
    expect(after.tasks).toMatchObject([
      { id: 2, status: 'open', blocked_by: [], parent_id: null },
      { id: 3, label: 'c' },
    ]);
  });

  test.each([
    ['no label', [insert(' ')], 'A task that is inserted needs a label'],
    ['no id', [{ action: 'update' }], 'Which task? update needs an id'],
    ['an unknown id', [insert('a'), { action: 'delete', id: 9 }], 'There is no task 9. 1 can be named'],
    ['an unknown blocker', [insert('a', { blocked_by: [5] })], 'Task 1 names task 5, which does not exist'],
    ['itself', [insert('a', { blocked_by: [1] })], 'Task 1 would wait for itself'],
    ['a circle', [insert('a', { blocked_by: [2] }), insert('b', { blocked_by: [1] })], 'would wait for itself'],
    ['a circle of parts', [insert('a', { parent_id: 2 }), insert('b', { parent_id: 1 })], 'would be a part of itself'],
    [
      'work on what is blocked',
      [insert('a'), insert('b', { blocked_by: [1] }), { action: 'update', id: 2, status: 'in_progress' }],
      'Task 2 is blocked by 1; finish that first',
    ],
  ] as [string, TaskOperation[], string][])('%s is refused', (_, operations, sentence) => {
    expect(() => made(...operations)).toThrow(sentence);
  });
});

const ids = fc.integer({ min: 1, max: 6 });
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
const operations: fc.Arbitrary<TaskOperation> = fc.record({
  action: fc.constantFrom('insert', 'insert', 'update', 'delete', 'list'),
  id: maybe(ids),
  label: maybe(fc.constantFrom('', 'x', 'y')),
  status: maybe(fc.constantFrom(...TASK_STATUSES)),
  priority: maybe(fc.constantFrom(...TASK_PRIORITIES)),
  blocked_by: maybe(fc.array(ids, { maxLength: 2 })),
  parent_id: maybe(fc.option(ids, { nil: null })),
});

test('whatever is done, nobody waits in a circle, and exactly those are blocked who wait for something unfinished', () => {
  fc.assert(
    fc.property(fc.array(fc.array(operations, { minLength: 1, maxLength: 4 }), { maxLength: 6 }), (batches) => {
      let ledger = NO_TASKS;
      for (const batch of batches) {
        const before = structuredClone(ledger);
        try {
          ledger = changedLedger(ledger, batch, NOW).ledger;
        } catch {
          expect(ledger).toEqual(before);
        }
        const known = new Map(ledger.tasks.map((task) => [task.id, task]));
        expect(known.size).toBe(ledger.tasks.length);
        const depth = (id: number, seen: readonly number[]): void => {
          expect(seen).not.toContain(id);
          for (const next of known.get(id)?.blocked_by ?? []) depth(next, [...seen, id]);
        };
        for (const { id, status, blocked_by, parent_id, label } of ledger.tasks) {
          expect(id).toBeLessThan(ledger.nextId);
          expect(label).not.toBe('');
          depth(id, []);
          if (parent_id !== null) expect(known.has(parent_id)).toBe(true);
          const unfinished = blocked_by.some((one) => known.get(one)?.status !== 'done');
          if (unfinished && status !== 'done') expect(status).toBe('blocked');
        }
      }
    }),
  );
});
