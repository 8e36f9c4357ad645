// First floor, core: may these tasks be started at all, and under which ids? Refusals are sentences for the model. Pure.
import { Fault } from '../../base/index.ts';
import type { TaskItem, TaskRequest } from '../../contracts/index.ts';
import type { Family } from '../session/family.ts';
import type { AgentDefinition } from './definition.ts';
import type { Roster } from './roster.ts';
import type { SubagentSettings } from './spawner.ts';

export interface PlannedTask {
  readonly index: number;
  /** Unique in the session: names the task in events and files. */
  readonly id: string;
  readonly description: string | undefined;
  readonly assignment: string;
  /** Everything that the subagent is told. */
  readonly prompt: string;
}

const LONGEST_ID = 48;

export function expectTasks(tasks: readonly TaskItem[] | undefined): readonly TaskItem[] {
  if (!tasks || tasks.length === 0) {
    throw refusal('No tasks provided. Use: { agent, context, tasks: [{id, description, assignment}, ...] }');
  }
  const names = tasks.map(({ id }) => id?.trim() ?? '');
  const missing = names.flatMap((name, index) => (name === '' ? [index] : []));
  const keys = names.map((name) => name.toLowerCase());
  const doubled = names.filter((name, index) => name !== '' && keys.indexOf(name.toLowerCase()) !== index);
  const silent = tasks.flatMap((task, index) => (said(task) === '' ? [index] : []));
  const complaints = [
    ...(missing.length > 0 ? [`Missing task ids at indexes: ${missing.join(', ')}`] : []),
    ...(doubled.length > 0
      ? [`Duplicate task ids detected (case-insensitive): ${[...new Set(doubled)].join(', ')}`]
      : []),
    ...(silent.length > 0 ? [`Tasks without an assignment at indexes: ${silent.join(', ')}`] : []),
  ];
  if (complaints.length > 0) throw refusal(`Invalid tasks: ${complaints.join('. ')}`);
  return tasks;
}

export function expectAgent(
  name: string,
  roster: Roster,
  settings: SubagentSettings,
  family: Family | undefined,
): AgentDefinition {
  const agent = roster.agents.get(name);
  const enabled = [...roster.agents.keys()].filter((known) => !settings.disabledAgents.includes(known));
  if (!agent) throw refusal(`Unknown agent "${name}". Available: ${enabled.join(', ')}`);
  if (settings.disabledAgents.includes(name)) {
    throw refusal(`Agent "${name}" is disabled in settings (task.disabledAgents). Available: ${enabled.join(', ')}`);
  }
  if (!family) return agent;
  if (family.agent === name) {
    throw refusal(`Cannot spawn ${name} agent from within itself (recursion prevention). Use a different agent type.`);
  }
  if (family.spawns !== '*' && !family.spawns.includes(name)) {
    throw refusal(`Cannot spawn '${name}'. Allowed: ${family.spawns.join(', ') || 'none'}`);
  }
  return agent;
}

export function expectIsolation(settings: SubagentSettings): void {
  if (settings.isolation.mode !== 'none') return;
  throw refusal(
    `Task isolation is disabled. Remove the isolated argument or set task.isolation.mode to 'worktree', 'fuse-overlay', or 'fuse-projfs'.`,
  );
}

/** Overlays are another way to the same copy; a worktree does it everywhere. */
export function overlayRemark({ isolation }: SubagentSettings): string[] {
  if (!isolation.mode.startsWith('fuse-')) return [];
  return [`task.isolation.mode ${isolation.mode} is not available here; isolated tasks work in git worktrees.`];
}

/** `taken` knows the ids of earlier calls, in lower case, and learns these. */
export function planTasks(
  request: TaskRequest,
  tasks: readonly TaskItem[],
  taken: Set<string>,
  prefix: string,
): PlannedTask[] {
  return tasks.map((task, index) => {
    const assignment = said(task);
    const context = request.context?.trim();
    return {
      index,
      id: freeId(`${prefix}${fileName(task.id ?? '')}`, taken),
      description: task.description?.trim() || undefined,
      assignment,
      prompt: context ? `${context}\n\n${assignment}` : assignment,
    };
  });
}

function said(task: TaskItem): string {
  return task.assignment?.trim() || task.description?.trim() || '';
}

/** An id is part of file names and of a branch's name. */
function fileName(id: string): string {
  const plain = id.trim().replace(/[^\w-]+/g, '_');
  return plain.slice(0, LONGEST_ID);
}

function freeId(wanted: string, taken: Set<string>): string {
  for (let n = 1; ; n += 1) {
    const id = n === 1 ? wanted : `${wanted}-${n}`;
    if (taken.has(id.toLowerCase())) continue;
    taken.add(id.toLowerCase());
    return id;
  }
}

function refusal(sentence: string): Fault {
  return new Fault('refused', sentence);
}
