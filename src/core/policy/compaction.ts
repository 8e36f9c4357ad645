// First floor, core: when a conversation has to shrink. Pure.
import type { AssistantMessage, Failure, Model } from '../../protocol/index.ts';

export const CANCELLED = 'Compaction cancelled';

export interface CompactionSettings {
  enabled: boolean;
  /** Kept free for the answer. */
  reserveTokens: number;
  /** Left as they are at the end of the conversation. */
  keepRecentTokens: number;
}

const OVERFLOW_WORDS =
  /context[_ ]length|context window|maximum context|prompt is too long|too many tokens|input is too long|request too large|exceeds? the (maximum|limit|available context)/i;

/** The provider refused the request because it was too long. */
export function isOverflow(answer: AssistantMessage, failure: Failure | undefined): boolean {
  if (answer.stopReason !== 'error') return false;
  return failure ? failure.kind === 'overflow' : OVERFLOW_WORDS.test(answer.errorMessage ?? '');
}

/** The next answer might not fit any more. A reserve that fills a small window leaves half of it. */
export function isNearlyFull(tokens: number, model: Model | null, settings: CompactionSettings): boolean {
  if (!model || !isKnown(model)) return false;
  return tokens > model.contextWindow - reserve(model, settings);
}

export function reserve(model: Model, settings: CompactionSettings): number {
  return isKnown(model)
    ? Math.min(settings.reserveTokens, Math.floor(model.contextWindow / 2))
    : settings.reserveTokens;
}

/** What is kept must fit beside the summary, also in a small window. */
export function keep(model: Model, settings: CompactionSettings): number {
  if (!isKnown(model)) return settings.keepRecentTokens;
  return Math.min(settings.keepRecentTokens, Math.floor((model.contextWindow - reserve(model, settings)) / 2));
}

/** Local servers do not always say how large the window is: then only the provider's refusal counts. */
function isKnown({ contextWindow }: Model): boolean {
  return contextWindow > 0;
}
