// The hall: whether there is anything to trust. In the way of every start, so the rest is loaded only when there is.
import type { Agent } from '../compose.ts';
import type { SettingValues } from '../settings-table.ts';
import type { Introduction } from './introduce.ts';
import type { Inventory } from './inventory.ts';
import { findConfiguration } from './places.ts';

type About = Pick<Introduction, 'ports' | 'agentDirectory' | 'cwd' | 'because' | 'tell'> & {
  /** The settings as they are with the project's own; absent where they cannot change any more. */
  readonly settings?: ((inventory: Inventory) => Promise<SettingValues>) | undefined;
  /** Ask the host nothing. */
  readonly noUi?: boolean | undefined;
};

/** Says that the project is not trusted, when there is something to trust, and asks whether it shall be. */
export async function offerTrust(agent: Agent, { noUi, settings, ...about }: About): Promise<void> {
  const { places, hub } = agent;
  const found = places.trusted ? [] : await findConfiguration(about.ports.files, about.cwd);
  if (found.length === 0) return;
  const { introduceProject } = await import('./introduce.ts');
  const takeSettings = async (inventory: Inventory) => {
    if (settings) await agent.retune(await settings(inventory));
  };
  await introduceProject({ ...about, found, places, takeSettings, ui: noUi ? undefined : hub.ui });
}
