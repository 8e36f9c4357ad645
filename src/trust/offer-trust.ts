// Checks whether the project has anything to trust. Runs at every start, so the question itself is loaded only when needed.
import type { HostUi } from '../contracts/index.ts';
import type { EffectiveSettings } from '../settings/index.ts';
import type { AskForTrustOptions } from './ask-for-trust.ts';
import type { Inventory } from './inventory.ts';
import { findProjectConfiguration } from './search-paths.ts';

/** The agent to which a positive decision applies. */
interface TrustTarget extends Pick<AskForTrustOptions, 'resourceLocator'> {
  readonly hub: { readonly ui: HostUi | undefined };
  readonly extensions: AskForTrustOptions['extensions'];
  applySettings(settings: EffectiveSettings): Promise<void>;
}

type OfferTrustOptions = Pick<AskForTrustOptions, 'ports' | 'agentDirectory' | 'cwd' | 'reason' | 'notify'> & {
  /** Loads the settings with those of the project. Absent when settings can no longer change. */
  readonly settings?: ((inventory: Inventory) => Promise<EffectiveSettings>) | undefined;
  /** Send no questions to the host. */
  readonly noUi?: boolean | undefined;
};

/** If an untrusted project has configuration or extensions, sends a notice and asks whether to trust it. */
export async function offerTrust(agent: TrustTarget, { noUi, settings, ...options }: OfferTrustOptions): Promise<void> {
  const { resourceLocator, hub, extensions } = agent;
  const found = resourceLocator.isTrusted ? [] : await findProjectConfiguration(options.ports.files, options.cwd);
  if (found.length === 0) return;
  const { askForTrust } = await import('./ask-for-trust.ts');
  const applySettings = async (inventory: Inventory) => {
    if (settings) await agent.applySettings(await settings(inventory));
  };
  await askForTrust({ ...options, found, resourceLocator, extensions, applySettings, ui: noUi ? undefined : hub.ui });
}
