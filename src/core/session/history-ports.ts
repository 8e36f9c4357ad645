// What HistoryFacet needs from the rest of the session.
import type { AgentMessage } from '../../protocol/index.ts';
import type { PromptPrefix } from '../context/prompt-prefix.ts';

export interface HistoryPorts {
  /** Messages that are stored but not yet part of the conversation. */
  getHeldMessages(): readonly AgentMessage[];
  getSessionName(): string | undefined;
  /** The system prompt and the tools that the next request starts with. */
  getPromptPrefix(): Promise<PromptPrefix>;
  /** Aborts the run and the compaction. Resolves after their last events. */
  abortActiveWork(): Promise<void>;
  /** Aborts the host's shell commands. Resolves when their messages are in the conversation. */
  stopShellCommands(): Promise<void>;
  /** Called before the open conversation is closed. */
  saveDigest(): Promise<void>;
  /** Asks the model once, outside the conversation. */
  summarize(text: string, signal: AbortSignal): Promise<string>;
  /** Called after the conversation was replaced. */
  onConversationChanged(origin: 'new' | 'resumed', name: string | undefined): Promise<void>;
}
