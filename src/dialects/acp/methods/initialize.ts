// initialize: protocol version, capabilities and sign-in methods.
import type { AuthMethod, InitializeResponse } from '@agentclientprotocol/sdk';
import { integer, maxValue, minValue, number, optional, pipe, unknown } from 'valibot';
import type { SignInProvider } from '../../../contracts/index.ts';
import { type ClientCapabilities, parseClientCapabilities } from '../client-capabilities.ts';
import { type AcpMethod, createReply, processMethod } from '../method.ts';

export const PROTOCOL_VERSION = 1;
/** Signs in outside of the client, with `parley login`. */
export const MANUAL_SIGN_IN = 'parley-login';

export const initializeMethods: Record<string, AcpMethod> = {
  initialize: processMethod({
    command: 'ping',
    params: {
      protocolVersion: pipe(number(), integer('must be a whole number'), minValue(0), maxValue(0xffff)),
      clientCapabilities: optional(unknown()),
    },
    onDecoded: ({ clientCapabilities }, connection) =>
      connection.initialize(parseClientCapabilities(clientCapabilities)),
    isLong: true,
    async toReply(_, { call, connection }) {
      connection.authMethods = listAuthMethods(await call.auth.listSignIns(), connection.capabilities);
      return createReply(createInitializeResponse(connection.version, connection.authMethods));
    },
  }),
};

function createInitializeResponse(version: string, authMethods: AuthMethod[]): InitializeResponse {
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: 'parley', title: 'Parley', version },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, ...{ fork: {} } },
      auth: { logout: {} },
    },
    authMethods,
    _meta: { steering: { supported: true } },
  };
}

/** A sign-in with a provider needs a client that can show its URL. Every client can offer the manual sign-in. */
function listAuthMethods(signIns: readonly SignInProvider[], client: ClientCapabilities): AuthMethod[] {
  const manual = {
    id: MANUAL_SIGN_IN,
    name: 'Sign in with parley login',
    description: 'Run `parley login` in a terminal: it stores an API key or signs in with a provider.',
  };
  const byProvider = signIns.map(({ id, name, account }) => ({
    id,
    name,
    description: `Sign in with ${account}.`,
  }));
  return [
    ...(client.elicitationUrl ? byProvider : []),
    client.terminalSignIn ? { ...manual, type: 'terminal' as const, args: ['login'] } : manual,
  ];
}
