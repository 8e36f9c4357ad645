// UI requests to the user of the host.
import type { UiAnswer, UiRequest } from '../protocol/index.ts';

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;
export type UiQuestion = WithoutId<Extract<UiRequest, { method: 'select' | 'confirm' | 'input' | 'editor' }>>;
export type UiDisplay = WithoutId<Exclude<UiRequest, { method: 'select' | 'confirm' | 'input' | 'editor' }>>;

/** Why a question has no answer. `unsupported`: the host cannot show it. */
export type NoAnswerReason = 'timeout' | 'aborted' | 'dismissed' | 'closed' | 'unsupported';

export interface AskOptions {
  readonly timeout?: number;
  readonly signal?: AbortSignal;
  /** Called before `ask` resolves to `undefined`. */
  onNoAnswer?(reason: NoAnswerReason): void;
}

export interface HostUi {
  /** `undefined` without an answer: timed out, aborted, dismissed, or the host has closed. Then the caller uses its default. */
  ask(question: UiQuestion, options?: AskOptions): Promise<UiAnswer | undefined>;
  /** Displays something without waiting for an answer. */
  show(display: UiDisplay): void;
  /** Resolves when the host has closed its input. */
  readonly closed: Promise<void>;
}
