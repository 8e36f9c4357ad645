// The app's way to let another program have the terminal to itself until it ends. Knows how it ended, not what it did.
import { once } from 'node:events';

export interface ForegroundRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Ends it when it aborts. */
  readonly signal: AbortSignal;
}

/** Rejects when it cannot be started. The terminal's modes are afterwards what they were, also when the program died. */
export async function runInForeground(
  request: ForegroundRequest,
): Promise<{ code: number | null; signal: string | null }> {
  const { command, args, cwd, env } = request;
  const { spawn } = await import('node:child_process');
  const modes = await stty(request, ['-g']);
  const child = spawn(command, args, { cwd, env, stdio: 'inherit' });
  const end = () => void child.kill();
  // Whoever waits for nothing any more does not ask twice.
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  request.signal.addEventListener('abort', end);
  if (request.signal.aborted) end();
  try {
    const [code, signal] = await once(child, 'close');
    return { code, signal };
  } finally {
    process.off('exit', kill);
    request.signal.removeEventListener('abort', end);
    if (modes !== '') await stty(request, [modes]);
  }
}

/** Where there is no such program, the modes are as the one before left them. */
async function stty({ cwd, env }: ForegroundRequest, args: readonly string[]): Promise<string> {
  const { spawn } = await import('node:child_process');
  const child = spawn('stty', args, { cwd, env, stdio: ['inherit', 'pipe', 'ignore'] });
  let said = '';
  child.stdout.on('data', (text: Buffer) => {
    said += text;
  });
  const [code] = await once(child, 'close').catch(() => [1]);
  return code === 0 ? said.trim() : '';
}
