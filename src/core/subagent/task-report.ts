// Formats the results of tasks as the tool's text for the model. Pure.
import type { SubagentResult } from '../../protocol/index.ts';
import { listChangeLocations } from './unapplied-changes.ts';

/** Characters of each output in the report. The full output is in its file. */
const MAX_OUTPUT_LENGTH = 5000;

export interface ReportOptions {
  /** Requested options that could not be used. */
  readonly warnings: readonly string[];
  readonly mergeText: string | undefined;
}

export function formatTaskReport(
  results: readonly SubagentResult[],
  durationMs: number,
  options: ReportOptions,
): string {
  const { warnings, mergeText } = options;
  const completedCount = results.filter(({ exitCode, error }) => exitCode === 0 && error === undefined).length;
  const unappliedCount = results.filter(isUnapplied).length;
  const taskCount = `${results.length} ${results.length === 1 ? 'task' : 'tasks'}`;
  const unapplied = unappliedCount > 0 ? `, ${unappliedCount} completed but not applied` : '';
  const head = `${taskCount}, ${completedCount} completed${unapplied}, in ${formatSeconds(durationMs)}.`;
  return [head, ...warnings, ...results.map(formatSection), ...(mergeText === undefined ? [] : [mergeText])].join(
    '\n\n',
  );
}

function formatSection(result: SubagentResult): string {
  const lines = [`## ${result.id}: ${describeStatus(result)} (${result.agent}, ${formatSeconds(result.durationMs)})`];
  if (result.description) lines.push(result.description);
  if (result.error) lines.push(`Error: ${result.error}`);
  const { verification } = result;
  if (verification) lines.push(`Verification: ${verification.status}`);
  if (result.applied === false) lines.push(`Change (not applied): ${listChangeLocations(result).join(', ')}`);
  if (result.output !== '') lines.push('', truncateOutput(result));
  return lines.join('\n');
}

function describeStatus(result: SubagentResult): string {
  const { exitCode, aborted, abortReason, error } = result;
  if (abortReason === 'budget_exceeded') return 'stopped by the budget';
  if (abortReason === 'stopped') return 'stopped by the host';
  if (aborted) return 'cancelled';
  if (exitCode !== 0) return `failed (exit ${exitCode})`;
  if (isUnapplied(result)) return 'completed, not applied';
  return error === undefined ? 'completed' : 'merge failed';
}

/** The task succeeded, but its change is not in the main working tree. */
function isUnapplied({ exitCode, applied }: SubagentResult): boolean {
  return exitCode === 0 && applied === false;
}

function truncateOutput({ output, outputPath }: SubagentResult): string {
  if (output.length <= MAX_OUTPUT_LENGTH) return output;
  const rest = outputPath ? ` The full output is in ${outputPath}` : '';
  return `${output.slice(0, MAX_OUTPUT_LENGTH)}\n\n[The first ${MAX_OUTPUT_LENGTH} of ${output.length} characters.${rest}]`;
}

function formatSeconds(ms: number): string {
  return ms < 10_000 ? `${(ms / 1000).toFixed(1)}s` : `${Math.round(ms / 1000)}s`;
}
