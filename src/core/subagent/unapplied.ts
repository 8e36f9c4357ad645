// Changes of isolated tasks that did not reach the main tree: which they are, where they are kept, and why. Pure.
import type { SubagentResult } from '../../protocol/index.ts';
import type { Captured, Merged } from './workspace.ts';

/** Branch and files that hold the change of a task. Empty when it changed nothing. */
export function keptIn({ branchName, patchPath, nestedPatches = [], newRepositories = [] }: Captured): string[] {
  return [
    ...(branchName ? [`branch ${branchName}`] : []),
    ...(patchPath ? [patchPath] : []),
    ...nestedPatches.map((nested) => nested.patchPath),
    ...newRepositories.map((made) => made.keptPath),
  ];
}

export function markApplied(results: readonly SubagentResult[]): void {
  for (const result of results) if (keptIn(result).length > 0) result.applied = true;
}

/** A task that came to its end is no success when its change is missing in the main tree: its error says so. */
export function markUnapplied(result: SubagentResult, error: string): void {
  if (result.applied || keptIn(result).length === 0) return;
  result.applied = false;
  result.error ??= error;
}

/** Where the changes are that did not reach the main tree. */
export function unappliedIn(results: readonly SubagentResult[]): string[] {
  return results.filter(({ applied }) => applied === false).flatMap(keptIn);
}

/** Marks every task whose change has not been applied, and says where the changes are. */
export function withhold(results: readonly SubagentResult[], reason: string): Merged {
  for (const result of results) markUnapplied(result, `Not applied: ${reason}`);
  const kept = unappliedIn(results);
  const head = `<system-notification>Patches were not applied and must be handled manually.</system-notification>\nReason: ${reason}.`;
  return { text: [head, ...kept.map((place) => `- ${place}`)].join('\n'), isComplete: kept.length === 0 };
}
