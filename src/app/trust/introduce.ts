// Reports to the host that the project has configuration or extensions of its own, and asks whether it is trusted.
// Happens beside everything else: nobody waits for the answer.
import { messageOf } from '../../base/index.ts';
import { visible } from '../../base/visible.ts';
import type { AgentSession, HostUi, Ports } from '../../contracts/index.ts';
import type { TrustDecision } from './decision.ts';
import { type Inventory, takeInventory } from './inventory.ts';
import type { TrustablePlaces } from './places.ts';
import { remember } from './remembered.ts';

export interface Introduction {
  readonly ports: Pick<Ports, 'files' | 'clock' | 'ids'>;
  readonly agentDirectory: string;
  readonly cwd: string;
  /** Paths of the configuration and extensions of the project. */
  readonly found: readonly string[];
  readonly because: TrustDecision['because'];
  readonly places: TrustablePlaces;
  /** Takes the project's settings over, once it is trusted and before anything else of it counts. */
  takeSettings(inventory: Inventory): Promise<void>;
  tell: AgentSession['notify'];
  /** Absent when nobody can be asked. */
  readonly ui?: Pick<HostUi, 'ask'> | undefined;
}

const MOST_NAMES = 8;

export async function introduceProject(introduction: Introduction): Promise<void> {
  const { ports, cwd, because, found, tell, ui } = introduction;
  const names = listed(found);
  const why = because === 'changed' ? 'has changed since it was decided about' : 'is not trusted';
  const wayOut = 'Start with --trust, or run `parley trust` there, if you know where it comes from.';
  tell({
    level: 'warning',
    message: `This project ${why}: ${names} is ignored. ${wayOut}`,
    source: 'trust',
  });
  if (!ui || because === 'said' || because === 'remembered') return;
  let digest: string;
  try {
    digest = (await takeInventory(ports.files, cwd)).digest;
  } catch (thrown) {
    tell({ level: 'warning', message: messageOf(thrown), source: 'trust' });
    return;
  }
  const answer = await ui.ask({
    method: 'confirm',
    title: 'Trust this project?',
    // All of them: what is not shown must not be trusted.
    message: `${visible(cwd)} contains ${found.map(visible).join(', ')}. If you trust it, these take effect at once: they can instruct the model, change settings, and run code as you.`,
  });
  if (!answer || !('confirmed' in answer)) return;
  await settle(introduction, { trusted: answer.confirmed, digest });
}

async function settle(introduction: Introduction, decision: { trusted: boolean; digest: string }): Promise<void> {
  const { ports, cwd, places, tell } = introduction;
  const say = (level: 'info' | 'warning', message: string) => tell({ level, message, source: 'trust' });
  try {
    await remember(introduction, decision);
  } catch (thrown) {
    say('warning', `The decision holds for this run only: ${messageOf(thrown)}`);
  }
  if (!decision.trusted) return;
  // Once more: files may have changed between the question and the answer.
  const now = await takeInventory(ports.files, cwd).catch(() => undefined);
  if (now?.digest !== decision.digest) {
    say('warning', 'The project has changed while you were asked. It stays untrusted; start again to be asked anew.');
    return;
  }
  try {
    await introduction.takeSettings(now);
  } catch (thrown) {
    say('warning', `${messageOf(thrown)} The project stays untrusted in this run.`);
    return;
  }
  await places.trust(now);
  say('info', 'This project is trusted. What it says about the wire counts from the next start.');
}

function listed(found: readonly string[]): string {
  const shown = found.slice(0, MOST_NAMES).join(', ');
  return found.length > MOST_NAMES ? `${shown} and ${found.length - MOST_NAMES} more` : shown;
}
