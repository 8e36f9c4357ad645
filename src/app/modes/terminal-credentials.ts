// The credentials that /login and /logout change: those in auth.json.
import { createAuthFile } from '../../llm/credentials/auth-file.ts';
import { PROVIDERS } from '../../llm/providers/providers.ts';
import { loadSettings } from '../../settings/index.ts';
import type { CredentialPorts } from '../../terminal/index.ts';
import { createAgentModels } from '../agent-models.ts';
import type { SystemPorts } from '../system-ports/index.ts';

/** Uses device codes only. */
const KEYLESS_LOGIN = 'github-copilot';

export async function openCredentials(ports: SystemPorts, agentDirectory: string): Promise<CredentialPorts> {
  const { files, clock, ids, platform } = ports;
  const { values: settings } = await loadSettings({ files, agentDirectory });
  // The agent reports the problems of these files.
  const warn = () => {};
  const { credentials } = createAgentModels({ agentDirectory, settings, ports, warn });
  const authFile = createAuthFile({ files, clock, ids, directory: agentDirectory, platform, warn });
  return {
    async listProviders() {
      const { hasCredential, modelsFileProviders, authFileProviders } = await credentials.readSnapshot();
      const builtIn = PROVIDERS.filter(({ keyless }) => !keyless).map(({ id, name }) => ({ id, name }));
      const others = [...new Set([...modelsFileProviders, ...authFileProviders])]
        .filter((id) => !PROVIDERS.some((provider) => provider.id === id))
        .map((id) => ({ id, name: id }));
      return [...builtIn, ...others].map(({ id, name }) => ({
        ...{ id, name },
        acceptsKey: id !== KEYLESS_LOGIN,
        hasCredential: hasCredential(id),
        isStored: authFileProviders.includes(id),
      }));
    },
    saveKey: (provider, key) => credentials.saveKey(provider, key),
    async remove(provider) {
      await authFile.remove((name) => name === provider);
    },
  };
}
