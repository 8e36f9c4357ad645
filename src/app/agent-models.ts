// Creates the model registry of an agent from settings, flags and environment variables.
import type { HostUi, ModelRegistry, Ports } from '../contracts/index.ts';
import { createApiLoaders, createModels } from '../llm/index.ts';
import type { FlagOptions, SettingValues } from '../settings/index.ts';
import { homeDirectory } from '../support/home-directory.ts';
import { version } from '../support/version.ts';

/** The model options that the caller of `createAgent` may set. */
export interface ModelOptions extends Pick<FlagOptions, 'provider' | 'model' | 'apiKey' | 'modelPatterns'> {
  /** Environment variables with API keys and base URLs of providers. Default: `process.env`. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Called with each API key that is used, so that logs can redact it. */
  redact?: ((secret: string) => void) | undefined;
  /** Called with each variable that a file names as holding a key, so that tools do not get it. */
  withhold?: ((variable: string) => void) | undefined;
  /** Called with each problem in auth.json and models.json. */
  warn?: ((sentence: string) => void) | undefined;
}

export interface AgentModelsOptions extends ModelOptions {
  /** UI of the host, if one is connected. It asks for MFA codes. */
  host?: (() => HostUi | undefined) | undefined;
  agentDirectory: string;
  settings: SettingValues;
  ports: Ports;
}

/** The providers whose logins expire and can be renewed. */
const RENEWED_LOGINS = ['github-copilot', 'openai', 'xai'];

export function createAgentModels(
  options: AgentModelsOptions,
): ModelRegistry & Pick<ReturnType<typeof createModels>, 'credentials'> {
  const { settings, ports } = options;
  const { clock, fetch, sendHttp } = ports;
  const env = options.env ?? process.env;
  const wire = {
    fetch,
    send: sendHttp,
    clock,
    // A getter, because version() may read package.json, and only requests need it.
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
  const runCommand = async (command: string) => {
    const { readCommandOutput } = await import('../llm/credentials/secret-command.ts');
    return readCommandOutput(ports, { command, cwd: homeDirectory(env), owner: 'Amazon Bedrock', env });
  };
  return createModels({
    apis: createApiLoaders({
      clock,
      yieldToEventLoop: () => clock.yieldToEventLoop(),
      wire,
      env,
      files: ports.files,
      runCommand,
      askUser: (question) => askUser(options, question),
    }),
    ports,
    env,
    directory: options.agentDirectory,
    requested: { provider: options.provider, model: options.model },
    preferred: { provider: settings.defaultProvider, model: settings.defaultModel },
    refreshers: Object.fromEntries(
      RENEWED_LOGINS.map((provider) => [
        provider,
        async (expired) =>
          (await import('../llm/credentials/login-flows.ts')).renewLogin(provider, { fetch, clock, env }, expired),
      ]),
    ),
    apiKey: options.apiKey,
    modelPatterns: options.modelPatterns,
    redact: options.redact,
    withhold: options.withhold,
    warn: options.warn,
  });
}

async function askUser({ host, settings }: AgentModelsOptions, question: string): Promise<string | undefined> {
  const timeout = settings['ui.timeout'];
  const answer = await host?.()?.ask({ method: 'input', title: question }, timeout ? { timeout } : {});
  return answer && 'value' in answer ? answer.value : undefined;
}
