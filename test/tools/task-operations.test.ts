// Operations on tracked tasks: applied all or none, and blocked states are always consistent.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TASK_PRIORITIES, TASK_STATUSES, type TrackedTaskFile } from '../../src/protocol/tracked-task.ts';
import { applyTaskOperations, EMPTY_TASK_FILE, type TaskOperation } from '../../src/tools/task-operations.ts';

const NOW = '2026-01-02 03:04:05.000000';
const apply = (...operations: TaskOperation[]) => applyTaskOperations(EMPTY_TASK_FILE, operations, NOW).taskFile;
const getStatuses = ({ tasks }: TrackedTaskFile) => Object.fromEntries(tasks.map(({ id, status }) => [id, status]));
const insert = (label: string, fields: Partial<TaskOperation> = {}): TaskOperation => ({
  action: 'insert',
  label,
  ...fields,
});

describe('rules', () => {
  test('a task is blocked until all its blockers are done', () => {
    const taskFile = apply(insert('a'), insert('b'), insert('c', { blocked_by: [1, 2] }));
    expect(getStatuses(taskFile)).toEqual({ 1: 'open', 2: 'open', 3: 'blocked' });
    const first = applyTaskOperations(taskFile, [{ action: 'update', id: 1, status: 'done' }], NOW);
    expect(getStatuses(first.taskFile)).toEqual({ 1: 'done', 2: 'open', 3: 'blocked' });
    const second = applyTaskOperations(first.taskFile, [{ action: 'update', id: 2, status: 'done' }], NOW);
    expect(getStatuses(second.taskFile)).toEqual({ 1: 'done', 2: 'done', 3: 'open' });
    expect(second.changes).toEqual([
      { id: 2, change: 'updated' },
      { id: 3, change: 'unblocked' },
    ]);
    const third = applyTaskOperations(second.taskFile, [{ action: 'update', id: 2, status: 'open' }], NOW);
    expect(getStatuses(third.taskFile)).toEqual({ 1: 'done', 2: 'open', 3: 'blocked' });
  });

  test('a task set to blocked stays blocked when it has no blockers', () => {
    const taskFile = apply(insert('a', { status: 'blocked' }));
    expect(
      getStatuses(applyTaskOperations(taskFile, [{ action: 'update', id: 1, notes: 'still' }], NOW).taskFile),
    ).toEqual({
      1: 'blocked',
    });
  });

  test('tasks of one call may refer to each other; tasks are sorted by priority', () => {
    const taskFile = apply(
      insert('last', { blocked_by: [2], priority: 'low' }),
      insert('first', { priority: 'critical' }),
    );
    expect(taskFile.tasks.map(({ id }) => id)).toEqual([2, 1]);
  });

  test('references to deleted tasks are removed, and ids are not reused', () => {
    const taskFile = apply(insert('a'), insert('b', { blocked_by: [1], parent_id: 1 }));
    const after = applyTaskOperations(taskFile, [{ action: 'delete', id: 1 }, insert('c')], NOW).taskFile;
    expect(after.tasks).toMatchObject([
      { id: 2, status: 'open', blocked_by: [], parent_id: null },
      { id: 3, label: 'c' },
    ]);
  });

  test.each([
    ['no label', [insert(' ')], 'insert needs a label'],
    ['no id', [{ action: 'update' }], 'update needs a task id'],
    ['an unknown id', [insert('a'), { action: 'delete', id: 9 }], 'Task not found: 9. Existing ids: 1'],
    ['an unknown blocker', [insert('a', { blocked_by: [5] })], 'Task 1 refers to task 5, which does not exist'],
    ['a task that blocks itself', [insert('a', { blocked_by: [1] })], 'Task 1 would be blocked by itself'],
    [
      'a cycle of blockers',
      [insert('a', { blocked_by: [2] }), insert('b', { blocked_by: [1] })],
      'would be blocked by itself',
    ],
    ['a cycle of parents', [insert('a', { parent_id: 2 }), insert('b', { parent_id: 1 })], 'would be its own parent'],
    [
      'starting a blocked task',
      [insert('a'), insert('b', { blocked_by: [1] }), { action: 'update', id: 2, status: 'in_progress' }],
      'Task 2 is blocked by 1; finish that first',
    ],
  ] as [string, TaskOperation[], string][])('%s is rejected', (_, operations, message) => {
    expect(() => apply(...operations)).toThrow(message);
  });
});

const ids = fc.integer({ min: 1, max: 6 });
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
const operations: fc.Arbitrary<TaskOperation> = fc.record({
  action: fc.constantFrom('insert', 'insert', 'update', 'delete', 'list'),
  id: optional(ids),
  label: optional(fc.constantFrom('', 'x', 'y')),
  status: optional(fc.constantFrom(...TASK_STATUSES)),
  priority: optional(fc.constantFrom(...TASK_PRIORITIES)),
  blocked_by: optional(fc.array(ids, { maxLength: 2 })),
  parent_id: optional(fc.option(ids, { nil: null })),
});

test('there is never a cycle of blockers, and a task with an unfinished blocker is blocked', () => {
  fc.assert(
    fc.property(fc.array(fc.array(operations, { minLength: 1, maxLength: 4 }), { maxLength: 6 }), (batches) => {
      let taskFile = EMPTY_TASK_FILE;
      for (const batch of batches) {
        const before = structuredClone(taskFile);
        try {
          taskFile = applyTaskOperations(taskFile, batch, NOW).taskFile;
        } catch {
          expect(taskFile).toEqual(before);
        }
        const tasksById = new Map(taskFile.tasks.map((task) => [task.id, task]));
        expect(tasksById.size).toBe(taskFile.tasks.length);
        const expectNoCycle = (id: number, path: readonly number[]): void => {
          expect(path).not.toContain(id);
          for (const next of tasksById.get(id)?.blocked_by ?? []) expectNoCycle(next, [...path, id]);
        };
        for (const { id, status, blocked_by, parent_id, label } of taskFile.tasks) {
          expect(id).toBeLessThan(taskFile.nextId);
          expect(label).not.toBe('');
          expectNoCycle(id, []);
          if (parent_id !== null) expect(tasksById.has(parent_id)).toBe(true);
          const unfinished = blocked_by.some((blocker) => tasksById.get(blocker)?.status !== 'done');
          if (unfinished && status !== 'done') expect(status).toBe('blocked');
        }
      }
    }),
  );
});
