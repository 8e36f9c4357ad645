// The `user_bash` event: an extension can return the result of a user's shell command or run it elsewhere.
import { isRecord } from '../../../base/index.ts';
import type { ExecuteShell, PlannedShellCommand, ShellHookResult } from '../../../contracts/index.ts';
import type { BashResult } from '../../../protocol/index.ts';
import type { HandlerRunner } from '../handler-runner.ts';

/** pi's signature of `operations.exec`. */
type ExtensionExec = (
  command: string,
  cwd: string,
  options: {
    onData(data: Uint8Array | string): void;
    signal: AbortSignal;
    env: Readonly<Record<string, string>>;
  },
) => Promise<{ exitCode: number | null }>;

/** The first handler that returns a result or operations wins. */
export async function emitUserBash(
  runner: HandlerRunner,
  plannedCommand: PlannedShellCommand,
): Promise<ShellHookResult | undefined> {
  let hookResult: ShellHookResult | undefined;
  await runner.emit({ type: 'user_bash', ...plannedCommand } as { type: string }, (handlerResult) => {
    if (!isRecord(handlerResult)) return false;
    if (isRecord(handlerResult.result)) hookResult = { result: toBashResult(handlerResult.result) };
    else if (isRecord(handlerResult.operations) && typeof handlerResult.operations.exec === 'function') {
      hookResult = { execute: wrapExec(handlerResult.operations.exec.bind(handlerResult.operations) as ExtensionExec) };
    }
    return hookResult !== undefined;
  });
  return hookResult;
}

function wrapExec(exec: ExtensionExec): ExecuteShell {
  const encoder = new TextEncoder();
  return async ({ command, cwd, env, signal, onOutput }) => {
    const onData = (data: Uint8Array | string) => onOutput(typeof data === 'string' ? encoder.encode(data) : data);
    const { exitCode } = await exec(command, cwd, { onData, signal, env });
    return { exitCode: typeof exitCode === 'number' ? exitCode : null };
  };
}

/** Computes the line and byte counts, which extensions do not provide. */
function toBashResult(result: Record<string, unknown>): BashResult {
  const output = String(result.output ?? '');
  const lines = output === '' ? 0 : output.replace(/\n$/, '').split('\n').length;
  const bytes = new TextEncoder().encode(output).length;
  const cancelled = result.cancelled === true;
  return {
    output,
    ...(cancelled ? {} : { exitCode: typeof result.exitCode === 'number' ? result.exitCode : 0 }),
    cancelled,
    truncated: result.truncated === true,
    totalLines: lines,
    totalBytes: bytes,
    outputLines: lines,
    outputBytes: bytes,
  };
}
