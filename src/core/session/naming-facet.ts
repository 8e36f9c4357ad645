// The display name of the session.
import type { Naming } from '../../contracts/index.ts';
import type { SessionState } from './session-state.ts';

export class NamingFacet implements Naming {
  readonly #state: SessionState;
  #name: string | undefined;
  /** Differs from `#name` until the name that is shown has been stored. */
  #storedName: string | undefined;

  constructor(state: SessionState) {
    this.#state = state;
    this.#name = state.options.name ?? state.options.resumed?.name;
    this.#storedName = this.#name;
    if (state.options.name) state.conversation.appendDeferred([{ type: 'session_info', name: state.options.name }]);
  }

  get name(): string | undefined {
    return this.#name;
  }

  show(name: string): void {
    this.#name = name;
  }

  async rename(name: string): Promise<void> {
    try {
      await this.#state.conversation.commit([{ type: 'session_info', name }]);
    } catch (thrown) {
      this.#name = this.#storedName;
      throw thrown;
    }
    // A later name may already be shown.
    if (this.#name === this.#storedName) this.#name = name;
    this.#storedName = name;
    await this.#state.broadcast.emit({ type: 'session_info_changed', name });
  }

  reset(name: string | undefined): void {
    this.#name = name;
    this.#storedName = name;
  }
}
