// Creates the notice about the initial model: only the offline model answers, no model can be used, or its limits are assumed.
import type { ModelRegistry } from '../contracts/index.ts';
import type { AgentEventOf, Model } from '../protocol/index.ts';

/** The terminal shows this notice in its first lines. It recognizes the source and does not show the notice again. */
const OFFLINE_SOURCE = 'offline';

export type ModelNotice = Omit<AgentEventOf<'notice'>, 'type'>;

/** `undefined` when there is nothing to report about the current model. */
export function createModelNotice(
  models: Pick<ModelRegistry, 'missingReason' | 'takeAssumptionNotice'>,
  current: Model | null,
): ModelNotice | undefined {
  const assumptions = current && models.takeAssumptionNotice?.(current);
  if (assumptions) return { level: 'warning', message: assumptions, source: 'models' };
  const { missingReason } = models;
  if (missingReason === undefined || (current && current.provider !== 'parley')) return undefined;
  return current
    ? { level: 'info', message: missingReason, source: OFFLINE_SOURCE }
    : { level: 'warning', message: `No model can be used. ${missingReason}`, source: OFFLINE_SOURCE };
}
