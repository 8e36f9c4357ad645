// The hall: what the user decided about a project earlier, if it is still the same project. Loaded when there are decisions.
import { Fault } from '../../base/index.ts';
import type { Ports } from '../../contracts/index.ts';
import type { TrustDecision, TrustQuestion } from './decision.ts';
import { type Inventory, takeInventory } from './inventory.ts';
import { changeDecisions, readDecisions } from './trust-file.ts';

export async function remembered({ files, agentDirectory, cwd }: TrustQuestion): Promise<TrustDecision> {
  const earlier = (await readDecisions(files, agentDirectory))[await files.resolve(cwd)];
  if (!earlier) return { trusted: false, because: 'open' };
  const { trusted } = earlier;
  let inventory: Inventory;
  try {
    inventory = await takeInventory(files, cwd);
  } catch (thrown) {
    // A refusal needs no comparison.
    if (!trusted) return { trusted, because: 'remembered' };
    if (thrown instanceof Fault) return { trusted: false, because: 'changed', problem: thrown.message };
    throw thrown;
  }
  if (earlier.digest !== inventory.digest) return { trusted: false, because: 'changed' };
  return { trusted, because: 'remembered', inventory: trusted ? inventory : undefined };
}

export interface Remembering {
  readonly ports: Pick<Ports, 'files' | 'clock' | 'ids'>;
  readonly agentDirectory: string;
  readonly cwd: string;
}

/** `digest` is that of what the person was shown: what changed while they were thinking is not what they meant. */
export async function remember(
  { ports, agentDirectory, cwd }: Remembering,
  { trusted, digest }: { trusted: boolean; digest: string },
): Promise<void> {
  const path = await ports.files.resolve(cwd);
  const decidedAt = new Date(ports.clock.now()).toISOString();
  await changeDecisions(ports, agentDirectory, (projects) => {
    projects[path] = { trusted, digest, decidedAt };
  });
}
