// First floor, llm: what a key in a file stands for: itself, a variable, or a command that prints it. Shows no value to anyone.
import { ownValue } from '../../base/index.ts';
import type { CommandPorts } from './secret-command.ts';

export interface SecretTexts {
  /** The variable that a text names, where it is not set: then there is no secret. What is named is kept from tools. */
  unset(text: string): string | undefined;
  /** `owner` is named when there is no secret to be had. */
  resolve(text: string, owner: string): Promise<string>;
}

export interface SecretTextsOptions {
  ports: CommandPorts;
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

export function createSecretTexts({ ports, env, directory, redact, withhold }: SecretTextsOptions): SecretTexts {
  const printed = new Map<string, Promise<string>>();

  /** Once in the life of the process, because such commands ask people for fingerprints. What failed is tried again. */
  function output(command: string, owner: string): Promise<string> {
    const known = printed.get(command);
    if (known) return known;
    const running = import('./secret-command.ts').then(({ printedBy }) =>
      printedBy(ports, { command, cwd: directory, owner, env }),
    );
    printed.set(command, running);
    running.catch(() => printed.delete(command));
    return running;
  }

  return {
    unset(text) {
      if (ownValue(env, text)) withhold(text);
      return VARIABLE.test(text) && !ownValue(env, text) ? text : undefined;
    },
    async resolve(text, owner) {
      const secret = text.startsWith('!') ? await output(text.slice(1), owner) : ownValue(env, text) || text;
      redact(secret);
      return secret;
    },
  };
}
