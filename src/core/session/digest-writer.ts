// Decides when the digest of a session is written to its log.
import type { NamingFacet } from './naming-facet.ts';
import type { SessionState } from './session-state.ts';

/** Delays the write until after the session has been opened. */
const WRITE_DELAY_MS = 250;

export class DigestWriter {
  readonly #state: SessionState;
  readonly #naming: NamingFacet;
  #cancel = () => {};

  constructor(state: SessionState, naming: NamingFacet) {
    this.#state = state;
    this.#naming = naming;
  }

  /** Called after a log was opened. The digest makes the next start faster. */
  scheduleWrite(): void {
    this.#cancel();
    this.#cancel = this.#state.ports.clock.after(WRITE_DELAY_MS, () => void this.#write(false));
  }

  /** Called before the log is closed. */
  flush(): Promise<void> {
    this.#cancel();
    return this.#write(true);
  }

  #write(isClosing: boolean): Promise<void> {
    const { name } = this.#naming;
    return this.#state.conversation.saveDigest({
      isClosing,
      name,
      createDigest: async (path) => (await import('./create-digest.ts')).createDigest(path),
    });
  }
}
