// The notice that the offline model answers because no key was found, or that no model can be used and why.
import type { Models } from '../contracts/index.ts';
import type { AgentEventOf, Model } from '../protocol/index.ts';

/** The terminal shows it in its first lines, and knows by this source what not to show again. */
const SOURCE = 'offline';

export type OfflineNotice = Omit<AgentEventOf<'notice'>, 'type'>;

/** `undefined` when the current model was asked for, has a key, or was restored from a session. */
export function offlineNotice(models: Pick<Models, 'absence'>, current: Model | null): OfflineNotice | undefined {
  const { absence } = models;
  if (absence === undefined || (current && current.provider !== 'parley')) return undefined;
  return current
    ? { level: 'info', message: absence, source: SOURCE }
    : { level: 'warning', message: `No model can be used. ${absence}`, source: SOURCE };
}
