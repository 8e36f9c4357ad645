// Merges the changes of the isolated tasks of one call, and reports changes that were not applied.
import { getErrorMessage } from '../../base/index.ts';
import type { TaskOptions } from '../../contracts/index.ts';
import type { SubagentResult } from '../../protocol/index.ts';
import type { SubagentHost } from '../session/parent-link.ts';
import { listUnappliedChanges } from './unapplied-changes.ts';
import type { Isolation, MergeResult } from './workspace.ts';

/** After an abort or an exceeded budget nothing is merged. The changes stay where they were captured, and the host gets a notice with their paths. */
export async function mergeChanges(
  host: SubagentHost,
  isolation: Isolation,
  results: SubagentResult[],
  { signal, isHostCall }: Pick<TaskOptions, 'signal' | 'isHostCall'>,
): Promise<MergeResult> {
  const cause = signal.aborted ? describeStopCause(host) : undefined;
  const merged =
    cause === undefined ? await mergeInOrder(host, isolation, results) : await isolation.skipMerge(results, cause);
  if (merged.isComplete) return merged;
  host.retainArtifacts();
  if (cause !== undefined || isHostCall) {
    const locations = listUnappliedChanges(results).join(', ');
    const head = cause === undefined ? describeUnapplied(results) : `were not applied because ${cause}.`;
    const message = `Changes of isolated tasks ${head} They are kept: ${locations}`;
    await host.emit({ type: 'notice', level: 'warning', message, source: 'subagents' });
  }
  return merged;
}

function describeUnapplied(results: readonly SubagentResult[]): string {
  const causes = results.flatMap(({ id, applied, error }) => (applied === false ? `${id}: ${error}` : []));
  return `were not applied (${causes.join('; ')}).`;
}

/** Calls of the model, of subagents and of the host may end at the same time. */
async function mergeInOrder(
  { subagentRegistry }: SubagentHost,
  isolation: Isolation,
  results: SubagentResult[],
): Promise<MergeResult> {
  const merging = subagentRegistry.lastMerge.then(() =>
    isolation.merge(results).catch((thrown) => isolation.skipMerge(results, getErrorMessage(thrown))),
  );
  subagentRegistry.lastMerge = merging.catch(() => {});
  return merging;
}

function describeStopCause({ budgetAccount }: SubagentHost): string {
  return budgetAccount?.stoppingLimit
    ? `the budget is exceeded (${budgetAccount.stoppingLimit})`
    : 'the run was aborted';
}
