// `pi.exec`: runs a program without a shell. Its process group is killed when the program ends or when this process exits.
import { getErrorMessage } from '../../base/index.ts';
import type { Ports } from '../../contracts/index.ts';

export interface ExecOptions {
  cwd?: string;
  /** Milliseconds. */
  timeout?: number;
  signal?: AbortSignal;
}

export interface ExecResult {
  stdout: string;
  stderr: string;
  code: number;
  killed: boolean;
}

/** Never rejects: a program that cannot be started gives a result with `code` 1, because extensions check `code`. */
export async function exec(
  ports: Pick<Ports, 'clock' | 'processes' | 'toolEnv'>,
  command: string,
  args: readonly string[],
  options: ExecOptions & { cwd: string },
): Promise<ExecResult> {
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  const result: ExecResult = { stdout: '', stderr: '', code: 0, killed: false };
  if (options.signal?.aborted) return { ...result, code: 1, killed: true };
  try {
    const child = await ports.processes.spawn({
      command,
      args: args.map(String),
      cwd: options.cwd,
      env: ports.toolEnv,
      onOutput(chunk, stream) {
        result[stream] += decoders[stream].decode(chunk, { stream: true });
      },
    });
    const kill = () => {
      result.killed = true;
      child.kill();
    };
    const cancelTimer = options.timeout ? ports.clock.after(options.timeout, kill) : () => {};
    options.signal?.addEventListener('abort', kill, { once: true });
    // Aborted while the program was being started.
    if (options.signal?.aborted) kill();
    const { code } = await child.finished;
    cancelTimer();
    options.signal?.removeEventListener('abort', kill);
    return { ...result, code: code ?? 1 };
  } catch (thrown) {
    return { ...result, stderr: getErrorMessage(thrown), code: 1 };
  }
}
