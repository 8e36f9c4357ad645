// All built-in tools, also those that a setting enables.
import type { Tool } from '../../../contracts/index.ts';
import { defaultSettings } from '../../../settings/index.ts';
import { loadBuiltinTools } from '../../select-tools.ts';

export function loadKnownTools(): Promise<readonly Tool[]> {
  return loadBuiltinTools({
    settings: { ...defaultSettings, 'todo.enabled': true, 'tasks.enabled': true, 'ask.enabled': true },
    task: async () => (await import('../../../tools/task.ts')).createTaskTool({ agents: [], canIsolate: false }),
    host: () => undefined,
  });
}
