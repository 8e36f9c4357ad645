// Provider logins for a host with a single session. Loaded on first use.
import { Fault } from '../base/index.ts';
import type { HostUi, ProviderLogins } from '../contracts/index.ts';
import { COPILOT_PROVIDER_ID } from '../llm/credentials/copilot-login.ts';
import { createProviderAuth } from './session-pool/provider-auth.ts';

type ProviderAuthArguments = Parameters<typeof createProviderAuth>;

export function createLogins(
  credentials: ProviderAuthArguments[0],
  options: ProviderAuthArguments[1],
  host: () => HostUi | undefined,
): ProviderLogins {
  const auth = createProviderAuth(credentials, options);
  return {
    async listProviders() {
      const { name = COPILOT_PROVIDER_ID, ready = false } =
        (await auth.getStatus()).find(({ method }) => method === 'device_code') ?? {};
      return [{ id: COPILOT_PROVIDER_ID, name, available: true, authenticated: ready }];
    },
    async login(providerId) {
      if (providerId !== COPILOT_PROVIDER_ID) {
        throw new Fault(
          'not_found',
          `Unknown OAuth provider: ${providerId || '""'}. Available: ${COPILOT_PROVIDER_ID}`,
        );
      }
      const code = await auth.startDeviceLogin();
      const instructions = `Enter the code ${code.userCode}`;
      host()?.show({ method: 'open_url', url: code.verificationUri, instructions });
      await auth.waitForDeviceLogin(code);
    },
    cancelPending: () => auth.cancelPending(),
  };
}
