// The credentials that /login and /logout change: those in auth.json.
import type { CredentialPorts } from '../../terminal/index.ts';
import type { SystemPorts } from '../system-ports/index.ts';
import { listProviderStatus, openCredentialStore } from './credential-status.ts';

export async function openCredentials(ports: SystemPorts, agentDirectory: string): Promise<CredentialPorts> {
  // The agent reports the problems of the files.
  const store = await openCredentialStore(ports, agentDirectory);
  const { credentials, authFile } = store;
  return {
    async listProviders() {
      const { authFileProviders } = await credentials.readSnapshot();
      return (await listProviderStatus(store)).map(({ id, name, methods, authenticated }) => ({
        ...{ id, name },
        acceptsKey: methods.includes('api_key'),
        hasCredential: authenticated,
        isStored: authFileProviders.includes(id),
      }));
    },
    saveKey: (provider, key) => credentials.saveKey(provider, key),
    async remove(provider) {
      await authFile.remove((name) => name === provider);
    },
  };
}
