// Creates the runner of task calls. Loaded lazily with the first task.
import type { ToolResult } from '../../contracts/index.ts';
import type { SubagentHost, Subagents } from '../session/parent-link.ts';
import type { TaskCallScope } from './run-task-batch.ts';
import { runTaskCall } from './run-task-call.ts';
import type { Spawner } from './spawner.ts';

export type { Spawner } from './spawner.ts';

export function createSubagents(spawner: Spawner, host: SubagentHost): Subagents {
  const callScope = createCallScope(spawner, host);
  const track = (taskCall: Promise<ToolResult>) => {
    host.trackWork(taskCall);
    return taskCall;
  };
  return {
    run: (request, options) => track(runTaskCall(callScope, request, options)),
    resume: (record, message, options) =>
      track(import('./resume-task.ts').then(({ resumeTask }) => resumeTask(callScope, record, message, options))),
    async loadRecords() {
      const folder = await host.findArtifactDirectory();
      const { loadRecords } = await import('./subagent-records.ts');
      if (folder !== undefined) await loadRecords(spawner.base.ports.files, host.subagentRegistry, folder);
    },
  };
}

function createCallScope(spawner: Spawner, host: SubagentHost): TaskCallScope {
  return {
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
}
