// Runs a command of the bash tool in a terminal of the host.
import { getErrorMessage } from '../base/index.ts';
import type { ExecuteShell, ShellRequest, ToolContext } from '../contracts/index.ts';
import { type CapturedShellResult, getShell, type RunCapturedShell } from './shell.ts';

/** `terminalFailure`: why the end of the command is unknown. */
export type TerminalShellResult = CapturedShellResult & { terminalFailure?: string };

/** `undefined` when the host has created no terminal: then nothing was run, and the caller runs the command itself. */
export async function runInHostTerminal(
  request: ShellRequest,
  { hostServices, toolCallId, ports, options, signal }: ToolContext,
  runShell: RunCapturedShell,
): Promise<TerminalShellResult | undefined> {
  const createRunner = hostServices?.createTerminalRunner;
  if (!createRunner || signal.aborted) return undefined;
  const shell = await getShell(ports, options.shellPath);
  const runInTerminal = createRunner({ toolCallId, shell, clock: ports.clock });
  let isCreated = true;
  let terminalFailure: string | undefined;
  const execute: ExecuteShell = async ({ command, cwd, signal: stop, onOutput }) => {
    try {
      const end = await runInTerminal({ command, cwd, signal: stop, onOutput });
      isCreated = end !== undefined;
      return end ?? { exitCode: null };
    } catch (thrown) {
      terminalFailure = getErrorMessage(thrown);
      return { exitCode: null };
    }
  };
  const result = await runShell({ ...request, execute });
  if (!isCreated && !result.cancelled) return undefined;
  return { ...result, ...(terminalFailure !== undefined && { terminalFailure }) };
}
