// Opens the network of one command with `sandbox.network: allow-list`.
import { Fault } from '../base/index.ts';
import type { CommandNetwork, SandboxOptions } from './sandbox-options.ts';

/** `undefined` when the command has no network, or all of it. */
export async function openCommandNetwork({
  network,
  openNetwork,
}: Pick<SandboxOptions, 'network' | 'openNetwork'>): Promise<CommandNetwork | undefined> {
  if (network !== 'allow-list') return undefined;
  if (openNetwork) return openNetwork();
  const remedy = 'Set sandbox.network to off or on.';
  throw new Fault(
    'refused',
    `The command was not run, because the network allow-list is not available here. ${remedy}`,
  );
}
