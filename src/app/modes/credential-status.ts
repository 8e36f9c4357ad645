// Lists the providers with their sign-in methods, and where the credentials of each come from. Never reads a value.
import type { ProviderStatus as KeyStatus } from '../../contracts/index.ts';
import type { AuthFile } from '../../llm/credentials/auth-file.ts';
import { LOGIN_FLOWS } from '../../llm/credentials/login-flows.ts';
import { findProvider, PROVIDERS } from '../../llm/providers/providers.ts';
import { loadSettings, resolveAgentDirectory, type SettingValues } from '../../settings/index.ts';
import { homeDirectory } from '../../support/home-directory.ts';
import { openAuthFile } from '../agent-auth.ts';
import { createAgentModels } from '../agent-models.ts';
import { createSystemPorts, type SystemPorts } from '../system-ports/index.ts';

export interface CredentialStore {
  readonly ports: SystemPorts;
  readonly agentDirectory: string;
  readonly settings: SettingValues;
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

/** `warn` is called with each problem of the files. */
export async function openCredentialStore(
  ports: SystemPorts,
  agentDirectory: string,
  warn?: (line: string) => void,
): Promise<CredentialStore> {
  const { values: settings } = await loadSettings({ files: ports.files, agentDirectory });
  const { credentials } = createAgentModels({ agentDirectory, settings, ports, warn });
  return { ports, agentDirectory, settings, credentials, authFile: openAuthFile({ ports, agentDirectory }) };
}

export async function withCredentials(
  warn: (line: string) => void,
  use: (store: CredentialStore) => Promise<string>,
): Promise<string> {
  const agentDirectory = resolveAgentDirectory(process.env, homeDirectory());
  const ports = createSystemPorts({ agentDirectory });
  try {
    return await use(await openCredentialStore(ports, agentDirectory, warn));
  } finally {
    await ports.close();
  }
}

/** Built-in providers that need credentials, then the other providers of models.json and auth.json. */
export async function listProviderStatus({ credentials, ports }: CredentialStore): Promise<ProviderStatus[]> {
  const { findSource, modelsFileProviders, authFileProviders } = await credentials.readSnapshot();
  const { hasCloudSignIn } = await import('../../llm/apis/ai-sdk/sign-in/cloud-machine.ts');
  const builtIn = PROVIDERS.filter(({ keyless }) => !keyless).map(({ id, name }) => ({ id, name }));
  const custom = [...new Set([...modelsFileProviders, ...authFileProviders])].filter((id) => !findProvider(id));
  const all = [...builtIn, ...custom.map((id) => ({ id, name: id }))];
  return Promise.all(
    all.map(async ({ id, name }): Promise<ProviderStatus> => {
      const { location, problem } = findSource(id) ?? {};
      const usesCloud = location === undefined && (await hasCloudSignIn(id, process.env, ports.files));
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
