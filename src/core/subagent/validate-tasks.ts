// Validates the tasks and the agent of a call and allocates task ids. Refusals are messages for the model. Pure.
import { Fault } from '../../base/index.ts';
import type { TaskItem, TaskRequest } from '../../contracts/index.ts';
import type { ParentLink } from '../session/parent-link.ts';
import type { AgentDefinition } from './agent-definition.ts';
import type { AgentRegistry } from './agent-registry.ts';
import type { SubagentSettings } from './spawner.ts';

export interface PlannedTask {
  readonly index: number;
  /** Unique in the session. Used in events and file names. */
  readonly id: string;
  readonly description: string | undefined;
  readonly assignment: string;
  /** The shared context of the call, followed by the assignment. */
  readonly prompt: string;
}

const MAX_ID_LENGTH = 48;

export function validateTasks(tasks: readonly TaskItem[] | undefined): readonly TaskItem[] {
  if (!tasks || tasks.length === 0) {
    throw createRefusal('No tasks provided. Use: { agent, context, tasks: [{id, description, assignment}, ...] }');
  }
  const names = tasks.map(({ id }) => id?.trim() ?? '');
  const indexesWithoutId = names.flatMap((name, index) => (name === '' ? [index] : []));
  const keys = names.map((name) => name.toLowerCase());
  const duplicateIds = names.filter((name, index) => name !== '' && keys.indexOf(name.toLowerCase()) !== index);
  const indexesWithoutAssignment = tasks.flatMap((task, index) => (getAssignment(task) === '' ? [index] : []));
  const problems = [
    ...(indexesWithoutId.length > 0 ? [`Missing task ids at indexes: ${indexesWithoutId.join(', ')}`] : []),
    ...(duplicateIds.length > 0
      ? [`Duplicate task ids detected (case-insensitive): ${[...new Set(duplicateIds)].join(', ')}`]
      : []),
    ...(indexesWithoutAssignment.length > 0
      ? [`Tasks without an assignment at indexes: ${indexesWithoutAssignment.join(', ')}`]
      : []),
  ];
  if (problems.length > 0) throw createRefusal(`Invalid tasks: ${problems.join('. ')}`);
  return tasks;
}

export function resolveAgent(
  name: string,
  registry: AgentRegistry,
  settings: SubagentSettings,
  parentLink: ParentLink | undefined,
): AgentDefinition {
  const agent = registry.agents.get(name);
  const enabled = [...registry.agents.keys()].filter((known) => !settings.disabledAgents.includes(known));
  if (!agent) throw createRefusal(`Unknown agent "${name}". Available: ${enabled.join(', ')}`);
  if (settings.disabledAgents.includes(name)) {
    throw createRefusal(
      `Agent "${name}" is disabled in settings (task.disabledAgents). Available: ${enabled.join(', ')}`,
    );
  }
  if (!parentLink) return agent;
  if (parentLink.agent === name) {
    throw createRefusal(
      `Cannot spawn ${name} agent from within itself (recursion prevention). Use a different agent type.`,
    );
  }
  if (parentLink.spawns !== '*' && !parentLink.spawns.includes(name)) {
    throw createRefusal(`Cannot spawn '${name}'. Allowed: ${parentLink.spawns.join(', ') || 'none'}`);
  }
  return agent;
}

export function requireIsolationEnabled(settings: SubagentSettings): void {
  if (settings.isolation.mode !== 'none') return;
  throw createRefusal(
    `Task isolation is disabled. Remove the isolated argument or set task.isolation.mode to 'worktree', 'fuse-overlay', or 'fuse-projfs'.`,
  );
}

/** Overlay file systems are not implemented. A worktree gives the same result on every system. */
export function getOverlayWarnings({ isolation }: SubagentSettings): string[] {
  if (!isolation.mode.startsWith('fuse-')) return [];
  return [`task.isolation.mode ${isolation.mode} is not available. Isolated tasks use git worktrees.`];
}

/** `usedIds` holds the ids of earlier calls in lower case. The new ids are added to it. */
export function planTasks(
  request: TaskRequest,
  tasks: readonly TaskItem[],
  usedIds: Set<string>,
  prefix: string,
): PlannedTask[] {
  return tasks.map((task, index) => {
    const assignment = getAssignment(task);
    const context = request.context?.trim();
    return {
      index,
      id: allocateTaskId(`${prefix}${sanitizeTaskId(task.id ?? '')}`, usedIds),
      description: task.description?.trim() || undefined,
      assignment,
      prompt: context ? `${context}\n\n${assignment}` : assignment,
    };
  });
}

function getAssignment(task: TaskItem): string {
  return task.assignment?.trim() || task.description?.trim() || '';
}

/** The id is used in file names and in a branch name. */
function sanitizeTaskId(id: string): string {
  const plain = id.trim().replace(/[^\w-]+/g, '_');
  return plain.slice(0, MAX_ID_LENGTH);
}

function allocateTaskId(requestedId: string, usedIds: Set<string>): string {
  for (let n = 1; ; n += 1) {
    const id = n === 1 ? requestedId : `${requestedId}-${n}`;
    if (usedIds.has(id.toLowerCase())) continue;
    usedIds.add(id.toLowerCase());
    return id;
  }
}

function createRefusal(message: string): Fault {
  return new Fault('refused', message);
}
