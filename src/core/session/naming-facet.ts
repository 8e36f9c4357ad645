// The display name of the session.
import type { Naming } from '../../contracts/index.ts';
import type { SessionState } from './session-state.ts';

export class NamingFacet implements Naming {
  readonly #state: SessionState;
  #name: string | undefined;

  constructor(state: SessionState) {
    this.#state = state;
    this.#name = state.options.name ?? state.options.resumed?.name;
    if (state.options.name) state.conversation.appendDeferred([{ type: 'session_info', name: state.options.name }]);
  }

  get name(): string | undefined {
    return this.#name;
  }

  async rename(name: string): Promise<void> {
    await this.#state.conversation.commit([{ type: 'session_info', name }]);
    this.#name = name;
    await this.#state.broadcast.emit({ type: 'session_info_changed', name });
  }

  reset(name: string | undefined): void {
    this.#name = name;
  }
}
