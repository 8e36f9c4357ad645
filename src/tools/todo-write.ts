// First floor, tools: keeps the model's list of things to do. One after another, so that nothing is left out on the way.
import { array, object, optional, picklist, string } from 'valibot';
import { Fault } from '../base/index.ts';
import { tool } from '../contracts/index.ts';
import type { TodoItem } from '../protocol/index.ts';
import { textResult } from './result.ts';

const MARKS = { pending: '[ ]', in_progress: '[>]', completed: '[x]', abandoned: '[-]', blocked: '[!]' };

export const todoWrite = tool({
  name: 'todo_write',
  effect: 'read',
  doc: 'Write the whole list of things to do, for work of several steps. Do them in order, one in_progress at a time; mark each completed as soon as it is.',
  snippet: 'Keep a list of things to do',
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
  async run({ todos: given }, { todos: list }) {
    if (!list) throw new Fault('tool_failed', 'There is no list of things to do here.');
    const todos = given.map(
      ({ id, content, activeForm, status }, at): TodoItem => ({
        id: id || String(at + 1),
        content,
        activeForm: activeForm || content,
        status,
      }),
    );
    inOrder(todos);
    const kept = await list.replace(todos);
    const lines = todos.map(({ content, status }) => `${MARKS[status]} ${content}`);
    return textResult(lines.join('\n') || 'The list is empty.', { todos, ...kept });
  },
});

/** The sentences are the protocol's: models know what to do about them. */
function inOrder(todos: readonly TodoItem[]): void {
  const next = todos.find(({ status }) => status !== 'completed');
  const early = next && todos.slice(todos.indexOf(next)).find(({ status }) => status === 'completed');
  if (next && early) {
    const why = `Cannot complete "${early.content}" before completing "${next.content}".`;
    throw new Fault('tool_failed', `Error: ${why} Todos must be completed sequentially.`);
  }
  const running = todos.filter(({ status }) => status === 'in_progress');
  if (running.length > 1) throw new Fault('tool_failed', 'Error: Only one todo can be in progress at a time.');
  if (running[0] && running[0] !== next) {
    throw new Fault('tool_failed', 'Error: Todo in progress must be the next incomplete item.');
  }
}
