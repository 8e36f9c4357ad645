// Commands for API keys and device-code logins. Results never contain a key.
import { array, boolean, number, object, optional, picklist, string } from 'valibot';
import { command } from '../../contracts/index.ts';
import { nonEmptyString } from './non-empty-string.ts';

export const authStatus = command({
  name: 'auth_status',
  doc: 'Which providers have credentials: an API key in the environment or in a file, or a sign-in.',
  lane: 'now',
  access: 'read',
  long: true,
  params: object({}),
  result: object({
    providers: array(
      object({
        id: string(),
        name: string(),
        method: picklist(['device_code', 'api_key']),
        envVariable: optional(string()),
        ready: boolean(),
      }),
    ),
  }),
  run: async (_, { auth }) => ({ providers: [...(await auth.getStatus())] }),
});

export const saveKey = command({
  name: 'save_key',
  doc: 'Save the API key of a provider. It is used from the next request on, also in open sessions.',
  lane: 'now',
  long: true,
  params: object({ provider: nonEmptyString, apiKey: nonEmptyString }),
  run: ({ provider, apiKey }, { auth }) => auth.saveKey(provider, apiKey),
});

export const signOut = command({
  name: 'sign_out',
  stability: 'experimental',
  doc: 'Remove the stored credentials of the providers that have a sign-in. Keys of other providers, and keys in variables or models.json, are not changed.',
  lane: 'now',
  long: true,
  params: object({}),
  result: object({ providers: array(string()) }),
  run: async (_, { auth }) => ({ providers: [...(await auth.signOut())] }),
});

export const beginLogin = command({
  name: 'begin_login',
  doc: 'Start a device-code sign-in with GitHub Copilot. Returns the code and the URL where the user enters it.',
  lane: 'now',
  long: true,
  params: object({}),
  result: object({ userCode: string(), verificationUri: string(), deviceCode: string(), interval: number() }),
  run: (_, { auth }) => auth.startDeviceLogin(),
});

export const awaitLogin = command({
  name: 'await_login',
  doc: 'Waits until the user has confirmed the sign-in and the credentials are saved, or until the sign-in fails or expires. Other commands do not wait.',
  lane: 'now',
  long: true,
  params: object({ deviceCode: nonEmptyString, interval: number() }),
  run: (login, { auth }) => auth.waitForDeviceLogin(login),
});
