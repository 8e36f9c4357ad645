// Creates the notice that the offline model answers because no key was found, or that no model can be used and why.
import type { ModelRegistry } from '../contracts/index.ts';
import type { AgentEventOf, Model } from '../protocol/index.ts';

/** The terminal shows this notice in its first lines. It recognizes the source and does not show the notice again. */
const NOTICE_SOURCE = 'offline';

export type OfflineNotice = Omit<AgentEventOf<'notice'>, 'type'>;

/** `undefined` when the current model was requested, has a key, or was restored from a session. */
export function createOfflineNotice(
  models: Pick<ModelRegistry, 'missingReason'>,
  current: Model | null,
): OfflineNotice | undefined {
  const { missingReason } = models;
  if (missingReason === undefined || (current && current.provider !== 'parley')) return undefined;
  return current
    ? { level: 'info', message: missingReason, source: NOTICE_SOURCE }
    : { level: 'warning', message: `No model can be used. ${missingReason}`, source: NOTICE_SOURCE };
}
