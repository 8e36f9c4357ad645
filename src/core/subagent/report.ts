// First floor, core: what the model reads about tasks that are over. Pure.
import type { SubagentResult } from '../../protocol/index.ts';
import { keptIn } from './unapplied.ts';

/** Of each output; the whole is in its file. */
const SHOWN = 5000;

export interface Surroundings {
  /** What is not as it was asked for. */
  readonly remarks: readonly string[];
  readonly merged: string | undefined;
}

export function reportOn(results: readonly SubagentResult[], durationMs: number, around: Surroundings): string {
  const { remarks, merged } = around;
  const well = results.filter(({ exitCode, error }) => exitCode === 0 && error === undefined).length;
  const missing = results.filter(isMissing).length;
  const count = `${results.length} ${results.length === 1 ? 'task' : 'tasks'}`;
  const unapplied = missing > 0 ? `, ${missing} completed but not applied` : '';
  const head = `${count}, ${well} completed${unapplied}, in ${seconds(durationMs)}.`;
  return [head, ...remarks, ...results.map(section), ...(merged === undefined ? [] : [merged])].join('\n\n');
}

function section(result: SubagentResult): string {
  const lines = [`## ${result.id}: ${statusOf(result)} (${result.agent}, ${seconds(result.durationMs)})`];
  if (result.description) lines.push(result.description);
  if (result.error) lines.push(`Error: ${result.error}`);
  const { verification } = result;
  if (verification) lines.push(`Verification: ${verification.status}`);
  if (result.applied === false) lines.push(`Change (not applied): ${keptIn(result).join(', ')}`);
  if (result.output !== '') lines.push('', shown(result));
  return lines.join('\n');
}

function statusOf(result: SubagentResult): string {
  const { exitCode, aborted, abortReason, error } = result;
  if (abortReason === 'budget_exceeded') return 'stopped by the budget';
  if (aborted) return 'cancelled';
  if (exitCode !== 0) return `failed (exit ${exitCode})`;
  if (isMissing(result)) return 'completed, not applied';
  return error === undefined ? 'completed' : 'merge failed';
}

/** It came to its end, but its change is not in the main tree. */
function isMissing({ exitCode, applied }: SubagentResult): boolean {
  return exitCode === 0 && applied === false;
}

function shown({ output, outputPath }: SubagentResult): string {
  if (output.length <= SHOWN) return output;
  const rest = outputPath ? ` The whole is in ${outputPath}` : '';
  return `${output.slice(0, SHOWN)}\n\n[The first ${SHOWN} of ${output.length} characters.${rest}]`;
}

function seconds(ms: number): string {
  return ms < 10_000 ? `${(ms / 1000).toFixed(1)}s` : `${Math.round(ms / 1000)}s`;
}
