// The `bash` tool: runs a shell command and formats its result for the model.
import { boolean, number, object, optional, string } from 'valibot';
import { Fault } from '../base/index.ts';
import { type PermissionSubject, type ToolContext, type ToolResult, tool } from '../contracts/index.ts';
import { createTruncation, formatSize, MAX_BYTES, MAX_LINES } from '../support/truncation.ts';
import { runInHostTerminal, type TerminalShellResult } from './host-terminal.ts';
import { createTextResult, omitUndefined } from './result.ts';
import { type CapturedShellResult, createRunShell } from './shell.ts';

const DOC = `Run a shell command in the working directory. stdin is empty. Shows the last ${MAX_LINES} lines or 50KB of stdout and stderr; the rest is saved to a file. timeout is in seconds.`;
const SANDBOX_DOC =
  'Commands run in a sandbox, and their background processes end with them. escalate asks the user to run one outside it; use it only when the sandbox was the reason of a failure.';
const PARAMS = { command: string(), timeout: optional(number()) };

const declaration = {
  name: 'bash',
  effect: 'execute',
  snippet: 'Run shell commands',
  listSubjects: ({ command }: Command): PermissionSubject[] => [{ kind: 'command', command }],
} as const;

export const bash = tool({ ...declaration, doc: DOC, params: object(PARAMS), run: runBash });

/** For sessions with a sandbox. `escalate` is always asked about. */
export const sandboxedBash = tool({
  ...declaration,
  doc: `${DOC} ${SANDBOX_DOC}`,
  params: object({ ...PARAMS, escalate: optional(boolean()) }),
  isEscalated: ({ escalate }) => escalate === true,
  run: (params, context) => runBash(params, context, params),
});

interface Command {
  readonly command: string;
  readonly timeout?: number | undefined;
}

/** Without `escalation` the model cannot ask to run the command outside a sandbox. */
async function runBash(
  { command, timeout }: Command,
  context: ToolContext,
  escalation?: { readonly escalate?: boolean | undefined },
): Promise<ToolResult> {
  const { cwd, signal, artifacts, options, update } = context;
  const ports = context.agentPorts ?? context.ports;
  const seconds = timeout !== undefined && timeout > 0 ? timeout : options.bashTimeout;
  const sandbox = escalation?.escalate ? undefined : await context.getSandbox?.();
  const runShell = createRunShell({ ports, shellPath: options.shellPath, getSandbox: async () => sandbox });
  const request = { command, cwd, signal, timeout: seconds, artifacts, artifactName: 'bash' };
  // A terminal of the host would be outside the sandbox.
  const run =
    (sandbox ? undefined : await runInHostTerminal(request, context, runShell)) ??
    (await runShell({ ...request, onUpdate: (tail) => update(createTextResult(tail.output)) }));
  const failure = describeFailure(run, seconds);
  const shown = run.output === '' && !run.cancelled ? '(no output)' : run.output;
  const missing = run.isStartMissing ? '[The terminal kept only the end of the output]' : undefined;
  const cause = failure?.code === 'tool_failed' ? run.sandboxCause : undefined;
  const hint =
    cause && escalation ? `${cause} Call again with escalate: true to ask the user to run it outside.` : cause;
  const text = [shown, missing, formatTruncationNotice(run), failure?.text, hint].filter(Boolean).join('\n\n');
  const details = buildDetails(run);
  if (failure) throw new Fault(failure.code, text, { details: omitUndefined(details) });
  return createTextResult(text, details);
}

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
