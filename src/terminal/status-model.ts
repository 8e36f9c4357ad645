// Holds what the footer and the widgets show: session state, cost, branch, queued messages and displays of extensions.

import type { Client, DisplayRequest } from '../client/index.ts';
import type { AgentEvent, SessionSnapshot, SessionState } from '../protocol/index.ts';
import { ExtensionDisplays } from './extension-displays.ts';
import { formatFooter } from './footer.ts';
import type { LayoutInput } from './layout.ts';

const EMPTY_QUEUE: LayoutInput['queue'] = { steering: [], followUp: [] };
/** Events that may change the state, the cost or the use of the context window. */
const REFRESH_EVENTS: ReadonlySet<string> = new Set([
  'session_info_changed',
  'thinking_level_changed',
  'turn_end',
  'auto_compaction_end',
  'compaction_end',
  'agent_settled',
  'state_changed',
  'conversation_changed',
]);

export interface StatusPorts {
  readonly client: Client;
  /** The directory of the session, as it is shown. */
  readonly directory: string;
  /** The git branch, or a short commit id. */
  readBranch(): Promise<string | undefined>;
}

export class StatusModel {
  readonly #ports: StatusPorts;
  readonly #displays = new ExtensionDisplays();
  #queue = EMPTY_QUEUE;
  #cost = 0;
  #contextPercent: number | undefined;
  #branch: string | undefined;
  #state: SessionState;
  /** Shown instead of the footer when set. */
  hint: string | undefined;

  constructor(ports: StatusPorts, state: SessionState) {
    this.#ports = ports;
    this.#state = state;
  }

  get state(): SessionState {
    return this.#state;
  }

  get queue(): LayoutInput['queue'] {
    return this.#queue;
  }

  async refresh(): Promise<void> {
    const { client, readBranch } = this.#ports;
    const [state, stats, branch] = await Promise.all([
      client.call('get_state'),
      // Agents of other versions may not have this command.
      client.call('get_session_stats').catch(() => undefined),
      readBranch().catch(() => undefined),
    ]);
    this.#state = state;
    this.#branch = branch;
    if (!stats) return;
    const { cost, contextUsage } = stats;
    this.#cost = cost;
    // Without a known size of the context window there is no percentage.
    this.#contextPercent = contextUsage && contextUsage.contextWindow > 0 ? contextUsage.percent : undefined;
  }

  /** Call when another session is shown. */
  clearQueue(): void {
    this.#queue = EMPTY_QUEUE;
  }

  handleSnapshot({ state, queues }: SessionSnapshot): void {
    this.#state = state;
    this.#queue = queues;
  }

  /** Returns whether the caller must call `refresh`. */
  handleEvent(event: AgentEvent): boolean {
    if (event.type === 'queue_update') this.#queue = event;
    if (event.type === 'state_changed') this.#state = { ...this.#state, ...event.state };
    // The user may quit before the next refresh, and must learn how to resume the session.
    if (event.type === 'message_end') this.#state = { ...this.#state, messageCount: this.#state.messageCount + 1 };
    return REFRESH_EVENTS.has(event.type);
  }

  handleDisplay(display: DisplayRequest): void {
    this.#displays.apply(display);
  }

  toLayoutInput(columns: number): Pick<LayoutInput, 'queue' | 'widgets' | 'status'> {
    const footer = {
      state: this.#state,
      cost: this.#cost,
      contextPercent: this.#contextPercent,
      directory: this.#ports.directory,
      branch: this.#branch,
      extensionTexts: this.#displays.statusTexts,
    };
    return {
      queue: this.#queue,
      widgets: { above: this.#displays.renderWidgets(false), below: this.#displays.renderWidgets(true) },
      status: this.hint ?? formatFooter(footer, columns),
    };
  }
}
