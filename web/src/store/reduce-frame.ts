// The reducer of a session: a view and the next frame of the server give the next view. Pure.
import type { AgentEvent, AgentMessage, SessionState } from '../../../src/protocol/index.ts';
import type { IncomingFrame, SessionAttached, SessionSnapshot } from '../wire/server-frames.ts';
import { addNotice, reduceConversation, startConversation } from './conversation.ts';
import { isSubagentEvent, reduceSubagents, resetConversations } from './reduce-subagents.ts';
import { dropUnconfirmed, reduceUiRequest } from './reduce-ui-request.ts';
import { createSessionView, type SessionView } from './session-view.ts';
import { groupTodos, isTodoList } from './todo-list.ts';

/** Events that were already applied are ignored: a replay may begin before the last event of this view. */
export function reduceFrame(old: SessionView, frame: IncomingFrame): SessionView {
  if (frame.type === 'session_attached') return attach(old, frame);
  if (frame.type === 'session_snapshot') return applySnapshot(old, frame);
  if (frame.type === 'extension_ui_request') return reduceUiRequest(old, frame);
  if (frame.type === 'response') return dropUnconfirmed(old);
  if (frame.type === 'prompt_result' || frame.type === 'ready') return old;
  const { seq, client } = frame;
  if (seq !== undefined && seq <= old.seq) return old;
  const next = reduceEvent(old, frame, client);
  return seq === undefined ? next : { ...next, seq };
}

/**
 * The server sends pending dialogs again after this frame, before any reply. Until then they are shown, so that an answer that the
 * user is writing is not lost. It does not replay the events of subagents.
 */
function attach(old: SessionView, { sessionId, clientId, access, seq, replay }: SessionAttached): SessionView {
  const base = old.sessionId === sessionId ? old : createSessionView(sessionId);
  const subagents = resetConversations(base.subagents);
  const attachCount = old.attachCount + 1;
  const unconfirmedDialogs = base.dialogs.map(({ id }) => id);
  const next = { ...base, clientId, access, attachCount, subagents, unconfirmedDialogs, links: [] };
  // Without a replay the live events begin after `seq`. A snapshot has its own number.
  return replay === 'none' ? { ...next, seq } : next;
}

function applySnapshot(old: SessionView, snapshot: SessionSnapshot): SessionView {
  const { sessionId, seq, state, queues } = snapshot;
  return {
    ...createSessionView(sessionId),
    clientId: old.clientId,
    access: old.access,
    attachCount: old.attachCount,
    dialogs: old.dialogs,
    unconfirmedDialogs: old.unconfirmedDialogs,
    links: old.links,
    commands: old.commands,
    totals: old.totals,
    editorText: old.editorText,
    subagents: old.subagents,
    isLoaded: true,
    seq,
    state: normalizeState(state),
    queues,
    compaction: state.isCompacting ? 'requested' : undefined,
    conversation: startConversation(old.conversation, snapshot),
    isInterrupted: state.isInterrupted ?? false,
  };
}

function normalizeState(state: SessionState): SessionState {
  return { ...state, todoPhases: state.todoPhases ?? [] };
}

/** Takes over a state that a command returned or an event announced. */
export function applyState(old: SessionView, state: Partial<SessionState>): SessionView {
  const merged = { ...old.state, ...state, todoPhases: state.todoPhases ?? old.state?.todoPhases ?? [] };
  return {
    ...old,
    state: merged as SessionState,
    isInterrupted: state.isInterrupted ?? old.isInterrupted,
  };
}

function reduceEvent(old: SessionView, event: AgentEvent, client: string | undefined): SessionView {
  if (event.type === 'state_changed') return applyState(old, event.state);
  if (event.type === 'conversation_changed') return { ...old, isOutdated: true };
  if (isSubagentEvent(event)) return { ...old, subagents: reduceSubagents(old.subagents, event) };
  const conversation = reduceConversation(old.conversation, event);
  const base = conversation === old.conversation ? old : { ...old, conversation };
  if (event.type === 'message_end') return countMessage(base, event.message);
  if (event.type === 'tool_execution_end') return applyToolDetails(base, event.result.details);
  return reduceRun(base, event, client);
}

function changeState(old: SessionView, change: Partial<SessionState>): SessionView {
  return old.state ? { ...old, state: { ...old.state, ...change } } : old;
}

