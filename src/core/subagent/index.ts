// Table of contents: what the app takes to let agents start agents. Loaded with the first task.
import type { Subagents } from '../../contracts/index.ts';
import type { SubagentHost } from '../session/family.ts';
import type { Spawner } from './spawner.ts';
import { runTask, type TaskRoom } from './task.ts';

export type { Spawner } from './spawner.ts';

export function createSubagents(spawner: Spawner, host: SubagentHost): Subagents {
  const room: TaskRoom = {
    spawner,
    host,
    taken: new Set(),
    told: new Set(),
    async isolate(options) {
      const { beginIsolation } = await import('./isolation/isolation.ts');
      const { base, worktrees, process, settings } = spawner;
      const { merge } = settings.isolation;
      return beginIsolation({ ...options, ports: base.ports, cwd: host.cwd, worktrees, process, merge });
    },
  };
  return {
    run(request, options) {
      const work = runTask(room, request, options);
      host.track(work);
      return work;
    },
  };
}
