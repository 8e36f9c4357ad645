// The list of all events of the protocol.
import type { EventOf } from '../event.ts';
import { autoCompactionEnd, autoCompactionStart, compactionEnd, compactionStart } from './compaction.ts';
import { messageEnd, messageStart, messageUpdate } from './message.ts';
import {
  agentEnd,
  agentSettled,
  agentStart,
  autoRetryEnd,
  autoRetryStart,
  queueUpdate,
  sessionSettled,
  skillLoaded,
  todoReminder,
  ttsrTriggered,
  turnEnd,
  turnStart,
} from './run.ts';
import {
  availableCommandsUpdate,
  budgetExceeded,
  budgetWarning,
  extensionError,
  notice,
  sessionInfoChanged,
  thinkingLevelChanged,
} from './session.ts';
import {
  subagentEnd,
  subagentEvent,
  subagentLifecycleEvent,
  subagentProgressEvent,
  subagentSession,
  subagentStart,
  subagentVerificationCommandEnd,
  subagentVerificationCommandStart,
  subagentVerificationEnd,
  subagentVerificationStart,
} from './subagent.ts';
import { bashExecutionUpdate, toolExecutionEnd, toolExecutionStart, toolExecutionUpdate } from './tool.ts';

export const events = [
  agentStart,
  agentEnd,
  agentSettled,
  sessionSettled,
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
  availableCommandsUpdate,
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
