// First floor, core: the log, for those who keep something of their own in it. Knows no extension.
import { Fault } from '../../base/index.ts';
import type { Entries } from '../../contracts/index.ts';
import type { EntryBody, SessionEntry } from '../../protocol/index.ts';
import type { Seat } from './seat.ts';

export class EntryFacet implements Entries {
  readonly #seat: Seat;

  constructor(seat: Seat) {
    this.#seat = seat;
  }

  get path(): readonly SessionEntry[] {
    return this.#seat.conversation.path;
  }

  get leafId(): string | null {
    return this.#seat.conversation.leafId;
  }

  async append(body: EntryBody): Promise<string> {
    const [entry] = await this.#seat.conversation.commit([body]);
    return entry?.id ?? '';
  }

  async label(targetId: string, label: string | undefined): Promise<void> {
    const { conversation } = this.#seat;
    const known = (await conversation.all()).some((entry) => entry.id === targetId);
    if (!known) throw new Fault('not_found', `No entry has the id ${targetId}`);
    await conversation.commit([{ type: 'label', targetId, ...(label ? { label } : {}) }]);
  }

  watch(listener: (entries: readonly SessionEntry[]) => void): () => void {
    this.#seat.watchers.add(listener);
    return () => this.#seat.watchers.delete(listener);
  }
}
