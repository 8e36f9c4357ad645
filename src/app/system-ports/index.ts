// Creates the ports for the real system: clock, ids, files, processes and network. Must not do work at creation, because that
// would delay every start of the program.
import type { Ports } from '../../contracts/ports.ts';
import { createClock } from './clock.ts';
import type { DiagnosticLog } from './diagnostic-log.ts';
import { createIds } from './ids.ts';
import { createLazyFiles } from './lazy-files.ts';
import { createLazyProcesses } from './lazy-processes.ts';
import { createNetwork } from './network.ts';
import { createToolEnv, isKnownSecretVariable } from './tool-env.ts';

export { PROVIDER_VARIABLES } from './tool-env.ts';

export interface SystemPorts extends Ports {
  /** Redacts a value in the diagnostic log that became known later, such as a key from a file. */
  redact(secret: string): void;
  listSecrets(): readonly string[];
  /** Withholds a variable from tools and redacts it in the log, when it becomes known later that it holds a key. */
  withhold(variable: string): void;
  /** Ends all child processes and the process watcher, and closes the log. */
  close(): Promise<void>;
}

export interface SystemPortsOptions {
  /** The user's Parley directory. Its small files are read synchronously. Variables named in models.json or auth.json are withheld. */
  agentDirectory?: string | undefined;
  /** Opened by the caller, because most processes do not log. Closed with the ports. */
  diagnostics?: DiagnosticLog | undefined;
  env?: NodeJS.ProcessEnv | undefined;
  /** Variables that hold keys, in addition to PROVIDER_VARIABLES: tools do not get them, and the log does not show them. */
  withhold?: readonly string[] | undefined;
}

export function createSystemPorts(options: SystemPortsOptions = {}): SystemPorts {
  const { agentDirectory, diagnostics = NO_LOG, env = process.env } = options;
  const clock = createClock();
  const ids = createIds();
  const secrets = new Set<string>();
  const addSecret = (secret: string) => {
    secrets.add(secret);
    diagnostics.redact(secret);
  };
  if (diagnostics !== NO_LOG) for (const key of listKeys(env)) diagnostics.redact(key);
  const toolEnv = createToolEnv({
    env,
    agentDirectory,
    withhold: options.withhold,
    onSecretVariable: (variable) => addSecret(env[variable] ?? ''),
  });
  const processes = createLazyProcesses({ ids, cleanEnv: toolEnv.clean });
  return {
    clock,
    ids,
    files: createLazyFiles(agentDirectory),
    processes,
    ...createNetwork(env, clock),
    log: diagnostics.log,
    get toolEnv() {
      return toolEnv.current();
    },
    platform: process.platform,
    async testPatterns(pairs) {
      return (await import('./pattern-matcher.ts')).createTestPatterns({ clock })(pairs);
    },
    async renderMarkup(texts) {
      return (await import('./render-markup.ts')).createRenderMarkup({ clock })(texts);
    },
    redact: addSecret,
    listSecrets: () => [...secrets, ...listKeys(env)],
    withhold: toolEnv.withhold,
    async close() {
      await processes.close();
      diagnostics.close();
    },
  };
}

const NO_LOG: DiagnosticLog = { log: () => {}, redact: () => {}, close: () => {} };

function listKeys(env: NodeJS.ProcessEnv): string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && isKnownSecretVariable(name) ? [value] : [],
  );
}
