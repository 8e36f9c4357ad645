// The command that sets the todo list.
import { array, object } from 'valibot';
import { Fault } from '../base/index.ts';
import { command } from '../contracts/index.ts';
import { type TodoItem, todoPhase } from '../protocol/index.ts';

export const setTodos = command({
  name: 'set_todos',
  stability: 'experimental',
  doc: 'Replace the todo list, in phases. It is stored with the session. The model is reminded of unfinished items according to the settings, and can replace the list with its own tool.',
  lane: 'ordered',
  params: object({ phases: array(todoPhase) }),
  result: object({ todoPhases: array(todoPhase) }),
  examples: [{ phases: [{ name: 'Parser', tasks: [{ content: 'Read the grammar', status: 'in_progress' }] }] }],
  async run({ phases }, { session }) {
    const todoPhases = phases.map(({ name, tasks }, phaseIndex) => ({
      name: requireText(name, `phases[${phaseIndex}].name`),
      tasks: tasks.map(({ id, content, status }, taskIndex) => ({
        ...(id === undefined ? {} : { id }),
        content: requireText(content, `phases[${phaseIndex}].tasks[${taskIndex}].content`),
        status,
      })),
    }));
    const todos = todoPhases
      .flatMap(({ name: phase, tasks }) => tasks.map((task) => ({ ...task, phase })))
      .map((task, index): TodoItem => ({ id: String(index + 1), activeForm: task.content, ...task }));
    await session.todos.replace(todos);
    return { todoPhases };
  },
});

function requireText(text: string, field: string): string {
  if (text.trim() === '') throw new Fault('invalid_params', `${field} cannot be empty`);
  return text.trim();
}
