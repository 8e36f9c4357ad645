// First floor, dialects: the runs of one prompt as legacy pi tells them: one agent_start, one agent_end when nothing remains.
import type { AgentEventOf, AgentMessage } from '../../protocol/index.ts';
import { legacyMessage } from './messages.ts';

/**
 * Hosts of this dialect know no retries and no continuations, and take agent_end for leave to prompt again. So the runs
 * that follow one another by themselves are told as one, whose end comes when the session would take a prompt.
 */
export class LegacyRuns {
  #isOpen = false;
  #made: AgentMessage[] = [];

  begin(): { type: 'agent_start' } | undefined {
    if (this.#isOpen) return undefined;
    this.#isOpen = true;
    return { type: 'agent_start' };
  }

  add({ messages }: AgentEventOf<'agent_end'>): void {
    this.#made.push(...messages);
  }

  end(): { type: 'agent_end'; messages: AgentMessage[] } | undefined {
    if (!this.#isOpen) return undefined;
    const messages = this.#made.map(legacyMessage);
    this.#isOpen = false;
    this.#made = [];
    return { type: 'agent_end', messages };
  }
}
