// The subagents of a session: their state, progress, verification and conversation. Pure.
import type { AgentEvent } from '../../../src/protocol/index.ts';
import { EMPTY_CONVERSATION, reduceConversation } from './conversation.ts';
import { createSubagentView, type SubagentView, toStatus, type VerificationAttemptView } from './session-view.ts';

type Subagents = ReadonlyMap<string, SubagentView>;

export type SubagentEvent = Extract<AgentEvent, { type: `subagent_${string}` }>;

export function isSubagentEvent(event: { readonly type: string }): event is SubagentEvent {
  return event.type.startsWith('subagent_');
}

/** The fields of a lifecycle or progress event that describe the subagent. */
interface Identity {
  readonly agent: string;
  readonly sessionFile?: string;
  readonly parentToolCallId?: string;
}

export function reduceSubagents(old: Subagents, event: SubagentEvent): Subagents {
  switch (event.type) {
    case 'subagent_start':
      return change(old, event.id, event.agent, (known) => ({ ...known, isIsolated: event.isolated }));
    case 'subagent_session':
      return change(old, event.id, '', (known) => ({ ...known, task: known.task ?? event.prompt }));
    case 'subagent_end':
      return change(old, event.id, event.agent, (known) => endSubagent(known, event));
    case 'subagent_lifecycle':
      return change(old, event.payload.id, event.payload.agent, (known) => ({
        ...identify(known, event.payload),
        description: event.payload.description ?? known.description,
        status: toStatus(event.payload.status),
      }));
    case 'subagent_progress': {
      const { progress, task, assignment } = event.payload;
      return change(old, progress.id, progress.agent, (known) => ({
        ...identify(known, event.payload),
        status: progress.status,
        progress,
        task: assignment ?? task,
      }));
    }
    case 'subagent_event':
      return reduceInnerEvent(old, event.payload.id, event.payload.event as AgentEvent);
    default:
      return change(old, event.id, '', (known) => ({ ...known, attempts: reduceAttempts(known.attempts, event) }));
  }
}

/** The conversations of running subagents must be loaded from their logs, because events were missed. */
export function resetConversations(old: Subagents): Subagents {
  return new Map(
    [...old].map(([id, view]) => {
      const isEnded = view.status !== 'running' && view.status !== 'pending';
      return [id, isEnded ? view : { ...view, conversation: EMPTY_CONVERSATION }];
    }),
  );
}

function change(old: Subagents, id: string, agent: string, apply: (known: SubagentView) => SubagentView): Subagents {
  const next = new Map(old);
  next.set(id, apply(old.get(id) ?? createSubagentView(id, agent)));
  return next;
}

function identify(known: SubagentView, { agent, sessionFile, parentToolCallId }: Identity): SubagentView {
  return {
    ...known,
    agent,
    sessionFile: sessionFile ?? known.sessionFile,
    parentToolCallId: parentToolCallId ?? known.parentToolCallId,
  };
}

function endSubagent(known: SubagentView, event: Extract<SubagentEvent, { type: 'subagent_end' }>): SubagentView {
  const { exitCode, aborted, verification, error } = event;
  const status = exitCode === 0 ? 'completed' : aborted ? 'aborted' : 'failed';
  return { ...known, status, verification, error };
}

/** An event of the session of a subagent: its conversation, or one of its own subagents. */
function reduceInnerEvent(old: Subagents, id: string, event: AgentEvent): Subagents {
  if (!isSubagentEvent(event)) {
    return change(old, id, '', (known) => ({
      ...known,
      conversation: reduceConversation(known.conversation, event),
    }));
  }
  const next = new Map(reduceSubagents(old, event));
  for (const [key, view] of next) {
    if (!old.has(key) && key !== id) next.set(key, { ...view, parentId: id });
  }
  return next;
}

type VerificationEvent = Extract<SubagentEvent, { type: `subagent_verification_${string}` }>;

function reduceAttempts(
  old: readonly VerificationAttemptView[],
  event: VerificationEvent,
): readonly VerificationAttemptView[] {
  const known = old.find(({ attempt }) => attempt === event.attempt);
  const base: VerificationAttemptView = known ?? { attempt: event.attempt, status: 'running', commands: [] };
  const next = applyToAttempt(base, event);
  return known ? old.map((one) => (one === known ? next : one)) : [...old, next];
}

function applyToAttempt(base: VerificationAttemptView, event: VerificationEvent): VerificationAttemptView {
  if (event.type === 'subagent_verification_start') return base;
  if (event.type === 'subagent_verification_end') return { ...base, status: event.status };
  const others = base.commands.filter(({ name }) => name !== event.commandName);
  if (event.type === 'subagent_verification_command_start') {
    const started = { name: event.commandName, status: 'running' as const, durationMs: undefined };
    return { ...base, commands: [...others, started] };
  }
  const status = event.exitCode === 0 ? ('passed' as const) : ('failed' as const);
  return { ...base, commands: [...others, { name: event.commandName, status, durationMs: event.durationMs }] };
}
