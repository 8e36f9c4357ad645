// Lists the tracked tasks of a session.
import { array, object, parse } from 'valibot';
import { command } from '../../contracts/index.ts';
import { compareByPriority, TASKS_FILE, trackedTask, trackedTaskFile } from '../../protocol/tracked-task.ts';

export const listTasks = command({
  name: 'list_tasks',
  doc: 'The unfinished tracked tasks of this session (see the `tasks` tool), highest priority first.',
  lane: 'now',
  long: true,
  params: object({}),
  result: object({ tasks: array(trackedTask) }),
  async run(_, { session }) {
    const text = await session.sidecarFiles.read(TASKS_FILE);
    const { tasks } = text === undefined ? { tasks: [] } : parse(trackedTaskFile, JSON.parse(text));
    const unfinished = tasks.filter(({ status }) => status !== 'done');
    return { tasks: unfinished.sort(compareByPriority) };
  },
});
