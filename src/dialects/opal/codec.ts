// First floor, dialects: Opal's spelling of calls, replies, events and questions: JSON-RPC 2.0. Knows no command's meaning.
import { type Fault, isRecord, type Line } from '../../base/index.ts';
import {
  type AgentSession,
  type CallToken,
  type Codec,
  type CodecOptions,
  type Frame,
  type Incoming,
  type Reply,
  tokenUsage,
} from '../../contracts/index.ts';
import type { AgentEvent } from '../../protocol/index.ts';
import { OpenAsks } from './asks.ts';
import { chain, DeltaFrame, eventFrame, frameOf, type OpalEvent, readMessage } from './envelope.ts';
import { errorOf, invalidParams, methodNotFound, missing, OpalFault } from './errors.ts';
import { Teller } from './events.ts';
import { METHODS, type Method } from './methods.ts';
import { camelKeys, snakeKeys } from './spelling.ts';

interface OpalToken extends CallToken {
  readonly session?: string | undefined;
  /** What it was called with. */
  readonly said?: Record<string, unknown> | undefined;
}

export function createOpalCodec({ version }: CodecOptions): Codec {
  const asks = new OpenAsks();
  const tellers = new WeakMap<AgentSession, Teller>();
  const tellerOf = (session: AgentSession): Teller => {
    const teller = tellers.get(session) ?? new Teller((growing) => tokenUsage(session, growing));
    tellers.set(session, teller);
    return teller;
  };
  return {
    greeting: () => undefined,
    decode: (line) => decode(line, asks),
    reply: (token, reply) => spellReply(token, reply, version),
    event(event: AgentEvent, session) {
      if (!session) return undefined;
      return chain(
        tellerOf(session)
          .tell(event)
          .map((told) => spellEvent(session.id, told)),
      );
    },
    ask: (request, session) => session && asks.ask(request, session.id),
  };
}

function spellEvent(sessionId: string, event: OpalEvent): Frame {
  const isGrowth = event.type === 'message_delta' || event.type === 'thinking_delta';
  return isGrowth ? DeltaFrame.of(sessionId, event.type, event.delta as string) : eventFrame(sessionId, event);
}

function decode(line: Line, asks: OpenAsks): Incoming {
  const message = readMessage(line);
  switch (message.kind) {
    case 'unusable':
      return { kind: 'refused', token: { name: '', id: null }, fault: new OpalFault(message.error) };
    case 'response':
      return asks.answer(message.id, message.result);
    case 'request':
      return decodeCall(message.method, message.params, message.id);
    default:
      return { kind: 'nothing' };
  }
}

function decodeCall(name: string, params: unknown, id: unknown): Incoming {
  const token: OpalToken = { name, id };
  const method = METHODS.get(name);
  if (!method) return { kind: 'refused', token, fault: methodNotFound(name) };
  if (!isRecord(params)) return { kind: 'refused', token, fault: invalidParams('params must be an object') };
  if (method.required.some((field) => params[field] === undefined || params[field] === null)) {
    return { kind: 'refused', token, fault: missing(method.required) };
  }
  const wrong = method.check?.(params);
  if (wrong) return { kind: 'refused', token, fault: wrong };
  const { session_id: session, ...rest } = params;
  // What is said to a session that is about to open waits until it is.
  if (!method.session)
    return { ...call(token, method, params), session: typeof session === 'string' ? session : undefined };
  if (typeof session === 'string') return { ...call({ ...token, session }, method, rest), session };
  return { kind: 'refused', token, fault: invalidParams('session_id must be a string') };
}

function call(token: OpalToken, method: Method, said: Record<string, unknown>): Extract<Incoming, { kind: 'call' }> {
  const params = camelKeys(method.params ? method.params(said) : said);
  return { kind: 'call', token: { ...token, said } as CallToken, command: method.command, params };
}

/** JSON-RPC has no second response: a prompt that was accepted and is not run ends in an event. */
function notRun({ session }: OpalToken, { code, message }: Fault): Frame | undefined {
  if (code !== 'not_run' || session === undefined) return undefined;
  return eventFrame(session, { type: 'error', reason: message });
}

function spellReply(token: OpalToken, reply: Reply, version: string): Frame | undefined {
  const { id = null, said = {} } = token;
  const method = METHODS.get(token.name);
  if (reply.moment === 'failed') {
    // What goes wrong after the answer is told by events.
    if (reply.afterAccepted && method?.early) return notRun(token, reply.fault);
    return frameOf({ error: errorOf(reply.fault, method), id });
  }
  if (!method || (reply.moment === 'accepted') !== (method.early ?? false)) return undefined;
  const { disposition } = reply;
  const plain = snakeKeys(reply.moment === 'settled' ? (reply.result ?? {}) : {});
  const result = method.result ? method.result(plain, { version, disposition }) : plain;
  const session = token.session ?? (isRecord(plain) ? String(plain.session_id) : '');
  const after = method.after?.(plain, said, disposition) ?? [];
  return chain([frameOf({ result, id }), ...after.map((event) => eventFrame(session, event))]);
}
