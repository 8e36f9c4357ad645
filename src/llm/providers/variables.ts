// First floor, llm: which variables hold a provider's key and nothing else, and which only say that somebody is signed in. Data.
import { PROVIDERS, type Provider } from './providers.ts';

/** The cloud's own sign-in will do; what these hold is no key. */
export const SIGN_IN_VARIABLES: ReadonlySet<string> = new Set([
  'AWS_ACCESS_KEY_ID',
  'AWS_CONTAINER_CREDENTIALS_FULL_URI',
  'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
  'AWS_PROFILE',
  'AWS_WEB_IDENTITY_TOKEN_FILE',
  'GOOGLE_APPLICATION_CREDENTIALS',
]);

/** Keys that people's own programs use too. */
const SHARED_VARIABLES: ReadonlySet<string> = new Set(['GITHUB_TOKEN', 'HF_TOKEN']);

/** Nothing but a key of a provider is in these: tools need not see them. */
export const KEY_VARIABLES: readonly string[] = [
  ...new Set(
    PROVIDERS.flatMap(({ env }) => env).filter((name) => !SIGN_IN_VARIABLES.has(name) && !SHARED_VARIABLES.has(name)),
  ),
];

type Env = Readonly<Record<string, string | undefined>>;

/** Something is set for this provider, be it an empty variable. Variables that other programs use too say nothing. */
export function isMeant({ env: names, baseUrlEnv }: Provider, env: Env): boolean {
  return ownVariables(names).some((name) => env[name] !== undefined) || Boolean(baseUrlEnv && env[baseUrlEnv]);
}

export function ownVariables(names: readonly string[]): string[] {
  return names.filter((name) => !SHARED_VARIABLES.has(name));
}
