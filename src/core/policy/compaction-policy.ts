// Decides when a conversation must be compacted, and how many tokens are kept. Pure.
import type { AssistantMessage, Model, ProviderFailure } from '../../protocol/index.ts';

export const COMPACTION_CANCELLED = 'Compaction cancelled';
export const COMPACTION_TOO_SMALL = 'Nothing to compact (session too small)';

export interface CompactionSettings {
  enabled: boolean;
  /** Tokens of the context window that are reserved for the answer. */
  reserveTokens: number;
  /** Tokens at the end of the conversation that are not summarised. */
  keepRecentTokens: number;
}

const OVERFLOW_PATTERN =
  /context[_ ]length|context window|maximum context|prompt is too long|too many tokens|input is too long|request too large|exceeds? the (maximum|limit|available context)/i;

/** True if the provider refused the request because it was too long. */
export function isOverflow(answer: AssistantMessage, providerFailure: ProviderFailure | undefined): boolean {
  if (answer.stopReason !== 'error') return false;
  return providerFailure ? providerFailure.kind === 'overflow' : OVERFLOW_PATTERN.test(answer.errorMessage ?? '');
}

/** True if the next answer might not fit into the context window. */
export function isNearlyFull(tokens: number, model: Model | null, settings: CompactionSettings): boolean {
  if (!model || !hasKnownWindow(model)) return false;
  return tokens > model.contextWindow - computeReserveTokens(model, settings);
}

/** At most half of the window, so that a large reserve does not fill a small window. */
export function computeReserveTokens(model: Model, settings: CompactionSettings): number {
  return hasKnownWindow(model)
    ? Math.min(settings.reserveTokens, Math.floor(model.contextWindow / 2))
    : settings.reserveTokens;
}

/** The kept messages must fit into the window together with the summary, even if the window is small. */
export function computeKeepTokens(model: Model, settings: CompactionSettings): number {
  if (!hasKnownWindow(model)) return settings.keepRecentTokens;
  return Math.min(
    settings.keepRecentTokens,
    Math.floor((model.contextWindow - computeReserveTokens(model, settings)) / 2),
  );
}

/** Some local servers do not report the window size. Then only a refusal by the provider triggers a compaction. */
function hasKnownWindow({ contextWindow }: Model): boolean {
  return contextWindow > 0;
}
