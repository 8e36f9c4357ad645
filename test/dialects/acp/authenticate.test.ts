// authenticate: the sign-in with a provider shows its page in the client and can be declined or cancelled.
import { describe, expect, test } from 'vitest';
import { createDeferred } from '../../../src/base/index.ts';
import type { CallContext, DecodedLine, Frame, ProviderAuth } from '../../../src/contracts/index.ts';
import { createAcpCodec } from '../../../src/dialects/acp/codec.ts';
import { joinChunks } from '../frame-text.ts';
import { validate } from './schema-validator.ts';

type IncomingCall = Extract<DecodedLine, { kind: 'call' }>;
type SentFrame = { id?: number; method?: string; params: Record<string, unknown>; error?: unknown };

/** A codec whose client has announced that it can open pages, and a provider whose sign-in ends when the test says so. */
async function createSignIn() {
  const sent: SentFrame[] = [];
  const parse = (frame: Frame): SentFrame => JSON.parse(joinChunks(frame.chunks));
  const codec = createAcpCodec({ version: '0', stream: 'delta' });
  codec.setSender?.((frame) => sent.push(parse(frame)));
  const decode = (message: object) => codec.decode({ text: JSON.stringify({ jsonrpc: '2.0', ...message }) });
  const { promise: finished, resolve: finish, reject: fail } = createDeferred();
  const auth = {
    listSignIns: async () => [{ id: 'acme', name: 'Acme', account: 'your Acme account', ready: false }],
    async signIn(_, { showUrl }) {
      showUrl('https://acme.example/device', 'AB-12');
      await finished;
    },
    async cancelSignIn() {
      fail(new Error('The sign-in was cancelled'));
      return true;
    },
  } satisfies Partial<ProviderAuth>;
  const call = { auth } as unknown as CallContext;
  const clientCapabilities = { elicitation: { url: {} } };
  const opening = decode({ id: 0, method: 'initialize', params: { protocolVersion: 1, clientCapabilities } });
  await (opening as IncomingCall).toResult?.(undefined, call);
  const request = decode({ id: 7, method: 'authenticate', params: { methodId: 'acme' } }) as IncomingCall;
  const work = Promise.resolve(request.toParams?.(call));
  return { codec, decode, finish, request, sent, work };
}

describe('a sign-in with a provider', () => {
  test('the client is asked to open the page, and gets a notification when it is done', async () => {
    const { decode, finish, sent, work } = await createSignIn();
    const [page] = sent;
    expect(page).toMatchObject({ method: 'elicitation/create' });
    validate('CreateElicitationRequest', page?.params);
    expect(page?.params).toEqual({
      requestId: 7,
      mode: 'url',
      elicitationId: 'request-7',
      url: 'https://acme.example/device',
      message: 'Sign in and enter the code AB-12',
    });
    decode({ id: page?.id, result: { action: 'accept' } });
    finish();
    await work;
    expect(sent[1]).toMatchObject({ method: 'elicitation/complete', params: { elicitationId: 'request-7' } });
    validate('CompleteElicitationNotification', sent[1]?.params);
  });

  test.each([
    ['declines the page', ({ id }: SentFrame) => ({ id, result: { action: 'decline' } })],
    ['cancels the request', () => ({ method: '$/cancel_request', params: { requestId: 7 } })],
  ])('it ends when the user %s', async (_, createMessage) => {
    const { decode, sent, work } = await createSignIn();
    decode(createMessage(sent[0] as SentFrame));
    await expect(work).rejects.toThrow('The sign-in was cancelled');
  });
});
