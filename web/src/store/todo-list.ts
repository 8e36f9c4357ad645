// The todo list of a session as phases. Pure.
import type { TodoItem, TodoPhase } from '../../../src/protocol/index.ts';

/** The name that the agent uses for items without a phase. */
const DEFAULT_PHASE = 'Tasks';

export function isTodoList(value: unknown): value is readonly TodoItem[] {
  return Array.isArray(value) && value.every((item) => typeof item?.content === 'string' && 'status' in item);
}

export function groupTodos(items: readonly TodoItem[]): TodoPhase[] {
  const phases = new Map<string, TodoPhase>();
  for (const { id, content, status, phase: name = DEFAULT_PHASE } of items) {
    const phase = phases.get(name) ?? { name, tasks: [] };
    phases.set(name, phase);
    phase.tasks.push({ id, content, status });
  }
  return [...phases.values()];
}

export function countTodos(phases: readonly TodoPhase[]): { done: number; total: number } {
  const tasks = phases.flatMap((phase) => phase.tasks);
  const done = tasks.filter(({ status }) => status === 'completed' || status === 'abandoned').length;
  return { done, total: tasks.length };
}
