// Creates the runner of task calls. Loaded lazily with the first task.
import type { SubagentRunner } from '../../contracts/index.ts';
import type { SubagentHost } from '../session/parent-link.ts';
import { runTaskCall, type TaskCallScope } from './run-task-call.ts';
import type { Spawner } from './spawner.ts';

export type { Spawner } from './spawner.ts';

export function createSubagents(spawner: Spawner, host: SubagentHost): SubagentRunner {
  const callScope: TaskCallScope = {
    spawner,
    host,
    usedIds: new Set(),
    reportedWarnings: new Set(),
    async beginIsolation(options) {
      const { beginIsolation } = await import('./isolation/worktree-isolation.ts');
      const { base, worktreesDirectory, processIdentity, settings } = spawner;
      const { merge } = settings.isolation;
      return beginIsolation({
        ...options,
        ports: base.ports,
        cwd: host.cwd,
        worktreesDirectory,
        process: processIdentity,
        merge,
      });
    },
  };
  return {
    run(request, options) {
      const taskCall = runTaskCall(callScope, request, options);
      host.trackWork(taskCall);
      return taskCall;
    },
  };
}
