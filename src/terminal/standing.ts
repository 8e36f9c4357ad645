// The hall, terminal: how things stand beside what was said: the session's state, what it cost, what waits, what extensions want shown.
import type { Client, Display } from '../client/index.ts';
import type { AgentEvent, SessionState } from '../protocol/index.ts';
import { Displays } from './displays.ts';
import type { Scene } from './picture.ts';
import { statusLine } from './status.ts';

const NOTHING_WAITS: Scene['queue'] = { steering: [], followUp: [] };
/** After these the status may say something else. */
const NEWS: ReadonlySet<string> = new Set(['session_info_changed', 'thinking_level_changed', 'agent_settled']);

export class Standing {
  readonly #client: Client;
  readonly #displays = new Displays();
  #queue = NOTHING_WAITS;
  #cost = 0;
  #state: SessionState;
  /** Words that stand in the place of the status until the next key. */
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

  /** Another session has a queue of its own. */
  forgetQueue(): void {
    this.#queue = NOTHING_WAITS;
  }

  /** Returns whether to refresh. */
  take(event: AgentEvent): boolean {
    if (event.type === 'queue_update') this.#queue = event;
    return NEWS.has(event.type);
  }

  show(display: Display): void {
    this.#displays.take(display);
  }

  scene(): Pick<Scene, 'queue' | 'widgets' | 'status'> {
    return {
      queue: this.#queue,
      widgets: { above: this.#displays.widgets(false), below: this.#displays.widgets(true) },
      status: this.hint ?? statusLine(this.#state, this.#cost, this.#displays.status),
    };
  }
}
