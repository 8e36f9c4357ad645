// Holds what the status line and the widgets show: session state, cost, queued messages and displays of extensions.

import type { Client, DisplayRequest } from '../client/index.ts';
import type { AgentEvent, SessionState } from '../protocol/index.ts';
import { ExtensionDisplays } from './extension-displays.ts';
import type { LayoutInput } from './layout.ts';

const EMPTY_QUEUE: LayoutInput['queue'] = { steering: [], followUp: [] };
/** Events that may change the state or the cost. */
const REFRESH_EVENTS: ReadonlySet<string> = new Set([
  'session_info_changed',
  'thinking_level_changed',
  'agent_settled',
]);

export class StatusModel {
  readonly #client: Client;
  readonly #displays = new ExtensionDisplays();
  #queue = EMPTY_QUEUE;
  #cost = 0;
  #state: SessionState;
  /** Shown instead of the status line when set. */
  hint: string | undefined;

  constructor(client: Client, state: SessionState) {
    this.#client = client;
    this.#state = state;
  }

  get state(): SessionState {
    return this.#state;
  }

  async refresh(): Promise<void> {
    const [state, { cost }] = await Promise.all([
      this.#client.call('get_state'),
      this.#client.call('get_session_stats'),
    ]);
    this.#state = state;
    this.#cost = cost;
  }

  /** Call when another session is shown. */
  clearQueue(): void {
    this.#queue = EMPTY_QUEUE;
  }

  /** Returns whether the caller must call `refresh`. */
  handleEvent(event: AgentEvent): boolean {
    if (event.type === 'queue_update') this.#queue = event;
    return REFRESH_EVENTS.has(event.type);
  }

  handleDisplay(display: DisplayRequest): void {
    this.#displays.apply(display);
  }

  toLayoutInput(): Pick<LayoutInput, 'queue' | 'widgets' | 'status'> {
    return {
      queue: this.#queue,
      widgets: { above: this.#displays.renderWidgets(false), below: this.#displays.renderWidgets(true) },
      status: this.hint ?? formatStatusLine(this.#state, this.#cost, this.#displays.statusTexts),
    };
  }
}

function formatStatusLine(state: SessionState, cost: number, extensionTexts: readonly string[]): string {
  const { model, thinkingLevel, sessionName, trusted } = state;
  const parts = [
    model ? `${model.provider}/${model.id}` : 'no model',
    ...(thinkingLevel === 'off' ? [] : [`thinking ${thinkingLevel}`]),
    ...(sessionName ? [sessionName] : []),
    ...(cost > 0 ? [`$${cost.toFixed(cost < 1 ? 4 : 2)}`] : []),
    ...(trusted ? ['trusted'] : []),
    ...extensionTexts,
    '/help',
  ];
  return parts.join(' · ');
}
