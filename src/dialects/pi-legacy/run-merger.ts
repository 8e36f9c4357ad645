// Merges the runs of one prompt for legacy pi: one agent_start, and one agent_end when the session is idle.
import type { AgentEventOf, AgentMessage } from '../../protocol/index.ts';
import { toLegacyMessage } from './legacy-message.ts';

/**
 * Hosts of this dialect do not know retries or continuations, and send the next prompt after agent_end. Runs that follow
 * each other automatically are therefore sent as one run, which ends when the session accepts a prompt again.
 */
export class RunMerger {
  #isOpen = false;
  #messages: AgentMessage[] = [];

  start(): { type: 'agent_start' } | undefined {
    if (this.#isOpen) return undefined;
    this.#isOpen = true;
    return { type: 'agent_start' };
  }

  addRun({ messages }: AgentEventOf<'agent_end'>): void {
    this.#messages.push(...messages);
  }

  end(): { type: 'agent_end'; messages: AgentMessage[] } | undefined {
    if (!this.#isOpen) return undefined;
    const messages = this.#messages.map(toLegacyMessage);
    this.#isOpen = false;
    this.#messages = [];
    return { type: 'agent_end', messages };
  }
}
