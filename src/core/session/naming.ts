// First floor, core: the session's display name.
import type { Naming } from '../../contracts/index.ts';
import type { Seat } from './seat.ts';

export class NamingFacet implements Naming {
  readonly #seat: Seat;
  #name: string | undefined;

  constructor(seat: Seat) {
    this.#seat = seat;
    this.#name = seat.options.name ?? seat.options.resumed?.name;
    if (seat.options.name) seat.conversation.note([{ type: 'session_info', name: seat.options.name }]);
  }

  get name(): string | undefined {
    return this.#name;
  }

  async rename(name: string): Promise<void> {
    await this.#seat.conversation.commit([{ type: 'session_info', name }]);
    this.#name = name;
    await this.#seat.broadcast.emit({ type: 'session_info_changed', name });
  }

  reset(name: string | undefined): void {
    this.#name = name;
  }
}
