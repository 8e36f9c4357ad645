// Lists the providers with their sign-in methods, and where the credentials of each come from. Never reads a value.
import type { ProviderStatus as KeyStatus } from '../../contracts/index.ts';
import { type AuthFile, createAuthFile } from '../../llm/credentials/auth-file.ts';
import { LOGIN_FLOWS } from '../../llm/credentials/login-flows.ts';
import { PROVIDERS } from '../../llm/providers/providers.ts';
import { loadSettings, resolveAgentDirectory } from '../../settings/index.ts';
import { homeDirectory } from '../../support/home-directory.ts';
import { createAgentModels } from '../agent-models.ts';
import { createSystemPorts, type SystemPorts } from '../system-ports/index.ts';

export interface CredentialStore {
  readonly ports: SystemPorts;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly authFile: AuthFile;
  readonly credentials: ReturnType<typeof createAgentModels>['credentials'];
}

export interface ProviderStatus extends Pick<KeyStatus, 'id' | 'name'> {
  readonly methods: readonly ('browser' | 'device_code' | 'api_key')[];
  readonly authenticated: boolean;
  /** A variable, a file or a cloud sign-in. */
  readonly source?: string | undefined;
  /** Why the source cannot be used. */
  readonly problem?: string | undefined;
}

export async function withCredentials(
  warn: (line: string) => void,
  use: (store: CredentialStore) => Promise<string>,
): Promise<string> {
  const env = process.env;
  const agentDirectory = resolveAgentDirectory(env, homeDirectory());
  const ports = createSystemPorts({ agentDirectory });
  try {
    const { files, clock, ids, platform } = ports;
    const { values: settings } = await loadSettings({ files, agentDirectory });
    const { credentials } = createAgentModels({ agentDirectory, settings, ports, env, warn });
    const authFile = createAuthFile({ files, clock, ids, directory: agentDirectory, platform, warn: () => {} });
    return await use({ ports, env, authFile, credentials });
  } finally {
    await ports.close();
  }
}

/** Built-in providers that need credentials, then the other providers of models.json. */
export async function listProviderStatus({ credentials, ports, env }: CredentialStore): Promise<ProviderStatus[]> {
  const { findSource, modelsFileProviders } = await credentials.readSnapshot();
  const { hasCloudSignIn } = await import('../../llm/apis/ai-sdk/sign-in/cloud-machine.ts');
  const builtIn = PROVIDERS.filter(({ keyless }) => !keyless).map(({ id, name }) => ({ id, name }));
  const custom = modelsFileProviders.filter((id) => !PROVIDERS.some((provider) => provider.id === id));
  const all = [...builtIn, ...custom.map((id) => ({ id, name: id }))];
  return Promise.all(
    all.map(async ({ id, name }): Promise<ProviderStatus> => {
      const { location, problem } = findSource(id) ?? {};
      const usesCloud = location === undefined && (await hasCloudSignIn(id, env, ports.files));
      const source = usesCloud ? 'the sign-in of the cloud' : location;
      const authenticated = source !== undefined && problem === undefined;
      return { id, name, methods: listMethods(id), authenticated, source, problem };
    }),
  );
}

function listMethods(id: string): ProviderStatus['methods'] {
  const flow = Object.hasOwn(LOGIN_FLOWS, id) ? LOGIN_FLOWS[id] : undefined;
  if (!flow) return ['api_key'];
  return flow.hasNoKeys ? [flow.method] : [flow.method, 'api_key'];
}
