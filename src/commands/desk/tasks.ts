// First floor, commands: the tasks that a session keeps track of.
import { array, object, parse, record, string } from 'valibot';
import { command } from '../../contracts/index.ts';
import { byPriority, TASKS_FILE, taskLedger, taskRow } from '../../protocol/tracked-task.ts';

export const listTasks = command({
  name: 'list_tasks',
  doc: 'What is left to do in this session, as the `tasks` tool keeps it, the most urgent first. Every value is a text.',
  lane: 'now',
  long: true,
  params: object({}),
  result: object({ tasks: array(record(string(), string())) }),
  async run(_, { session }) {
    const text = await session.kept.read(TASKS_FILE);
    const { tasks } = text === undefined ? { tasks: [] } : parse(taskLedger, JSON.parse(text));
    const left = tasks.filter(({ status }) => status !== 'done');
    return { tasks: left.sort(byPriority).map(taskRow) };
  },
});