function countMessage(old: SessionView, message: AgentMessage): SessionView {
  const counted = changeState(old, { messageCount: old.conversation.messages.length });
  if (message.role !== 'assistant') return counted;
  const { usage } = message;
  const tokens = usage.totalTokens ?? usage.input + usage.output + usage.cacheRead + usage.cacheWrite;
  const totals = {
    cost: old.totals.cost + usage.cost.total,
    tokens: old.totals.tokens + tokens,
    contextTokens: tokens > 0 ? tokens : old.totals.contextTokens,
  };
  return { ...counted, totals };
}

/** A tool that changes the todo list returns the new list in its details. */
function applyToolDetails(old: SessionView, details: unknown): SessionView {
  const todos = (details as { todos?: unknown } | null | undefined)?.todos;
  return isTodoList(todos) ? changeState(old, { todoPhases: groupTodos(todos) }) : old;
}

function reduceRun(old: SessionView, event: AgentEvent, client: string | undefined): SessionView {
  switch (event.type) {
    case 'agent_start': {
      const running = { ...old, runClient: client ?? old.runClient, isInterrupted: false };
      return changeState(running, { isStreaming: true, isSettled: false });
    }
    case 'agent_end':
      return changeState(old, { isStreaming: false });
    case 'agent_settled':
      return changeState({ ...old, runClient: undefined, retry: undefined }, { isStreaming: false, isSettled: true });
    case 'queue_update':
      return { ...old, queues: { steering: event.steering, followUp: event.followUp } };
    case 'session_info_changed':
      return changeState(old, { sessionName: event.name });
    case 'thinking_level_changed':
      return changeState(old, { thinkingLevel: event.level });
    case 'available_commands_update':
      return { ...old, commands: event.commands };
    case 'budget_warning':
    case 'budget_exceeded':
      return reduceBudget(old, event);
    default:
      return reduceNotice(old, event);
  }
}

type BudgetEvent = Extract<AgentEvent, { type: 'budget_warning' | 'budget_exceeded' }>;

function reduceBudget(old: SessionView, { type, scope, snapshot }: BudgetEvent): SessionView {
  const isExceeded = type === 'budget_exceeded';
  const text = `The budget of the ${scope} is ${isExceeded ? 'used up' : 'nearly used up'}: ${snapshot.reason ?? 'limit'}`;
  const conversation = addNotice(old.conversation, isExceeded ? 'error' : 'warning', text);
  return { ...old, conversation, budget: scope === 'session' ? snapshot : old.budget };
}

function notify(old: SessionView, level: 'info' | 'warning' | 'error', text: string): SessionView {
  return { ...old, conversation: addNotice(old.conversation, level, text) };
}

function reduceNotice(old: SessionView, event: AgentEvent): SessionView {
  switch (event.type) {
    case 'auto_compaction_start':
      return changeState({ ...old, compaction: 'automatic' }, { isCompacting: true });
    case 'compaction_start':
      return changeState({ ...old, compaction: 'requested' }, { isCompacting: true });
    case 'auto_compaction_end':
    case 'compaction_end': {
      const ended = changeState({ ...old, compaction: undefined }, { isCompacting: false });
      if (event.errorMessage) return notify(ended, 'error', `Compaction failed: ${event.errorMessage}`);
      return event.result ? ended : notify(ended, 'warning', 'Compaction was aborted');
    }
    case 'auto_retry_start': {
      const { attempt, maxAttempts, delayMs, errorMessage } = event;
      const text = `Attempt ${attempt} of ${maxAttempts} follows: ${errorMessage}`;
      return notify({ ...old, retry: { attempt, maxAttempts, delayMs, errorMessage } }, 'warning', text);
    }
    case 'auto_retry_end': {
      const ended = { ...old, retry: undefined };
      return event.success ? ended : notify(ended, 'error', `Retrying ended: ${event.finalError ?? 'cancelled'}`);
    }
    case 'ttsr_triggered':
      return notify(old, 'warning', `Interrupted by a rule: ${event.rules.map(({ name }) => name).join(', ')}`);
    case 'todo_reminder':
      return notify(old, 'info', `Reminder of unfinished todo items, ${event.attempt} of ${event.maxAttempts}`);
    case 'skill_loaded':
      return notify(old, 'info', `Skill loaded: ${event.name}`);
    case 'extension_error':
      return notify(old, 'error', `Extension ${event.extensionPath} failed: ${event.error}`);
    case 'notice':
      return notify(old, event.level, event.message);
    default:
      return old;
  }
}
