// Reports to the host that the project has its own configuration or extensions, and asks whether to trust it.
// Runs in the background: prompts do not wait for the answer.

import { escapeInvisible } from '../base/escape-invisible.ts';
import { getErrorMessage } from '../base/index.ts';
import type { AgentSession, ExtensionTrustDecision, HostUi, Ports } from '../contracts/index.ts';
import { createInventory, type Inventory } from './inventory.ts';
import type { TrustableResourceLocator } from './resource-locator.ts';
import { saveDecision } from './saved-decision.ts';
import type { TrustDecision } from './trust-decision.ts';

export interface AskForTrustOptions {
  readonly ports: Pick<Ports, 'files' | 'clock' | 'ids'>;
  readonly agentDirectory: string;
  readonly cwd: string;
  /** Paths of the configuration and extensions of the project. */
  readonly found: readonly string[];
  readonly reason: TrustDecision['reason'];
  readonly resourceLocator: TrustableResourceLocator;
  /** Applies the settings of the project, after it is trusted and before its other configuration is used. */
  applySettings(inventory: Inventory): Promise<void>;
  notify: AgentSession['notify'];
  /** Extensions may decide instead of the user. Only those of the user are loaded, because the project is not trusted. */
  readonly extensions?:
    | { canDecideTrust(): Promise<boolean>; decideTrust(cwd: string): Promise<ExtensionTrustDecision | undefined> }
    | undefined;
  /** Absent when the host cannot be asked. */
  readonly ui?: Pick<HostUi, 'ask'> | undefined;
}

const MAX_NAMES = 8;

export async function askForTrust(options: AskForTrustOptions): Promise<void> {
  const { cwd, reason, found, notify, ui } = options;
  const isDecided = reason === 'flag' || reason === 'saved';
  if (!isDecided && (await applyExtensionDecision(options))) return;
  const names = formatNames(found);
  const why = reason === 'changed' ? 'has changed since the trust decision' : 'is not trusted';
  const remedy = 'Start with --trust, or run `parley trust` there, if you know where it comes from.';
  notify({
    level: 'warning',
    message: `This project ${why}: ${names} ${found.length > 1 ? 'are' : 'is'} ignored. ${remedy}`,
    source: 'trust',
  });
  if (!ui || isDecided) return;
  const digest = await computeDigest(options);
  if (digest === undefined) return;
  const answer = await ui.ask({
    method: 'confirm',
    title: 'Trust this project?',
    // Lists all paths, because a path that is not shown must not be trusted.
    message: `${escapeInvisible(cwd)} contains ${found.map(escapeInvisible).join(', ')}. If you trust it, these take effect at once: they can instruct the model, change settings, and run code as you.`,
  });
  if (!answer || !('confirmed' in answer)) return;
  await applyDecision(options, { trusted: answer.confirmed, digest, isSaved: true });
}

/** Returns whether an extension has decided. The files must not change while it decides. */
async function applyExtensionDecision(options: AskForTrustOptions): Promise<boolean> {
  const { extensions, cwd } = options;
  const digest = (await extensions?.canDecideTrust()) ? await computeDigest(options) : undefined;
  if (digest === undefined) return false;
  const decision = await extensions?.decideTrust(cwd);
  if (!decision) return false;
  await applyDecision(options, { trusted: decision.trusted, digest, isSaved: decision.remember });
  if (!decision.trusted) {
    const message = `An extension decided that this project is not trusted: ${formatNames(options.found)} ignored.`;
    options.notify({ level: 'info', message, source: 'trust' });
  }
  return true;
}

/** `undefined` if the files of the project cannot be read. The problem is reported. */
async function computeDigest({ ports, cwd, notify }: AskForTrustOptions): Promise<string | undefined> {
  try {
    return (await createInventory(ports.files, cwd)).digest;
  } catch (thrown) {
    notify({ level: 'warning', message: getErrorMessage(thrown), source: 'trust' });
    return undefined;
  }
}

async function applyDecision(
  options: AskForTrustOptions,
  decision: { trusted: boolean; digest: string; isSaved: boolean },
): Promise<void> {
  const { ports, cwd, resourceLocator, notify } = options;
  const notifyTrust = (level: 'info' | 'warning', message: string) => notify({ level, message, source: 'trust' });
  try {
    if (decision.isSaved) await saveDecision(options, decision);
  } catch (thrown) {
    notifyTrust('warning', `The decision could not be saved and applies to this run only: ${getErrorMessage(thrown)}`);
  }
  if (!decision.trusted) return;
  // Computed again, because files may have changed between the question and the answer.
  const current = await createInventory(ports.files, cwd).catch(() => undefined);
  if (current?.digest !== decision.digest) {
    notifyTrust(
      'warning',
      'The project changed while you were being asked. It stays untrusted; restart to be asked again.',
    );
    return;
  }
  try {
    await options.applySettings(current);
  } catch (thrown) {
    notifyTrust('warning', `${getErrorMessage(thrown)} The project stays untrusted in this run.`);
    return;
  }
  await resourceLocator.trust(current);
  notifyTrust('info', 'This project is trusted. Its protocol settings (dialect, rpc.*) take effect at the next start.');
}

function formatNames(found: readonly string[]): string {
  const shown = found.slice(0, MAX_NAMES).join(', ');
  return found.length > MAX_NAMES ? `${shown} and ${found.length - MAX_NAMES} more` : shown;
}
