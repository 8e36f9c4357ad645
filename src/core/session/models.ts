// First floor, core: which model answers, and how hard it thinks.
import type { ModelChoice } from '../../contracts/index.ts';
import { clampLevel, type Model, type ThinkingLevel } from '../../protocol/index.ts';
import type { Seat } from './seat.ts';

export class ModelFacet implements ModelChoice {
  readonly current: Model | null;
  readonly thinkingLevel: ThinkingLevel;
  readonly #seat: Seat;

  constructor(seat: Seat) {
    this.#seat = seat;
    this.current = seat.options.model;
    this.thinkingLevel = clampLevel(seat.options.thinkingLevel, this.current);
    this.note();
  }

  /** The first entries of a conversation say how it began. */
  note(): void {
    const { current, thinkingLevel } = this;
    if (current) {
      this.#seat.conversation.note([{ type: 'model_change', provider: current.provider, modelId: current.id }]);
    }
    this.#seat.conversation.note([{ type: 'thinking_level_change', thinkingLevel }]);
  }
}
