// First floor, tools: keeps track of what is to be done in a session, with what waits for what.
import {
  array,
  minLength,
  nullable,
  number,
  object,
  optional,
  picklist,
  pipe,
  regex,
  safeParse,
  string,
} from 'valibot';
import { Fault } from '../base/index.ts';
import { type Kept, tool } from '../contracts/index.ts';
import {
  TASK_PRIORITIES,
  TASK_STATUSES,
  TASKS_FILE,
  type TaskLedger,
  type TrackedTask,
  taskLedger,
  taskRow,
} from '../protocol/tracked-task.ts';
import { textResult } from './result.ts';
import { type Changed, changedLedger, NO_TASKS, type TaskOperation } from './task-ledger.ts';

const text = optional(string());

const operation = object({
  action: picklist(['insert', 'update', 'delete', 'list']),
  id: optional(number()),
  label: text,
  status: optional(picklist(TASK_STATUSES)),
  priority: optional(picklist(TASK_PRIORITIES)),
  group_name: text,
  tags: text,
  due: optional(pipe(string(), regex(/^(\d{4}-\d{2}-\d{2}.*)?$/, 'must begin with a date, as 2026-01-31'))),
  notes: text,
  blocked_by: optional(array(number())),
  parent_id: optional(nullable(number())),
  prompt: text,
  result: text,
});

export const tasks = tool({
  name: 'tasks',
  effect: 'read',
  doc: 'Keep track of work of several steps. Operations are done together or not at all. Inserted tasks get the next ids; a task that waits for others (blocked_by) opens when they are done.',
  snippet: 'Keep track of tasks',
  params: object({ operations: pipe(array(operation), minLength(1)) }),
  async run({ operations }, { kept, ports }) {
    if (!kept) throw new Fault('tool_failed', 'There is no list of tasks here.');
    const before = await readLedger(kept);
    const now = new Date(ports.clock.now()).toISOString().replace('T', ' ').replace('Z', '000');
    const changed = changedLedger(before, operations as readonly TaskOperation[], now);
    if (changed.changes.length > 0) await kept.write(TASKS_FILE, `${JSON.stringify(changed.ledger, null, 2)}\n`);
    return textResult(listed(changed.ledger.tasks), detailsOf(changed, operations as readonly TaskOperation[]));
  },
});

/** What cannot be understood is left as it is: somebody may want to mend it. */
async function readLedger(kept: Kept): Promise<TaskLedger> {
  const text = await kept.read(TASKS_FILE);
  if (text === undefined) return NO_TASKS;
  try {
    const read = safeParse(taskLedger, JSON.parse(text));
    if (read.success) return read.output;
  } catch {
    // Told below.
  }
  throw new Fault('tool_failed', `${TASKS_FILE} of this session does not hold a list of tasks.`);
}

function listed(all: readonly TrackedTask[]): string {
  return all.map(line).join('\n') || 'There are no tasks.';
}

function line({ id, label, status, priority, blocked_by: blockers }: TrackedTask): string {
  const waits = status === 'blocked' && blockers.length > 0 ? `, waits for ${blockers.join(', ')}` : '';
  return `${id}. [${status}${priority === 'medium' ? '' : `, ${priority}`}${waits}] ${label}`;
}

/** For hosts that draw the list. */
function detailsOf({ ledger, changes }: Changed, operations: readonly TaskOperation[]) {
  const count = (status: TrackedTask['status']) => ledger.tasks.filter((task) => task.status === status).length;
  const [first] = operations;
  return {
    kind: 'tasks',
    action: operations.length === 1 ? first?.action : 'batch',
    tasks: ledger.tasks.map(taskRow),
    total: ledger.tasks.length,
    counts: Object.fromEntries(TASK_STATUSES.map((status) => [status, count(status)])),
    changes,
    notes: changes.filter(({ change }) => change === 'unblocked').map(({ id }) => `Task ${id} can be done now`),
    ...(operations.length === 1 ? {} : { operations: operations.map(({ action }) => action) }),
  };
}
