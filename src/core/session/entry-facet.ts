// Gives extensions access to the entries of the session log.
import { Fault } from '../../base/index.ts';
import type { SessionEntries } from '../../contracts/index.ts';
import type { EntryBody, SessionEntry } from '../../protocol/index.ts';
import type { SessionState } from './session-state.ts';

export class EntryFacet implements SessionEntries {
  readonly #state: SessionState;

  constructor(state: SessionState) {
    this.#state = state;
  }

  get path(): readonly SessionEntry[] {
    return this.#state.conversation.path;
  }

  get leafId(): string | null {
    return this.#state.conversation.leafId;
  }

  async append(body: EntryBody): Promise<string> {
    const [entry] = await this.#state.conversation.commit([body]);
    return entry?.id ?? '';
  }

  flush(): Promise<void> {
    return this.#state.conversation.flush();
  }

  async setLabel(targetId: string, label: string | undefined): Promise<void> {
    const { conversation } = this.#state;
    const exists = (await conversation.readAll()).some((entry) => entry.id === targetId);
    if (!exists) throw new Fault('not_found', `No entry has the id ${targetId}`);
    await conversation.commit([{ type: 'label', targetId, ...(label ? { label } : {}) }]);
  }

  subscribe(listener: (entries: readonly SessionEntry[]) => void): () => void {
    this.#state.entryListeners.add(listener);
    return () => this.#state.entryListeners.delete(listener);
  }
}
