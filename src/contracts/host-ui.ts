// Ground floor: putting a question before the person at the host. Whoever asks never learns how it travels.
import type { UiAnswer, UiRequest } from '../protocol/index.ts';

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;
export type UiQuestion = WithoutId<Extract<UiRequest, { method: 'select' | 'confirm' | 'input' | 'editor' }>>;
export type UiDisplay = WithoutId<Exclude<UiRequest, { method: 'select' | 'confirm' | 'input' | 'editor' }>>;

export interface HostUi {
  /** `undefined` when nobody answers: timed out, aborted, dismissed, or the host is gone. The asker takes its default. */
  ask(question: UiQuestion, options?: { timeout?: number; signal?: AbortSignal }): Promise<UiAnswer | undefined>;
  /** Shown and forgotten. */
  show(display: UiDisplay): void;
  /** Resolves when the host has no more to say. */
  readonly gone: Promise<void>;
}
