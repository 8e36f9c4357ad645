// Notices when the state of a session has changed, apart from what the events of runs report.
import type { AgentSession } from '../../contracts/index.ts';

type State = ReturnType<AgentSession['state']>;

/** Changed by every run, which has its own events. */
const CHANGED_BY_RUNS = [
  'isStreaming',
  'isCompacting',
  'isSettled',
  'tokensPerSecond',
  'messageCount',
  'queuedMessageCount',
  'pendingMessageCount',
  'isInterrupted',
];

export class StateObserver {
  readonly #session: AgentSession;
  #last: string;

  /** `previous` observed the same session before it was opened again: differences from its state count as a change. */
  constructor(session: AgentSession, previous?: StateObserver) {
    this.#session = session;
    this.#last = previous ? previous.#last : describeState(session.state());
  }

  /** The state, if it has changed since the last call. */
  takeChange(): State | undefined {
    const state = this.#session.state();
    const description = describeState(state);
    if (description === this.#last) return undefined;
    this.#last = description;
    return state;
  }
}

function describeState(state: State): string {
  return JSON.stringify(Object.entries(state).filter(([name]) => !CHANGED_BY_RUNS.includes(name)));
}
