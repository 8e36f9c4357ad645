// First floor, core: what leaving one conversation for another needs from the rest of its session.
import type { AgentMessage } from '../../protocol/index.ts';

export interface HistoryPorts {
  /** Messages that are kept but not yet part of the conversation. */
  held(): readonly AgentMessage[];
  name(): string | undefined;
  /** Ends what is running, with its last events. */
  leave(): Promise<void>;
  /** Ends the host's shell commands; their records are in the conversation then. */
  endCommands(): Promise<void>;
  /** The open conversation is about to be closed. */
  remember(): Promise<void>;
  /** One question to the model outside the conversation. */
  summarise(text: string, signal: AbortSignal): Promise<string>;
  /** Another conversation is in place: begun now, or gone on with under this name. */
  arrive(how: 'new' | 'resumed', name: string | undefined): Promise<void>;
}
