// First floor, commands: the list of things to do, written by the host.
import { array, object } from 'valibot';
import { Fault } from '../base/index.ts';
import { command } from '../contracts/index.ts';
import { type TodoItem, todoPhase } from '../protocol/index.ts';

export const setTodos = command({
  name: 'set_todos',
  stability: 'experimental',
  doc: 'Write the list of things to do, in phases, in the place of what was in it. It is kept with the session; the model is reminded of what is left as the settings say, and writes the list anew with its own tool.',
  lane: 'ordered',
  params: object({ phases: array(todoPhase) }),
  result: object({ todoPhases: array(todoPhase) }),
  examples: [{ phases: [{ name: 'Parser', tasks: [{ content: 'Read the grammar', status: 'in_progress' }] }] }],
  async run({ phases }, { session }) {
    const todoPhases = phases.map(({ name, tasks }, at) => ({
      name: words(name, `phases[${at}].name`),
      tasks: tasks.map(({ content, status }, place) => ({
        content: words(content, `phases[${at}].tasks[${place}].content`),
        status,
      })),
    }));
    const todos = todoPhases
      .flatMap(({ name: phase, tasks }) => tasks.map((task) => ({ ...task, phase })))
      .map((task, at): TodoItem => ({ id: String(at + 1), activeForm: task.content, ...task }));
    await session.todos.replace(todos);
    return { todoPhases };
  },
});

function words(text: string, field: string): string {
  if (text.trim() === '') throw new Fault('invalid_params', `${field} cannot be empty`);
  return text.trim();
}
