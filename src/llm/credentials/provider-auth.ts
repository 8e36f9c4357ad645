// Reports which providers have credentials, saves API keys and runs sign-ins.
import { Fault, getOwnValue } from '../../base/index.ts';
import type { ProviderAuth, ProviderStatus, SignInPrompts } from '../../contracts/index.ts';
import type { LoginContext } from '../../support/oauth/browser-login.ts';
import { createCancelledFault } from '../../support/oauth/oauth-request.ts';
import { findProvider, PROVIDERS } from '../providers/providers.ts';
import type { AuthFile } from './auth-file.ts';
import { COPILOT_PROVIDER_ID, createCopilotLogin } from './copilot-login.ts';
import type { Credentials } from './credentials.ts';
import { LOGIN_FLOWS } from './login-flows.ts';

/** Always listed, first and in this order. Others are listed when they have credentials; those of models.json come last. */
const LISTED_FIRST = ['anthropic', 'openai', 'google'];

interface ProviderAuthOptions extends Omit<LoginContext, 'showUrl' | 'readLine' | 'signal'> {
  readonly authFile: Pick<AuthFile, 'read' | 'remove'>;
}

export function createProviderAuth(credentials: Credentials, options: ProviderAuthOptions): ProviderAuth {
  const copilot = createCopilotLogin(options);
  const cancelled = new AbortController();
  return {
    async getStatus() {
      const { hasCredential, modelsFileProviders } = await credentials.readSnapshot();
      const rank = (id: string) => (LISTED_FIRST.includes(id) ? LISTED_FIRST.indexOf(id) : LISTED_FIRST.length);
      const keyed = PROVIDERS.filter(
        ({ id }) => id !== COPILOT_PROVIDER_ID && (LISTED_FIRST.includes(id) || hasCredential(id)),
      )
        .toSorted((a, b) => rank(a.id) - rank(b.id))
        .map(({ id, name, env }): ProviderStatus => {
          const variable = env.find((variableName) => variableName.endsWith('_API_KEY')) ?? env[0];
          return { id, name, method: 'api_key', envVariable: variable, ready: hasCredential(id) };
        });
      const customProviders = modelsFileProviders
        .filter((id) => hasCredential(id) && !findProvider(id))
        .map((id): ProviderStatus => ({ id, name: id, method: 'api_key', ready: true }));
      return [
        {
          id: COPILOT_PROVIDER_ID,
          name: 'GitHub Copilot',
          method: 'device_code',
          ready: hasCredential(COPILOT_PROVIDER_ID),
        },
        ...keyed,
        ...customProviders,
      ];
    },
    ...createSignIns(credentials, options, cancelled.signal),
    saveKey: (provider, key) => credentials.saveKey(provider, key),
    startDeviceLogin: () => copilot.start(),
    async waitForDeviceLogin(login) {
      await credentials.saveLogin(COPILOT_PROVIDER_ID, await copilot.waitForApproval(login, cancelled.signal));
    },
    cancelPending: () => cancelled.abort(),
  };
}

interface PendingSignIn {
  readonly controller: AbortController;
  readonly ended: Promise<unknown>;
}

function createSignIns(
  credentials: Credentials,
  options: ProviderAuthOptions,
  hostClosed: AbortSignal,
): Pick<ProviderAuth, 'listSignIns' | 'signIn' | 'cancelSignIn' | 'signOut'> {
  /** By provider. */
  const pending = new Map<string, PendingSignIn>();
  const signIn = async (provider: string, prompts: SignInPrompts, signal: AbortSignal) => {
    const flow = getOwnValue(LOGIN_FLOWS, provider);
    if (!flow) throw new Fault('not_found', `${provider} has no sign-in.`);
    if (signal.aborted) throw createCancelledFault();
    const previous = (await options.authFile.read()).get(provider);
    const entry = await flow.signIn({ ...options, ...prompts, signal }, previous);
    if (signal.aborted) throw createCancelledFault();
    if (entry.type === 'oauth') await credentials.saveLogin(provider, entry);
    else await credentials.saveKey(provider, entry.key);
  };
  return {
    async listSignIns() {
      const { hasCredential } = await credentials.readSnapshot();
      return Object.entries(LOGIN_FLOWS).map(([id, { account }]) => ({
        ...{ id, account },
        name: findProvider(id)?.name ?? id,
        ready: hasCredential(id),
      }));
    },
    async cancelSignIn(provider) {
      const current = pending.get(provider);
      current?.controller.abort();
      return current !== undefined;
    },
    signOut: () => options.authFile.remove((provider) => Object.hasOwn(LOGIN_FLOWS, provider)),
    async signIn(provider, prompts) {
      const earlier = pending.get(provider);
      earlier?.controller.abort();
      const controller = new AbortController();
      const signal = AbortSignal.any([controller.signal, hostClosed]);
      // The earlier sign-in may still use the port of the redirect.
      const done = (earlier?.ended ?? Promise.resolve()).then(() => signIn(provider, prompts, signal));
      const current = { controller, ended: done.catch(() => {}) };
      pending.set(provider, current);
      await done.finally(() => {
        if (pending.get(provider) === current) pending.delete(provider);
      });
    },
  };
}
