// The hall: signing in while a host with one session looks on. Loaded when it asks for it.
import { Fault } from '../base/index.ts';
import type { HostUi, Logins } from '../contracts/index.ts';
import { COPILOT } from '../llm/credentials/copilot.ts';
import { createDeskAuth } from './desk/auth.ts';

type Auth = Parameters<typeof createDeskAuth>;

export function createLogins(credentials: Auth[0], surroundings: Auth[1], host: () => HostUi | undefined): Logins {
  const auth = createDeskAuth(credentials, surroundings);
  return {
    async providers() {
      const { name = COPILOT, ready = false } =
        (await auth.status()).find(({ method }) => method === 'device_code') ?? {};
      return [{ id: COPILOT, name, available: true, authenticated: ready }];
    },
    async login(providerId) {
      if (providerId !== COPILOT) {
        throw new Fault('not_found', `Unknown OAuth provider: ${providerId || '""'}. Available: ${COPILOT}`);
      }
      const code = await auth.login();
      const instructions = `Enter the code ${code.userCode}`;
      host()?.show({ method: 'open_url', url: code.verificationUri, instructions });
      await auth.poll(code);
    },
    giveUp: () => auth.giveUp(),
  };
}
