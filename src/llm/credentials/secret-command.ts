// Runs the command that prints a key. The output never appears in messages, even if it is not a key.
import { Fault, getErrorMessage } from '../../base/index.ts';
import type { Clock, Processes } from '../../contracts/index.ts';
import { findReferencedVariables } from './referenced-variables.ts';

export interface SecretCommandPorts {
  processes: Pick<Processes, 'spawn'>;
  clock: Pick<Clock, 'after'>;
  /** Environment of every command. */
  toolEnv: Readonly<Record<string, string>>;
}

export interface SecretCommand {
  readonly command: string;
  readonly cwd: string;
  /** Owner of the key, for error messages. */
  readonly owner: string;
  /** The whole environment. The command gets the variables that it refers to, even those that are hidden from tools. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

const COMMAND_TIMEOUT_MS = 10_000;
const MAX_SECRET_BYTES = 64 * 1024;

/** Reads a key, which must be one line. */
export async function readSecretFromCommand(ports: SecretCommandPorts, request: SecretCommand): Promise<string> {
  const secret = await readCommandOutput(ports, request);
  if (/[\r\n]/.test(secret)) throw createCommandFault(request.command, request.owner, 'printed more than one line');
  return secret;
}

export async function readCommandOutput(ports: SecretCommandPorts, request: SecretCommand): Promise<string> {
  const { command, cwd, owner } = request;
  const createFault = (problem: string, cause?: unknown) => createCommandFault(command, owner, problem, cause);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const onOutput = (chunk: Uint8Array, stream: 'stdout' | 'stderr') => {
    if (stream === 'stderr' || bytes > MAX_SECRET_BYTES) return;
    chunks.push(chunk);
    bytes += chunk.length;
  };
  const child = await ports.processes
    .spawn({ command: '/bin/sh', args: ['-c', command], cwd, ...buildEnvironment(ports, request), onOutput })
    .catch((thrown: unknown) => {
      throw createFault(`could not be started (${getErrorMessage(thrown)})`, thrown);
    });
  let hasTimedOut = false;
  const cancel = ports.clock.after(COMMAND_TIMEOUT_MS, () => {
    hasTimedOut = true;
    child.kill();
  });
  const { code, signal } = await child.finished.finally(cancel);
  if (hasTimedOut) throw createFault(`did not end within ${COMMAND_TIMEOUT_MS / 1000} seconds`);
  if (code !== 0) throw createFault(`ended with ${code === null ? signal : `exit code ${code}`}`);
  const secret = Buffer.concat(chunks).toString('utf8').trim();
  if (secret === '') throw createFault('printed nothing');
  if (bytes > MAX_SECRET_BYTES) throw createFault('printed more than 64 KiB');
  return secret;
}

function buildEnvironment({ toolEnv }: SecretCommandPorts, { command, env }: SecretCommand) {
  const keys = findReferencedVariables(command, Object.keys(env));
  const referenced = keys.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  return { env: { ...toolEnv, ...Object.fromEntries(referenced) }, allowedKeyVariables: keys };
}

function createCommandFault(command: string, owner: string, problem: string, cause?: unknown): Fault {
  return new Fault('no_credentials', `The command for the key of ${owner} ${problem}: ${command}`, { cause });
}
