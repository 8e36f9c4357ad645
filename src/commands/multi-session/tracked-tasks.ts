// Lists the tracked tasks of a session.
import { array, object } from 'valibot';
import { Fault } from '../../base/index.ts';
import { command } from '../../contracts/index.ts';
import {
  compareByPriority,
  INVALID_TASK_FILE,
  parseTaskFile,
  TASKS_FILE,
  trackedTask,
} from '../../protocol/tracked-task.ts';

export const listTasks = command({
  name: 'list_tasks',
  doc: 'The unfinished tracked tasks of this session (see the `tasks` tool), highest priority first.',
  lane: 'now',
  access: 'read',
  long: true,
  params: object({}),
  result: object({ tasks: array(trackedTask) }),
  async run(_, { session }) {
    const text = await session.sidecarFiles.read(TASKS_FILE);
    const taskFile = text === undefined ? { tasks: [] } : parseTaskFile(text);
    if (!taskFile) throw new Fault('storage', INVALID_TASK_FILE);
    const unfinished = taskFile.tasks.filter(({ status }) => status !== 'done');
    return { tasks: unfinished.sort(compareByPriority) };
  },
});
