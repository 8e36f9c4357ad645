// The app's real ports: the only place where clock, randomness, files, processes and network are the machine's own.
// Creating them does no work, because every start of the program pays for it.
import type { Ports } from '../../contracts/ports.ts';
import { createClock } from './clock.ts';
import { createLazyFiles } from './files-lazy.ts';
import { createIds } from './ids.ts';
import type { DiagnosticLog } from './log.ts';
import { createNetwork } from './network.ts';
import { createLazyProcesses } from './processes-lazy.ts';
import { createToolEnv, isWellKnown } from './tool-env.ts';

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
  /** The user's own directory, whose small files are quickly read. Variables that its models.json or auth.json name are withheld. */
  own?: string | undefined;
  /** Opened by the caller, because most processes have none. It is closed with the ports. */
  diagnostics?: DiagnosticLog | undefined;
  env?: NodeJS.ProcessEnv | undefined;
  /** Variables that hold keys beside those in PROVIDER_VARIABLES: tools do not get them, the log does not show them. */
  withhold?: readonly string[] | undefined;
}

export function createSystemPorts(options: SystemPortsOptions = {}): SystemPorts {
  const { own, diagnostics = NO_LOG, env = process.env } = options;
  const clock = createClock();
  const ids = createIds();
  if (diagnostics !== NO_LOG) redactKeys(env, diagnostics);
  const toolEnv = createToolEnv({
    env,
    directory: own,
    withhold: options.withhold,
    learnt: (variable) => diagnostics.redact(env[variable] ?? ''),
  });
  const processes = createLazyProcesses({ ids, cleaned: toolEnv.cleaned });
  return {
    clock,
    ids,
    files: createLazyFiles(own),
    processes,
    ...createNetwork(env, clock),
    log: diagnostics.log,
    get toolEnv() {
      return toolEnv.current();
    },
    platform: process.platform,
    async tryPatterns(pairs) {
      return (await import('./pattern-watch.ts')).createTryPatterns({ clock })(pairs);
    },
    async renderMarkup(texts) {
      return (await import('./markup-thread.ts')).createRenderMarkup({ clock })(texts);
    },
    redact: diagnostics.redact,
    withhold: toolEnv.withhold,
    async close() {
      await processes.close();
      diagnostics.close();
    },
  };
}

const NO_LOG: DiagnosticLog = { log: () => {}, redact: () => {}, close: () => {} };

function redactKeys(env: NodeJS.ProcessEnv, { redact }: DiagnosticLog): void {
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && isWellKnown(name)) redact(value);
  }
}
