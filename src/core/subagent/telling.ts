// First floor, core: tells whoever listens what one subagent does, and keeps the book of those at work. Starts and ends none.
import type { AgentEvent, SubagentProgress, SubagentSnapshot } from '../../protocol/index.ts';
import type { SubagentHost } from '../session/family.ts';
import type { PlannedTask } from './admission.ts';
import type { AgentDefinition } from './definition.ts';
import type { Spawner } from './spawner.ts';

export interface TellerScope {
  readonly spawner: Pick<Spawner, 'base' | 'keepsLogs'>;
  readonly host: Pick<SubagentHost, 'emit' | 'children'>;
  readonly agent: Pick<AgentDefinition, 'name' | 'source'>;
  readonly folder: string;
  readonly toolCallId: string | undefined;
}

type Wait = undefined | Promise<void>;

/** Tasks that never begin are never told of. */
export interface Teller {
  started(): Wait;
  progressed(progress: SubagentProgress): void;
  said(event: AgentEvent): Wait;
  ended(status: 'completed' | 'failed' | 'aborted', abortReason?: string): Wait;
}

export function createTeller({ spawner, host, agent, folder, toolCallId }: TellerScope, task: PlannedTask): Teller {
  const { live, files } = host.children;
  const { id, index, description, assignment, prompt } = task;
  const who = {
    index,
    agent: agent.name,
    agentSource: agent.source,
    ...(spawner.keepsLogs ? { sessionFile: `${folder}/${id}.jsonl` } : {}),
    ...(toolCallId === undefined ? {} : { parentToolCallId: toolCallId }),
  };
  const described = { id, ...who, ...(description === undefined ? {} : { description }) };
  const note = (now: Pick<SubagentSnapshot, 'status' | 'progress'>) =>
    live.set(id, { ...described, task: prompt, assignment, ...now, lastUpdate: spawner.base.ports.clock.now() });
  /** What was told last: those beside it change more often than it does. */
  let told = '';
  return {
    started() {
      note({ status: 'running' });
      if (who.sessionFile !== undefined) files.set(id, who.sessionFile);
      return host.emit({ type: 'subagent_lifecycle', payload: { ...described, status: 'started' } });
    },
    progressed(progress) {
      const { durationMs: _, ...seen } = progress;
      const text = JSON.stringify(seen);
      if (!live.has(id) || text === told) return;
      told = text;
      note({ status: progress.status, progress });
      void host.emit({ type: 'subagent_progress', payload: { ...who, task: prompt, assignment, progress } });
    },
    said: (event) => host.emit({ type: 'subagent_event', payload: { id, event } }),
    ended(status, abortReason) {
      if (!live.delete(id)) return undefined;
      const reason = abortReason === undefined ? {} : { abortReason };
      return host.emit({ type: 'subagent_lifecycle', payload: { ...described, status, ...reason } });
    },
  };
}
