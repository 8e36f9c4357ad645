// First floor, commands: the things to do that a session keeps.
import { array, object, record, string } from 'valibot';
import { command } from '../../contracts/index.ts';

/** Those that are done are not told. */
const OPEN: Readonly<Record<string, string>> = { pending: 'open', in_progress: 'in_progress' };

export const listTasks = command({
  name: 'list_tasks',
  doc: 'What is left to do in this session. Every value is a text.',
  lane: 'now',
  long: true,
  params: object({}),
  result: object({ tasks: array(record(string(), string())) }),
  async run(_, { session }) {
    const left = (await session.todos.list()).filter(({ status }) => status in OPEN);
    return { tasks: left.map(({ id, content, status }) => ({ id, label: content, status: OPEN[status] ?? '' })) };
  },
});
