// First floor, llm: what a key in a file stands for: itself, a variable, or a command that prints it. Shows no value to anyone.
import { Fault, messageOf } from '../../base/index.ts';
import type { Clock, Processes } from '../../contracts/index.ts';

export interface SecretPorts {
  processes: Pick<Processes, 'spawn'>;
  clock: Pick<Clock, 'after'>;
  /** For the commands. */
  toolEnv: Readonly<Record<string, string>>;
}

export interface SecretTexts {
  /** The variable that a text names, where it is not set: then there is no secret. What is named is kept from tools. */
  unset(text: string): string | undefined;
  /** `owner` is named when there is no secret to be had. */
  resolve(text: string, owner: string): Promise<string>;
}

export interface SecretTextsOptions {
  ports: SecretPorts;
  env: Readonly<Record<string, string | undefined>>;
  /** Where commands run. */
  directory: string;
  /** Learns every secret, to strike it out of logs. */
  redact(secret: string): void;
  /** Learns every variable that holds one. */
  withhold(variable: string): void;
}

/** No provider gives keys that look like this. */
const VARIABLE = /^[A-Z][A-Z\d]*(_[A-Z\d]+)+$/;
const COMMAND_MS = 10_000;
const LONGEST_SECRET = 64 * 1024;

export function createSecretTexts({ ports, env, directory, redact, withhold }: SecretTextsOptions): SecretTexts {
  const printed = new Map<string, Promise<string>>();

  /** Once in the life of the process, because such commands ask people for fingerprints. What failed is tried again. */
  function output(command: string, owner: string): Promise<string> {
    const known = printed.get(command);
    if (known) return known;
    const running = run(ports, directory, command, owner);
    printed.set(command, running);
    running.catch(() => printed.delete(command));
    return running;
  }

  return {
    unset(text) {
      if (env[text]) withhold(text);
      return VARIABLE.test(text) && !env[text] ? text : undefined;
    },
    async resolve(text, owner) {
      const secret = text.startsWith('!') ? await output(text.slice(1), owner) : env[text] || text;
      redact(secret);
      return secret;
    },
  };
}

async function run(ports: SecretPorts, cwd: string, command: string, owner: string): Promise<string> {
  const failed = (how: string, cause?: unknown) =>
    new Fault('no_credentials', `The command for the key of ${owner} ${how}: ${command}`, { cause });
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
  if (/[\r\n]/.test(secret) || bytes > LONGEST_SECRET) throw failed('printed more than one line');
  return secret;
}
