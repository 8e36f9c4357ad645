// Marks and lists changes of isolated tasks that were not applied to the main working tree. Pure.
import type { SubagentResult } from '../../protocol/index.ts';
import type { CapturedChange, MergeResult } from './workspace.ts';

/** Branch and files that hold the change of a task. Empty when the task changed nothing. */
export function listChangeLocations({
  branchName,
  patchPath,
  nestedPatches = [],
  newRepositories = [],
}: CapturedChange): string[] {
  return [
    ...(branchName ? [`branch ${branchName}`] : []),
    ...(patchPath ? [patchPath] : []),
    ...nestedPatches.map((nested) => nested.patchPath),
    ...newRepositories.map((repository) => repository.keptPath),
  ];
}

export function markApplied(results: readonly SubagentResult[]): void {
  for (const result of results) if (listChangeLocations(result).length > 0) result.applied = true;
}

/** A completed task whose change is not in the main tree is not a success: it gets an error. */
export function markUnapplied(result: SubagentResult, error: string): void {
  if (result.applied || listChangeLocations(result).length === 0) return;
  result.applied = false;
  result.error ??= error;
}

/** Locations of the changes that were not applied to the main tree. */
export function listUnappliedChanges(results: readonly SubagentResult[]): string[] {
  return results.filter(({ applied }) => applied === false).flatMap(listChangeLocations);
}

/** Marks every task whose change has not been applied, and returns a text with the locations of the changes. */
export function markAllUnapplied(results: readonly SubagentResult[], reason: string): MergeResult {
  for (const result of results) markUnapplied(result, `Not applied: ${reason}`);
  const locations = listUnappliedChanges(results);
  const head = `<system-notification>Patches were not applied and must be handled manually.</system-notification>\nReason: ${reason}.`;
  return {
    text: [head, ...locations.map((location) => `- ${location}`)].join('\n'),
    isComplete: locations.length === 0,
  };
}
