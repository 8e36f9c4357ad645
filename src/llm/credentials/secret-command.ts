// First floor, llm: the key that a command prints. Its output is shown to nobody, also when it is no key.
import { Fault, messageOf } from '../../base/index.ts';
import type { Clock, Processes } from '../../contracts/index.ts';

export interface CommandPorts {
  processes: Pick<Processes, 'spawn'>;
  clock: Pick<Clock, 'after'>;
  /** What the command may see. */
  toolEnv: Readonly<Record<string, string>>;
}

const COMMAND_MS = 10_000;
const LONGEST_SECRET = 64 * 1024;

/** A key, which is one line. */
export async function printedBy(ports: CommandPorts, cwd: string, command: string, owner: string): Promise<string> {
  const secret = await allPrintedBy(ports, cwd, command, owner);
  if (/[\r\n]/.test(secret)) throw failure(command, owner, 'printed more than one line');
  return secret;
}

export async function allPrintedBy(ports: CommandPorts, cwd: string, command: string, owner: string): Promise<string> {
  const failed = (how: string, cause?: unknown) => failure(command, owner, how, cause);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const onOutput = (chunk: Uint8Array, stream: 'stdout' | 'stderr') => {
    if (stream === 'stderr' || bytes > LONGEST_SECRET) return;
    chunks.push(chunk);
    bytes += chunk.length;
  };
  const child = await ports.processes
    .spawn({ command: '/bin/sh', args: ['-c', command], cwd, env: ports.toolEnv, onOutput })
    .catch((thrown: unknown) => {
      throw failed(`could not be started (${messageOf(thrown)})`, thrown);
    });
  let late = false;
  const cancel = ports.clock.after(COMMAND_MS, () => {
    late = true;
    child.kill();
  });
  const { code, signal } = await child.finished.finally(cancel);
  if (late) throw failed(`did not end within ${COMMAND_MS / 1000} seconds`);
  if (code !== 0) throw failed(`ended with ${code === null ? signal : `exit code ${code}`}`);
  const secret = Buffer.concat(chunks).toString('utf8').trim();
  if (secret === '') throw failed('printed nothing');
  if (bytes > LONGEST_SECRET) throw failed('printed more than a key');
  return secret;
}

function failure(command: string, owner: string, how: string, cause?: unknown): Fault {
  return new Fault('no_credentials', `The command for the key of ${owner} ${how}: ${command}`, { cause });
}
