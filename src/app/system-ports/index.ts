// The app's real ports: the only place where clock, randomness, files, processes and network are the machine's own.
// Creating them does no work, because every start of the program pays for it.
import type { Ports } from '../../contracts/ports.ts';
import { createClock } from './clock.ts';
import { createLazyFiles } from './files-lazy.ts';
import { createIds } from './ids.ts';
import { createLog, type DiagnosticLog } from './log.ts';
import { createNetwork } from './network.ts';
import { createLazyProcesses } from './processes-lazy.ts';
import { createToolEnv, isWithheld } from './tool-env.ts';

export { PROVIDER_VARIABLES } from './tool-env.ts';

export interface SystemPorts extends Ports {
  /** Keeps a value that was learnt later, such as a key from a file, out of the diagnostic log. */
  redact(secret: string): void;
  /** Keeps a variable from tools and the log, of which it was learnt later that it holds a key. */
  withhold(variable: string): void;
  /** Ends every child and the watcher over them, and closes the log. */
  close(): Promise<void>;
}

export interface SystemPortsOptions {
  /** The user's own directory, whose small files are quickly read. */
  own?: string | undefined;
  logFile?: string | undefined;
  warn?: ((sentence: string) => void) | undefined;
  env?: NodeJS.ProcessEnv | undefined;
  /** Variables that hold keys beside those in PROVIDER_VARIABLES: tools do not get them, the log does not show them. */
  withhold?: readonly string[] | undefined;
}

export function createSystemPorts(options: SystemPortsOptions = {}): SystemPorts {
  const { logFile, warn, env = process.env } = options;
  const withheld = [...(options.withhold ?? [])];
  const clock = createClock();
  const ids = createIds();
  const processes = createLazyProcesses({ ids });
  const diagnostics = createLog({ file: logFile, clock, warn });
  if (logFile !== undefined) redactKeys(env, withheld, diagnostics);
  let toolEnv: Readonly<Record<string, string>> | undefined;
  return {
    clock,
    ids,
    files: createLazyFiles(options.own),
    processes,
    ...createNetwork(env, clock),
    log: diagnostics.log,
    get toolEnv() {
      toolEnv ??= Object.freeze(createToolEnv(env, withheld));
      return toolEnv;
    },
    platform: process.platform,
    redact: diagnostics.redact,
    withhold(variable) {
      if (withheld.includes(variable)) return;
      withheld.push(variable);
      toolEnv = undefined;
      diagnostics.redact(env[variable] ?? '');
    },
    async close() {
      await processes.close();
      diagnostics.close();
    },
  };
}

function redactKeys(env: NodeJS.ProcessEnv, more: readonly string[], { redact }: DiagnosticLog): void {
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && isWithheld(name, more)) redact(value);
  }
}
