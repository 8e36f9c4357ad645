// Resolves a secret written in a file: a literal, the name of a variable, or a command that prints it.
import { getOwnValue } from '../../base/index.ts';
import type { SecretCommandPorts } from './secret-command.ts';

export interface SecretResolver {
  /** The variable that the text names, if it is not set. Hides a named variable that is set from tools. */
  findUnsetVariable(text: string): string | undefined;
  /** `owner` is used in error messages. */
  resolve(text: string, owner: string): Promise<string>;
}

export interface SecretResolverOptions {
  ports: SecretCommandPorts;
  env: Readonly<Record<string, string | undefined>>;
  /** Working directory of the commands. */
  directory: string;
  /** Receives every secret, to redact it in logs. */
  redact(secret: string): void;
  /** Receives every variable that contains a secret. */
  withhold(variable: string): void;
}

/** Real API keys never have this form. */
const VARIABLE_NAME = /^[A-Z][A-Z\d]*(_[A-Z\d]+)+$/;

export function createSecretResolver({
  ports,
  env,
  directory,
  redact,
  withhold,
}: SecretResolverOptions): SecretResolver {
  const outputs = new Map<string, Promise<string>>();

  /** Runs once per process, because such commands may ask the user for a password or fingerprint. Failures are retried. */
  function runOnce(command: string, owner: string): Promise<string> {
    const cached = outputs.get(command);
    if (cached) return cached;
    const running = import('./secret-command.ts').then(({ readSecretFromCommand }) =>
      readSecretFromCommand(ports, { command, cwd: directory, owner, env }),
    );
    outputs.set(command, running);
    running.catch(() => outputs.delete(command));
    return running;
  }

  return {
    findUnsetVariable(text) {
      if (getOwnValue(env, text)) withhold(text);
      return VARIABLE_NAME.test(text) && !getOwnValue(env, text) ? text : undefined;
    },
    async resolve(text, owner) {
      const secret = text.startsWith('!') ? await runOnce(text.slice(1), owner) : getOwnValue(env, text) || text;
      redact(secret);
      return secret;
    },
  };
}
