// The hall, terminal: what the agent is busy with, in a few words, and since when. Knows events; no terminal.
import type { AgentEvent } from '../protocol/index.ts';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 120;

export class Activity {
  #since: number | undefined;
  #what = '';
  readonly #subagents = new Map<string, string>();

  get isBusy(): boolean {
    return this.#since !== undefined;
  }

  take(event: AgentEvent, now: number): void {
    switch (event.type) {
      case 'agent_start':
        this.#begin('Working', now);
        return;
      case 'auto_retry_start':
        this.#begin(
          `Asking again in ${Math.ceil(event.delayMs / 1000)} s (${event.attempt} of ${event.maxAttempts}): ${event.errorMessage}`,
          now,
        );
        return;
      case 'auto_compaction_start':
      case 'compaction_start':
        this.#begin('Summarising the conversation', now);
        return;
      case 'auto_compaction_end':
        this.#what = 'Working';
        return;
      case 'compaction_end':
      case 'agent_settled':
        this.#subagents.clear();
        this.#since = undefined;
        return;
      case 'subagent_start':
        this.#subagents.set(event.id, event.agent);
        return;
      case 'subagent_verification_command_start':
        this.#subagents.set(event.id, `checking with ${event.commandName}`);
        return;
      case 'subagent_end':
        this.#subagents.delete(event.id);
        return;
      default:
        return;
    }
  }

  /** One line each; nothing when nothing goes on. */
  lines(now: number): string[] {
    if (this.#since === undefined) return [];
    const elapsed = Math.max(0, now - this.#since);
    const frame = FRAMES[Math.floor(elapsed / FRAME_MS) % FRAMES.length] ?? '';
    const seconds = Math.floor(elapsed / 1000);
    const subagents = [...this.#subagents].map(([id, what]) => `  ↳ ${id}: ${what}`);
    return [`${frame} ${this.#what}${seconds > 0 ? ` · ${seconds} s` : ''} · Esc stops`, ...subagents];
  }

  #begin(what: string, now: number): void {
    this.#what = what;
    this.#since ??= now;
  }
}
