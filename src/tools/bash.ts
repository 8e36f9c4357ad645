// The `bash` tool: runs a shell command and formats its result for the model.
import { number, object, optional, string } from 'valibot';
import { Fault } from '../base/index.ts';
import { tool } from '../contracts/index.ts';
import { createTruncation, formatSize, MAX_BYTES, MAX_LINES } from '../support/truncation.ts';
import { runInHostTerminal, type TerminalShellResult } from './host-terminal.ts';
import { createTextResult, omitUndefined } from './result.ts';
import { type CapturedShellResult, createRunShell } from './shell.ts';

export const bash = tool({
  name: 'bash',
  effect: 'execute',
  doc: `Run a shell command in the working directory. stdin is empty. Shows the last ${MAX_LINES} lines or 50KB of stdout and stderr; the rest is saved to a file. timeout is in seconds.`,
  snippet: 'Run shell commands',
  params: object({ command: string(), timeout: optional(number()) }),
  async run({ command, timeout }, context) {
    const { cwd, signal, ports, artifacts, options, update } = context;
    const seconds = timeout !== undefined && timeout > 0 ? timeout : options.bashTimeout;
    const runShell = createRunShell({ ports, shellPath: options.shellPath });
    const request = { command, cwd, signal, timeout: seconds, artifacts, artifactName: 'bash' };
    const run =
      (await runInHostTerminal(request, context, runShell)) ??
      (await runShell({ ...request, onUpdate: (tail) => update(createTextResult(tail.output)) }));
    const failure = describeFailure(run, seconds);
    const shown = run.output === '' && !run.cancelled ? '(no output)' : run.output;
    const missing = run.isStartMissing ? '[The terminal kept only the end of the output]' : undefined;
    const text = [shown, missing, formatTruncationNotice(run), failure?.text].filter(Boolean).join('\n\n');
    const details = buildDetails(run);
    if (failure) throw new Fault(failure.code, text, { details: omitUndefined(details) });
    return createTextResult(text, details);
  },
});

function describeFailure(run: TerminalShellResult, seconds: number | undefined) {
  if (run.timedOut) return { code: 'timeout', text: `Command timed out after ${seconds} seconds` } as const;
  if (run.cancelled) return { code: 'aborted', text: 'Command aborted' } as const;
  if (run.terminalFailure) return { code: 'tool_failed', text: run.terminalFailure } as const;
  if (run.exitCode === 0) return undefined;
  return { code: 'tool_failed', text: `Command exited with code ${run.exitCode}` } as const;
}

function formatTruncationNotice(run: CapturedShellResult): string | undefined {
  if (!run.truncated) return undefined;
  const last = run.totalLines;
  const fullOutput = run.fullOutputPath
    ? `Full output: ${run.fullOutputPath}`
    : `Full output not saved: ${run.artifactError}`;
  if (run.partialLine) {
    const sizes = `${formatSize(run.outputBytes)} of line ${last} (line is ${formatSize(run.lastLineBytes)})`;
    return `[Showing last ${sizes}. ${fullOutput}]`;
  }
  const limit = run.truncatedBy === 'bytes' ? ` (${formatSize(MAX_BYTES)} limit)` : '';
  return `[Showing lines ${run.firstLine}-${last} of ${run.totalLines}${limit}. ${fullOutput}]`;
}

function buildDetails(run: CapturedShellResult): Record<string, unknown> {
  if (!run.truncated) return {};
  const { truncatedBy, totalLines, totalBytes, outputLines, outputBytes } = run;
  return {
    truncation: createTruncation({
      content: run.output,
      truncatedBy,
      totalLines,
      totalBytes,
      outputLines,
      outputBytes,
      lastLinePartial: run.partialLine,
    }),
    artifactId: run.artifactId,
    fullOutputPath: run.fullOutputPath,
  };
}
