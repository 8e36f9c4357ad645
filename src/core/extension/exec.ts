// First floor, core: `pi.exec`, a program and its arguments without a shell. Its whole group ends with it, or with us.
import { messageOf } from '../../base/index.ts';
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

/** A program that cannot be started is a result too: extensions look at `code`. */
export async function exec(
  ports: Pick<Ports, 'clock' | 'processes' | 'toolEnv'>,
  command: string,
  args: readonly string[],
  options: ExecOptions & { cwd: string },
): Promise<ExecResult> {
  const said = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  const result: ExecResult = { stdout: '', stderr: '', code: 0, killed: false };
  if (options.signal?.aborted) return { ...result, code: 1, killed: true };
  try {
    const child = await ports.processes.spawn({
      command,
      args: args.map(String),
      cwd: options.cwd,
      env: ports.toolEnv,
      onOutput(chunk, stream) {
        result[stream] += said[stream].decode(chunk, { stream: true });
      },
    });
    const kill = () => {
      result.killed = true;
      child.kill();
    };
    const cancel = options.timeout ? ports.clock.after(options.timeout, kill) : () => {};
    options.signal?.addEventListener('abort', kill, { once: true });
    const { code } = await child.finished;
    cancel();
    options.signal?.removeEventListener('abort', kill);
    return { ...result, code: code ?? 1 };
  } catch (thrown) {
    return { ...result, stderr: messageOf(thrown), code: 1 };
  }
}
