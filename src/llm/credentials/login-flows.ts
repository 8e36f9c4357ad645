// The providers that a user can sign in to without a key, and how their logins are renewed.
import { Fault, getOwnValue } from '../../base/index.ts';
import type { LoginContext } from '../../support/oauth/browser-login.ts';
import type { AuthEntry, OAuthEntry } from './auth-file.ts';
import { createCopilotLogin } from './copilot-login.ts';
import { renewOpenAiLogin, signInToOpenAi } from './openai-login.ts';
import { signInToOpenRouter } from './openrouter-login.ts';
import { renewXaiLogin, signInToXai } from './xai-login.ts';

type RenewContext = Pick<LoginContext, 'fetch' | 'clock' | 'env'>;

export interface LoginFlow {
  readonly method: 'browser' | 'device_code';
  /** Completes "Sign in with". */
  readonly account: string;
  /** The provider has no API keys that a user could enter. */
  readonly hasNoKeys?: true;
  /** `previous` is what is stored for the provider. */
  signIn(context: LoginContext, previous: AuthEntry | undefined): Promise<AuthEntry>;
  /** Absent when the result is a key that does not expire. */
  renew?(context: RenewContext, expired: OAuthEntry): Promise<OAuthEntry>;
}

/** By provider. */
export const LOGIN_FLOWS: Readonly<Record<string, LoginFlow>> = {
  'github-copilot': {
    method: 'device_code',
    account: 'GitHub',
    hasNoKeys: true,
    async signIn(context) {
      const copilot = createCopilotLogin(context);
      const login = await copilot.start();
      context.showUrl(login.verificationUri, login.userCode);
      return copilot.waitForApproval(login, context.signal);
    },
    renew: (context, expired) => createCopilotLogin(context).renew(expired),
  },
  openai: {
    method: 'browser',
    account: 'ChatGPT',
    signIn: (context, previous) => signInToOpenAi(context, previous?.type === 'oauth' ? previous : undefined),
    renew: renewOpenAiLogin,
  },
  openrouter: { method: 'browser', account: 'OpenRouter', signIn: (context) => signInToOpenRouter(context) },
  xai: { method: 'device_code', account: 'xAI', signIn: (context) => signInToXai(context), renew: renewXaiLogin },
};

export async function renewLogin(provider: string, context: RenewContext, expired: OAuthEntry): Promise<OAuthEntry> {
  const renew = getOwnValue(LOGIN_FLOWS, provider)?.renew;
  if (!renew) throw new Fault('no_credentials', `The login of ${provider} cannot be renewed. Sign in again.`);
  return renew(context, expired);
}
