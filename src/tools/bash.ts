// First floor, tools: runs a shell command for the model. Words the outcome; the running itself is shared with the host.
import { number, object, optional, string } from 'valibot';
import { Fault } from '../base/index.ts';
import { tool } from '../contracts/index.ts';
import { knownFacts, textResult } from './result.ts';
import { createRunShell, type ShellRun } from './shell.ts';
import { formatSize, MAX_BYTES, MAX_LINES, truncationOf } from './truncation.ts';

export const bash = tool({
  name: 'bash',
  effect: 'execute',
  doc: `Run a shell command in the working directory. stdin is empty. Shows the last ${MAX_LINES} lines or 50KB of stdout and stderr; the rest is saved to a file. timeout is in seconds.`,
  snippet: 'Run shell commands',
  params: object({ command: string(), timeout: optional(number()) }),
  async run({ command, timeout }, { cwd, signal, ports, artifacts, options, update }) {
    const seconds = timeout !== undefined && timeout > 0 ? timeout : options.bashTimeout;
    const runShell = createRunShell({ ports, shellPath: options.shellPath });
    const run = await runShell({
      command,
      cwd,
      signal,
      timeout: seconds,
      artifacts,
      purpose: 'bash',
      onUpdate: (tail) => update(textResult(tail.output)),
    });
    const failure = failureOf(run, seconds);
    const shown = run.output === '' && !run.cancelled ? '(no output)' : run.output;
    const text = [shown, noticeOf(run), failure?.text].filter(Boolean).join('\n\n');
    const details = detailsOf(run);
    if (failure) throw new Fault(failure.code, text, { details: knownFacts(details) });
    return textResult(text, details);
  },
});

function failureOf(run: ShellRun, seconds: number | undefined) {
  if (run.timedOut) return { code: 'timeout', text: `Command timed out after ${seconds} seconds` } as const;
  if (run.cancelled) return { code: 'aborted', text: 'Command aborted' } as const;
  if (run.exitCode === 0) return undefined;
  return { code: 'tool_failed', text: `Command exited with code ${run.exitCode}` } as const;
}

function noticeOf(run: ShellRun): string | undefined {
  if (!run.truncated) return undefined;
  const last = run.totalLines;
  const whole = run.fullOutputPath
    ? `Full output: ${run.fullOutputPath}`
    : `Full output not saved: ${run.artifactError}`;
  if (run.partialLine) {
    const sizes = `${formatSize(run.outputBytes)} of line ${last} (line is ${formatSize(run.lastLineBytes)})`;
    return `[Showing last ${sizes}. ${whole}]`;
  }
  const limit = run.truncatedBy === 'bytes' ? ` (${formatSize(MAX_BYTES)} limit)` : '';
  return `[Showing lines ${run.firstLine}-${last} of ${run.totalLines}${limit}. ${whole}]`;
}

function detailsOf(run: ShellRun): Record<string, unknown> {
  if (!run.truncated) return {};
  const { truncatedBy, totalLines, totalBytes, outputLines, outputBytes } = run;
  return {
    truncation: truncationOf({
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
