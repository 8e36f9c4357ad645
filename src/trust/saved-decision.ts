// Reads and saves trust decisions. A saved decision to trust applies only if the project is unchanged. Loaded when there are decisions.
import { Fault } from '../base/index.ts';
import type { Ports } from '../contracts/index.ts';
import { createInventory, type Inventory } from './inventory.ts';
import type { DecideTrustOptions, TrustDecision } from './trust-decision.ts';
import { readDecisions, updateDecisions } from './trust-file.ts';

export async function readSavedDecision({ files, agentDirectory, cwd }: DecideTrustOptions): Promise<TrustDecision> {
  const saved = (await readDecisions(files, agentDirectory))[await files.realPath(cwd)];
  if (!saved) return { trusted: false, reason: 'undecided' };
  const { trusted } = saved;
  let inventory: Inventory;
  try {
    inventory = await createInventory(files, cwd);
  } catch (thrown) {
    // A decision not to trust needs no comparison.
    if (!trusted) return { trusted, reason: 'saved' };
    if (thrown instanceof Fault) return { trusted: false, reason: 'changed', problem: thrown.message };
    throw thrown;
  }
  if (saved.digest !== inventory.digest) return { trusted: false, reason: 'changed' };
  return { trusted, reason: 'saved', inventory: trusted ? inventory : undefined };
}

export interface SaveDecisionOptions {
  readonly ports: Pick<Ports, 'files' | 'clock' | 'ids'>;
  readonly agentDirectory: string;
  readonly cwd: string;
}

/** `digest` is computed before the user is asked, so that changes made before the answer are not trusted. */
export async function saveDecision(
  { ports, agentDirectory, cwd }: SaveDecisionOptions,
  { trusted, digest }: { trusted: boolean; digest: string },
): Promise<void> {
  const path = await ports.files.realPath(cwd);
  const decidedAt = new Date(ports.clock.now()).toISOString();
  await updateDecisions(ports, agentDirectory, (projects) => {
    projects[path] = { trusted, digest, decidedAt };
  });
}
