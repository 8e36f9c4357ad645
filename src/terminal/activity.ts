// Tracks what the agent is doing and for how long, and renders it as the activity lines.
import type { AgentEvent, SessionState } from '../protocol/index.ts';

const SPINNER_FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const SPINNER_FRAME_MS = 120;

export class Activity {
  #startedAt: number | undefined;
  #label = '';
  readonly #subagents = new Map<string, string>();

  get isBusy(): boolean {
    return this.#startedAt !== undefined;
  }

  /** For a run that began before the terminal was attached, or ended while it was not. */
  synchronize({ isStreaming, isCompacting, isSettled }: SessionState, now: number): void {
    if (isCompacting) this.#start('Compacting the context', now);
    // Other agents with this protocol may not have the newer field isSettled.
    else if (isStreaming || isSettled === false) this.#start('Working', now);
    else this.#stop();
  }

  handleEvent(event: AgentEvent, now: number): void {
    switch (event.type) {
      case 'agent_start':
        this.#start('Working', now);
        return;
      case 'auto_retry_start':
        this.#start(
          `Retrying in ${Math.ceil(event.delayMs / 1000)} s (attempt ${event.attempt} of ${event.maxAttempts}): ${event.errorMessage}`,
          now,
        );
        return;
      case 'auto_compaction_start':
      case 'compaction_start':
        this.#start('Compacting the context', now);
        return;
      case 'auto_compaction_end':
        this.#label = 'Working';
        return;
      case 'compaction_end':
      case 'agent_settled':
        this.#stop();
        return;
      case 'subagent_start':
        this.#subagents.set(event.id, event.agent);
        return;
      case 'subagent_verification_command_start':
        this.#subagents.set(event.id, `verifying with ${event.commandName}`);
        return;
      case 'subagent_end':
        this.#subagents.delete(event.id);
        return;
      default:
        return;
    }
  }

  /** The spinner line, then one line per running subagent. Empty when no run is active. */
  renderLines(now: number, { canStop }: { canStop: boolean }): string[] {
    if (this.#startedAt === undefined) return [];
    const elapsed = Math.max(0, now - this.#startedAt);
    const frame = SPINNER_FRAMES[Math.floor(elapsed / SPINNER_FRAME_MS) % SPINNER_FRAMES.length] ?? '';
    const seconds = Math.floor(elapsed / 1000);
    const subagents = [...this.#subagents].map(([id, activity]) => `  ↳ ${id}: ${activity}`);
    const time = seconds > 0 ? ` · ${seconds} s` : '';
    return [`${frame} ${this.#label}${time}${canStop ? ' · Esc to stop' : ''}`, ...subagents];
  }

  #stop(): void {
    this.#subagents.clear();
    this.#startedAt = undefined;
  }

  #start(label: string, now: number): void {
    this.#label = label;
    this.#startedAt ??= now;
  }
}
