// Environment variables that contain provider keys, and those that only indicate a cloud sign-in.
import { PROVIDERS, type Provider } from './providers.ts';

/** These indicate a sign-in of a cloud provider. Their values are not API keys. */
export const SIGN_IN_VARIABLES: ReadonlySet<string> = new Set([
  'AWS_ACCESS_KEY_ID',
  'AWS_CONTAINER_CREDENTIALS_FULL_URI',
  'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
  'AWS_PROFILE',
  'AWS_WEB_IDENTITY_TOKEN_FILE',
  'GOOGLE_APPLICATION_CREDENTIALS',
]);

/** Keys that are also used by other programs of the user. */
const SHARED_VARIABLES: ReadonlySet<string> = new Set(['GITHUB_TOKEN', 'HF_TOKEN']);

/** Variables that contain only a provider's key. Tools do not get them. */
export const KEY_VARIABLES: readonly string[] = [
  ...new Set(
    PROVIDERS.flatMap(({ env }) => env).filter((name) => !SIGN_IN_VARIABLES.has(name) && !SHARED_VARIABLES.has(name)),
  ),
];

type Env = Readonly<Record<string, string | undefined>>;

/** Whether any variable of this provider is set, even to an empty value. Variables shared with other programs do not count. */
export function hasVariableSet({ env: names, baseUrlEnv }: Provider, env: Env): boolean {
  return (
    excludeSharedVariables(names).some((name) => env[name] !== undefined) || Boolean(baseUrlEnv && env[baseUrlEnv])
  );
}

export function excludeSharedVariables(names: readonly string[]): string[] {
  return names.filter((name) => !SHARED_VARIABLES.has(name));
}
