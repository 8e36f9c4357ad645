// The `todo_write` tool: replaces the todo list of the model. Todos must be completed in order.
import { array, object, optional, picklist, string } from 'valibot';
import { Fault } from '../base/index.ts';
import { tool } from '../contracts/index.ts';
import type { TodoItem } from '../protocol/index.ts';
import { createTextResult } from './result.ts';

const STATUS_MARKS = { pending: '[ ]', in_progress: '[>]', completed: '[x]', abandoned: '[-]', blocked: '[!]' };

export const todoWrite = tool({
  name: 'todo_write',
  effect: 'read',
  doc: 'Replace the whole todo list, for work of several steps. Work through it in order, one in_progress at a time; mark each completed as soon as it is.',
  snippet: 'Keep a todo list',
  params: object({
    todos: array(
      object({
        id: optional(string()),
        content: string(),
        activeForm: optional(string()),
        status: picklist(['pending', 'in_progress', 'completed']),
      }),
    ),
  }),
  async run({ todos: items }, { todos: list }) {
    if (!list) throw new Fault('tool_failed', 'This session has no todo list.');
    const todos = items.map(
      ({ id, content, activeForm, status }, at): TodoItem => ({
        id: id || String(at + 1),
        content,
        activeForm: activeForm || content,
        status,
      }),
    );
    validateOrder(todos);
    const saved = await list.replace(todos);
    const lines = todos.map(({ content, status }) => `${STATUS_MARKS[status]} ${content}`);
    return createTextResult(lines.join('\n') || 'The list is empty.', { todos, ...saved });
  },
});

/** The error texts are part of the protocol; do not change them. */
function validateOrder(todos: readonly TodoItem[]): void {
  const next = todos.find(({ status }) => status !== 'completed');
  const completedEarly = next && todos.slice(todos.indexOf(next)).find(({ status }) => status === 'completed');
  if (next && completedEarly) {
    const reason = `Cannot complete "${completedEarly.content}" before completing "${next.content}".`;
    throw new Fault('tool_failed', `Error: ${reason} Todos must be completed sequentially.`);
  }
  const running = todos.filter(({ status }) => status === 'in_progress');
  if (running.length > 1) throw new Fault('tool_failed', 'Error: Only one todo can be in progress at a time.');
  if (running[0] && running[0] !== next) {
    throw new Fault('tool_failed', 'Error: Todo in progress must be the next incomplete item.');
  }
}
