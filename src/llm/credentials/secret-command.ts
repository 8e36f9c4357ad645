// First floor, llm: the key that a command prints. Its output is shown to nobody, also when it is no key.
import { Fault, messageOf } from '../../base/index.ts';
import type { Clock, Processes } from '../../contracts/index.ts';
import { variablesNamedIn } from './named-variables.ts';

export interface CommandPorts {
  processes: Pick<Processes, 'spawn'>;
  clock: Pick<Clock, 'after'>;
  /** What every command may see. */
  toolEnv: Readonly<Record<string, string>>;
}

export interface SecretCommand {
  readonly command: string;
  readonly cwd: string;
  /** Whose key it is, for messages. */
  readonly owner: string;
  /** The whole environment: variables that the command names are given to it, also when tools do not get them. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

const COMMAND_MS = 10_000;
const LONGEST_SECRET = 64 * 1024;

/** A key, which is one line. */
export async function printedBy(ports: CommandPorts, request: SecretCommand): Promise<string> {
  const secret = await allPrintedBy(ports, request);
  if (/[\r\n]/.test(secret)) throw failure(request.command, request.owner, 'printed more than one line');
  return secret;
}

export async function allPrintedBy(ports: CommandPorts, request: SecretCommand): Promise<string> {
  const { command, cwd, owner } = request;
  const failed = (how: string, cause?: unknown) => failure(command, owner, how, cause);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const onOutput = (chunk: Uint8Array, stream: 'stdout' | 'stderr') => {
    if (stream === 'stderr' || bytes > LONGEST_SECRET) return;
    chunks.push(chunk);
    bytes += chunk.length;
  };
  const child = await ports.processes
    .spawn({ command: '/bin/sh', args: ['-c', command], cwd, ...environmentOf(ports, request), onOutput })
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

function environmentOf({ toolEnv }: CommandPorts, { command, env }: SecretCommand) {
  const keys = variablesNamedIn(command, Object.keys(env));
  const named = keys.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  return { env: { ...toolEnv, ...Object.fromEntries(named) }, keys };
}

function failure(command: string, owner: string, how: string, cause?: unknown): Fault {
  return new Fault('no_credentials', `The command for the key of ${owner} ${how}: ${command}`, { cause });
}
