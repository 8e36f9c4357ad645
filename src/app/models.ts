// The hall: the models of an agent, from settings, flags and the machine it runs on.
import type { Models, Ports } from '../contracts/index.ts';
import { apiLoaders, createModels } from '../llm/index.ts';
import { homeDirectory } from './home.ts';
import type { SettingValues } from './settings-table.ts';
import { version } from './version.ts';

/** What whoever starts an agent may say about its models. */
export interface ModelChoices {
  provider?: string | undefined;
  model?: string | undefined;
  /** The key for the provider that is named, or whose model is. */
  apiKey?: string | undefined;
  /** The models that `cycle_model` goes through: parts of names, or globs. */
  modelPatterns?: readonly string[] | undefined;
  /** Where keys and addresses of providers are looked for; the process's own when absent. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Learns every key that is used, to keep it out of logs. */
  redact?: ((secret: string) => void) | undefined;
  /** Learns which variables hold keys because a file says so, to keep them from tools. */
  withhold?: ((variable: string) => void) | undefined;
  /** Hears what is wrong with auth.json and models.json. */
  warn?: ((sentence: string) => void) | undefined;
}

interface Surroundings extends ModelChoices {
  agentDirectory: string;
  settings: SettingValues;
  ports: Ports;
}

export function modelsFor(options: Surroundings): Models & Pick<ReturnType<typeof createModels>, 'credentials'> {
  const { settings, ports } = options;
  const { clock, fetch, send } = ports;
  const env = options.env ?? process.env;
  const wire = {
    fetch,
    send,
    clock,
    // Only when it is first sent, because looking the number up may take reading a file.
    get userAgent() {
      return `parley/${version()}`;
    },
    get idleTimeoutMs() {
      return settings['http.idleTimeoutMs'];
    },
    get totalTimeoutMs() {
      return settings['http.totalTimeoutMs'];
    },
  };
  const print = async (command: string) => {
    const { allPrintedBy } = await import('../llm/credentials/secret-command.ts');
    return allPrintedBy(ports, { command, cwd: homeDirectory(env), owner: 'Amazon Bedrock', env });
  };
  return createModels({
    apis: apiLoaders({ clock, pause: () => clock.turn(), wire, env, files: ports.files, print }),
    ports,
    env,
    directory: options.agentDirectory,
    asked: { provider: options.provider, model: options.model },
    preferred: { provider: settings.defaultProvider, model: settings.defaultModel },
    refreshers: {
      'github-copilot': async (expired) =>
        (await import('../llm/credentials/copilot.ts')).createCopilotLogin({ fetch, clock, env }).renewed(expired),
    },
    apiKey: options.apiKey,
    patterns: options.modelPatterns,
    redact: options.redact,
    withhold: options.withhold,
    warn: options.warn,
  });
}
