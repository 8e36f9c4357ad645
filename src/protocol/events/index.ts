// The list of all events of the protocol.
import type { EventOf } from '../event.ts';
import { budgetExceeded, budgetWarning } from './budget.ts';
import { autoCompactionEnd, autoCompactionStart, compactionEnd, compactionStart } from './compaction.ts';
import { extensionError, notice } from './extension.ts';
import { messageEnd, messageStart, messageUpdate } from './message.ts';
import { queueUpdate } from './queue.ts';
import { autoRetryEnd, autoRetryStart } from './retry.ts';
import { skillLoaded, todoReminder, ttsrTriggered } from './rules-and-reminders.ts';
import { agentEnd, agentSettled, agentStart, turnEnd, turnStart } from './run.ts';
import { sessionInfoChanged, thinkingLevelChanged } from './session.ts';
import { bashExecutionUpdate } from './shell.ts';
import {
  subagentEnd,
  subagentSession,
  subagentStart,
  subagentVerificationCommandEnd,
  subagentVerificationCommandStart,
  subagentVerificationEnd,
  subagentVerificationStart,
} from './subagent.ts';
import { subagentEvent, subagentLifecycleEvent, subagentProgressEvent } from './subagent-subscription.ts';
import { toolExecutionEnd, toolExecutionStart, toolExecutionUpdate } from './tool.ts';

export const events = [
  agentStart,
  agentEnd,
  agentSettled,
  turnStart,
  turnEnd,
  messageStart,
  messageUpdate,
  messageEnd,
  toolExecutionStart,
  toolExecutionUpdate,
  toolExecutionEnd,
  autoCompactionStart,
  autoCompactionEnd,
  compactionStart,
  compactionEnd,
  autoRetryStart,
  autoRetryEnd,
  queueUpdate,
  sessionInfoChanged,
  thinkingLevelChanged,
  bashExecutionUpdate,
  subagentStart,
  subagentSession,
  subagentEnd,
  subagentVerificationStart,
  subagentVerificationCommandStart,
  subagentVerificationCommandEnd,
  subagentVerificationEnd,
  subagentLifecycleEvent,
  subagentProgressEvent,
  subagentEvent,
  budgetWarning,
  budgetExceeded,
  ttsrTriggered,
  todoReminder,
  skillLoaded,
  extensionError,
  notice,
] as const;

export type AgentEvent = EventOf<(typeof events)[number]>;
export type AgentEventOf<T extends AgentEvent['type']> = Extract<AgentEvent, { type: T }>;
