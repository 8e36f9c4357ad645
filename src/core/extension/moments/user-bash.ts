// First floor, core: the host's own shell commands, as an extension may answer for them or run them elsewhere.
import { isRecord } from '../../../base/index.ts';
import type { ExecuteShell, PlannedShell, ShellVerdict } from '../../../contracts/index.ts';
import type { BashResult } from '../../../protocol/index.ts';
import type { HandlerRunner } from '../runner.ts';

/** As extensions write it. */
type Exec = (
  command: string,
  cwd: string,
  options: {
    onData(data: Uint8Array | string): void;
    signal: AbortSignal;
    env: Readonly<Record<string, string>>;
  },
) => Promise<{ exitCode: number | null }>;

/** The first who has something to say about it is the last to be asked. */
export async function shellVerdict(runner: HandlerRunner, planned: PlannedShell): Promise<ShellVerdict | undefined> {
  let verdict: ShellVerdict | undefined;
  await runner.emit({ type: 'user_bash', ...planned } as { type: string }, (answer) => {
    if (!isRecord(answer)) return false;
    if (isRecord(answer.result)) verdict = { result: completed(answer.result) };
    else if (isRecord(answer.operations) && typeof answer.operations.exec === 'function') {
      verdict = { execute: throughExec(answer.operations.exec.bind(answer.operations) as Exec) };
    }
    return verdict !== undefined;
  });
  return verdict;
}

function throughExec(exec: Exec): ExecuteShell {
  const encoder = new TextEncoder();
  return async ({ command, cwd, env, signal, onOutput }) => {
    const onData = (data: Uint8Array | string) => onOutput(typeof data === 'string' ? encoder.encode(data) : data);
    const { exitCode } = await exec(command, cwd, { onData, signal, env });
    return { exitCode: typeof exitCode === 'number' ? exitCode : null };
  };
}

/** Extensions count nothing. */
function completed(result: Record<string, unknown>): BashResult {
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
