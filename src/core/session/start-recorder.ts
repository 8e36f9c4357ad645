// Records the start of tool calls, so that a process that continues the run does not run a tool for the second time.
import { getErrorMessage } from '../../base/index.ts';
import { type AgentMessage, getToolCalls } from '../../protocol/index.ts';
import { TOOL_START_ENTRY } from '../../protocol/run-progress.ts';
import type { Conversation } from '../tree/conversation.ts';
import type { SessionLimits } from './session-limits.ts';

export interface StartRecorder {
  /** Resolves with the reason if the start could not be stored. */
  record(toolCallId: string): Promise<string | undefined>;
  /** Fields of the entry of a message. Without them nothing is known about the calls of an answer. */
  describeAnswer(message: AgentMessage): { startsRecordedIn?: string };
  /** Set when a start could not be stored. */
  readonly haltReason: string | undefined;
}

export function createStartRecorder(conversation: Conversation, limits: SessionLimits): StartRecorder {
  let haltReason: string | undefined;
  return {
    get haltReason() {
      return haltReason;
    },
    describeAnswer: (message) =>
      message.role === 'assistant' && getToolCalls(message).length > 0
        ? { startsRecordedIn: conversation.header.id }
        : {},
    async record(toolCallId) {
      try {
        // With the spending: a call that was started was also counted.
        await conversation.commit([
          ...limits.takeSpendingEntries(),
          { type: 'custom', customType: TOOL_START_ENTRY, data: { toolCallId } },
        ]);
        return undefined;
      } catch (problem) {
        haltReason = `The tool was not run, because its start could not be stored: ${getErrorMessage(problem)}`;
        return haltReason;
      }
    },
  };
}
