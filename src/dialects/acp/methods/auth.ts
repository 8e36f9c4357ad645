// authenticate and logout: the sign-ins of providers.
import { string } from 'valibot';
import { createAuthRequiredFault, createInvalidParamsFault } from '../errors.ts';
import { type AcpMethod, createReply, type MethodContext, processMethod } from '../method.ts';
import { MANUAL_SIGN_IN } from './initialize.ts';

/** Answers without a network. It is not a result of a sign-in. */
const OFFLINE_PROVIDER = 'parley';

export const authMethods: Record<string, AcpMethod> = {
  authenticate: processMethod({
    command: 'ping',
    params: { methodId: string() },
    isLong: true,
    needsFullAccess: true,
    async toParams({ methodId }, context) {
      const known = context.connection.authMethods;
      if (!known.some(({ id }) => id === methodId)) {
        const ids = known.map(({ id }) => id).join(', ');
        throw createInvalidParamsFault(`methodId must be one of ${ids} (got ${methodId})`);
      }
      if (methodId === MANUAL_SIGN_IN) await checkManualSignIn(context);
      else await signIn(methodId, context);
      return {};
    },
  }),
  logout: processMethod({ command: 'sign_out', isLong: true, toReply: () => createReply({}) }),
};

/** The user signs in outside of the client. Afterwards there is a model. */
async function checkManualSignIn({ call, connection }: MethodContext): Promise<void> {
  const models = await call.listModels();
  if (models.some(({ provider }) => provider !== OFFLINE_PROVIDER)) return;
  const message = 'No provider has credentials. Run `parley login` in a terminal, then try again.';
  throw createAuthRequiredFault(message, connection.authMethods);
}

async function signIn(provider: string, { call, connection, requestId, signal }: MethodContext): Promise<void> {
  const cancel = () => void call.auth.cancelSignIn(provider);
  let complete = () => {};
  signal.addEventListener('abort', cancel, { once: true });
  try {
    await call.auth.signIn(provider, {
      showUrl(url, userCode) {
        const message = userCode === undefined ? `Sign in with ${provider}` : `Sign in and enter the code ${userCode}`;
        const page = { requestId, url, message, onDeclined: cancel };
        complete = connection.client.openUrl(page, (frame) => connection.send(frame));
      },
    });
  } finally {
    signal.removeEventListener('abort', cancel);
    complete();
  }
}
