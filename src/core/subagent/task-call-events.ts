// Emits the events of all subagents of one task call and tracks their progress.
import type { AgentEvent, SubagentProgress, SubagentResult } from '../../protocol/index.ts';
import { createProgressTracker } from './progress-tracker.ts';
import { createSubagentEvents, type SubagentEventsOptions } from './subagent-events.ts';
import { getEndStatus } from './subagent-records.ts';
import type { PlannedTask } from './validate-tasks.ts';

export interface TaskCallEvents {
  onEvent(index: number, event: AgentEvent | 'begin'): undefined | Promise<void>;
  finish(index: number, result: SubagentResult): undefined | Promise<void>;
  /** Stops all progress updates. */
  close(): void;
}

export function createTaskCallEvents(
  options: SubagentEventsOptions,
  tasks: readonly PlannedTask[],
  onProgress: (rows: readonly SubagentProgress[]) => void,
): TaskCallEvents {
  const subagentEvents = tasks.map((task) => createSubagentEvents(options, task));
  const { clock } = options.spawner.base.ports;
  const progressTracker = createProgressTracker(tasks, options.agent.name, clock, (rows) => {
    onProgress(rows);
    for (const row of rows) subagentEvents[row.index]?.emitProgress(row);
  });
  return {
    onEvent(index, event) {
      const emitted = event === 'begin' ? subagentEvents[index]?.emitStart() : subagentEvents[index]?.emitEvent(event);
      if (event === 'begin') progressTracker.start(index);
      else progressTracker.update(index, event);
      return emitted;
    },
    finish(index, result) {
      const status = getEndStatus(result);
      progressTracker.finish(index, status);
      return subagentEvents[index]?.emitEnd(status, result.abortReason);
    },
    close: () => progressTracker.close(),
  };
}
