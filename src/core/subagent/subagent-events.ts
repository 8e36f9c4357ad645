// Emits the events of one subagent and updates the registry of running subagents. Does not start or stop it.
import type { AgentEvent, SubagentProgress, SubagentSnapshot } from '../../protocol/index.ts';
import type { SubagentHost } from '../session/parent-link.ts';
import type { AgentDefinition } from './agent-definition.ts';
import type { Spawner } from './spawner.ts';
import type { PlannedTask } from './validate-tasks.ts';

export interface SubagentEventsOptions {
  readonly spawner: Pick<Spawner, 'base' | 'savesLogs'>;
  readonly host: Pick<SubagentHost, 'emit' | 'subagentRegistry'>;
  readonly agent: Pick<AgentDefinition, 'name' | 'source'>;
  readonly folder: string;
  readonly toolCallId: string | undefined;
}

type Emitted = undefined | Promise<void>;

/** A task that never starts emits no events. */
export interface SubagentEvents {
  emitStart(): Emitted;
  emitProgress(progress: SubagentProgress): void;
  emitEvent(event: AgentEvent): Emitted;
  emitEnd(status: 'completed' | 'failed' | 'aborted', abortReason?: string): Emitted;
}

/** The fields that identify a subagent. `descriptor` also has its id and its description. */
export function describeSubagent(
  { spawner, agent, folder, toolCallId }: Omit<SubagentEventsOptions, 'host'>,
  { id, index, description }: PlannedTask,
) {
  const identity = {
    index,
    agent: agent.name,
    agentSource: agent.source,
    ...(spawner.savesLogs ? { sessionFile: `${folder}/${id}.jsonl` } : {}),
    ...(toolCallId === undefined ? {} : { parentToolCallId: toolCallId }),
  };
  return { identity, descriptor: { id, ...identity, ...(description === undefined ? {} : { description }) } };
}

export function createSubagentEvents(options: SubagentEventsOptions, task: PlannedTask): SubagentEvents {
  const { spawner, host } = options;
  const { running, logFiles } = host.subagentRegistry;
  const { id, assignment, prompt } = task;
  const { identity, descriptor } = describeSubagent(options, task);
  const updateSnapshot = (state: Pick<SubagentSnapshot, 'status' | 'progress'>) =>
    running.set(id, { ...descriptor, task: prompt, assignment, ...state, lastUpdate: spawner.base.ports.clock.now() });
  /** Last emitted progress. Updates arrive for all subagents of the call; this one may not have changed. */
  let lastProgress = '';
  return {
    emitStart() {
      updateSnapshot({ status: 'running' });
      if (identity.sessionFile !== undefined) logFiles.set(id, identity.sessionFile);
      return host.emit({ type: 'subagent_lifecycle', payload: { ...descriptor, status: 'started' } });
    },
    emitProgress(progress) {
      const { durationMs: _, ...comparable } = progress;
      const text = JSON.stringify(comparable);
      if (!running.has(id) || text === lastProgress) return;
      lastProgress = text;
      updateSnapshot({ status: progress.status, progress });
      void host.emit({ type: 'subagent_progress', payload: { ...identity, task: prompt, assignment, progress } });
    },
    emitEvent: (event) => host.emit({ type: 'subagent_event', payload: { id, event } }),
    emitEnd(status, abortReason) {
      if (!running.delete(id)) return undefined;
      const reason = abortReason === undefined ? {} : { abortReason };
      return host.emit({ type: 'subagent_lifecycle', payload: { ...descriptor, status, ...reason } });
    },
  };
}
