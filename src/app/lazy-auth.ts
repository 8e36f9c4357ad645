// The sign-ins of an agent, whose code is loaded with the first use.
import type { ProviderAuth } from '../contracts/index.ts';
import type { Credentials } from '../llm/index.ts';
import type { AgentModelsOptions } from './agent-models.ts';

export function createLazyAuth(options: AgentModelsOptions, credentials?: Credentials): ProviderAuth {
  let loading: Promise<ProviderAuth> | undefined;
  const load = () => {
    loading ??= import('./agent-auth.ts').then(({ createAgentAuth }) => createAgentAuth(options, credentials));
    return loading;
  };
  return {
    getStatus: async () => (await load()).getStatus(),
    listSignIns: async () => (await load()).listSignIns(),
    signIn: async (provider, prompts) => (await load()).signIn(provider, prompts),
    cancelSignIn: async (provider) => (await load()).cancelSignIn(provider),
    signOut: async () => (await load()).signOut(),
    saveKey: async (provider, key) => (await load()).saveKey(provider, key),
    startDeviceLogin: async () => (await load()).startDeviceLogin(),
    waitForDeviceLogin: async (login) => (await load()).waitForDeviceLogin(login),
    cancelPending: () => void loading?.then((auth) => auth.cancelPending()),
  };
}
