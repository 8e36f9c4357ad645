// Runs a program that uses the terminal exclusively until it exits.
import { once } from 'node:events';

export interface ForegroundRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Terminates the program. */
  readonly signal: AbortSignal;
}

/** Rejects when the program cannot be started. Restores the terminal modes afterwards, also when the program was killed. */
export async function runInForeground(
  request: ForegroundRequest,
): Promise<{ code: number | null; signal: string | null }> {
  const { command, args, cwd, env } = request;
  const { spawn } = await import('node:child_process');
  const terminalModes = await runStty(request, ['-g']);
  const child = spawn(command, args, { cwd, env, stdio: 'inherit' });
  const terminate = () => void child.kill();
  // When this process exits there is no time to wait for SIGTERM.
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  request.signal.addEventListener('abort', terminate);
  if (request.signal.aborted) terminate();
  try {
    const [code, signal] = await once(child, 'close');
    return { code, signal };
  } finally {
    process.off('exit', kill);
    request.signal.removeEventListener('abort', terminate);
    if (terminalModes !== '') await runStty(request, [terminalModes]);
  }
}

/** Returns an empty text if stty is not installed; the terminal modes are then not restored. */
async function runStty({ cwd, env }: ForegroundRequest, args: readonly string[]): Promise<string> {
  const { spawn } = await import('node:child_process');
  const child = spawn('stty', args, { cwd, env, stdio: ['inherit', 'pipe', 'ignore'] });
  let output = '';
  child.stdout.on('data', (text: Buffer) => {
    output += text;
  });
  const [code] = await once(child, 'close').catch(() => [1]);
  return code === 0 ? output.trim() : '';
}
