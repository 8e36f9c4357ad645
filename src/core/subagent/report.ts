// First floor, core: what the model reads about tasks that are over. Pure.
import type { SubagentResult } from '../../protocol/index.ts';

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
  const count = `${results.length} ${results.length === 1 ? 'task' : 'tasks'}`;
  const head = `${count}, ${well} completed, in ${seconds(durationMs)}.`;
  return [head, ...remarks, ...results.map(section), ...(merged === undefined ? [] : [merged])].join('\n\n');
}

function section(result: SubagentResult): string {
  const lines = [`## ${result.id}: ${statusOf(result)} (${result.agent}, ${seconds(result.durationMs)})`];
  if (result.description) lines.push(result.description);
  if (result.error) lines.push(`Error: ${result.error}`);
  const { verification } = result;
  if (verification) lines.push(`Verification: ${verification.status}`);
  if (result.output !== '') lines.push('', shown(result));
  return lines.join('\n');
}

function statusOf({ exitCode, aborted, error }: SubagentResult): string {
  if (aborted) return 'cancelled';
  if (exitCode !== 0) return `failed (exit ${exitCode})`;
  return error === undefined ? 'completed' : 'merge failed';
}

function shown({ output, outputPath }: SubagentResult): string {
  if (output.length <= SHOWN) return output;
  const rest = outputPath ? ` The whole is in ${outputPath}` : '';
  return `${output.slice(0, SHOWN)}\n\n[The first ${SHOWN} of ${output.length} characters.${rest}]`;
}

function seconds(ms: number): string {
  return ms < 10_000 ? `${(ms / 1000).toFixed(1)}s` : `${Math.round(ms / 1000)}s`;
}
