// First floor, dialects: omp's spelling of calls, replies, events and questions. Knows no command's meaning.
import { safeParse } from 'valibot';
import { Fault, isRecord, kindOf, type Line, messageOf, toJson } from '../../base/index.ts';
import type { CallToken, Codec, CodecOptions, Frame, Incoming, Reply } from '../../contracts/index.ts';
import { type AgentEvent, type StreamEvent, type UiRequest, uiAnswer } from '../../protocol/index.ts';
import { deltaFrame, plainFrame, toolUpdateFrame, updateFrame } from './frames.ts';
import { GrowingMessage } from './growing-message.ts';

/** These are answered when they are accepted; everything else when it is done. */
const ANSWERED_WHEN_ACCEPTED: ReadonlySet<string> = new Set(['prompt', 'abort_and_prompt']);

/** Failures that the protocol reports without the id of the frame that caused them. */
const WITHOUT_ID: ReadonlySet<string> = new Set(['parse', 'unknown_command', 'invalid_id']);

export function createOmpCodec(options: CodecOptions): Codec {
  let growing = new GrowingMessage();

  const update = (event: StreamEvent): Frame => {
    const message = options.stream === 'full' ? growing.after(event) : [];
    if ('delta' in event) return deltaFrame(event, message);
    const { partial, ...inner } = event;
    return updateFrame(toJson(options.stream === 'full' ? inner : withCall(inner, partial)).slice(0, -1), message);
  };

  return {
    greeting: () => plainFrame({ type: 'ready', version: options.version, protocolVersion: 1, dialect: 'omp' }),
    decode,
    reply,
    event(event: AgentEvent) {
      if (event.type === 'message_update') return update(event.assistantMessageEvent);
      if (event.type === 'tool_execution_update') return toolUpdateFrame(event);
      if (event.type === 'message_start') growing = new GrowingMessage();
      return plainFrame(event);
    },
    ask: (request: UiRequest) => plainFrame({ type: 'extension_ui_request', ...request }),
  };
}

/** Without the growing message a host could not tell which tool is being called; the start says so. */
function withCall<E extends { type: string; contentIndex: number }>(event: E, partial: StreamEvent['partial']): E {
  const block = partial.content[event.contentIndex];
  if (event.type !== 'toolcall_start' || block?.type !== 'toolCall') return event;
  return { ...event, id: block.id, toolName: block.name };
}

function decode(line: Line): Incoming {
  if ('problem' in line) return unreadable(line.problem);
  let frame: unknown;
  try {
    frame = JSON.parse(line.text);
  } catch (thrown) {
    return unreadable(messageOf(thrown));
  }
  if (!isRecord(frame)) return unreadable(`expected a JSON object (got ${kindOf(frame)})`);
  const { type, id } = frame;
  if (typeof type !== 'string') {
    const fault = new Fault('unknown_command', `Unknown command: type must be a string (got ${kindOf(type)})`);
    return { kind: 'refused', token: { name: 'unknown' }, fault };
  }
  if (type === 'extension_ui_response') return decodeAnswer(frame);
  if (id !== undefined && !isUsableId(id)) {
    const fault = new Fault('invalid_id', `id must be a string or a number (got ${describeId(id)})`);
    return { kind: 'refused', token: { name: type }, fault };
  }
  return { kind: 'call', token: { name: type, ...(id === undefined ? {} : { id }) }, params: frame };
}

/** An answer gets no reply, so one that says nothing usable is dropped. */
function decodeAnswer(frame: Record<string, unknown>): Incoming {
  const answer = safeParse(uiAnswer, frame);
  if (!answer.success || typeof frame.id !== 'string') return { kind: 'nothing' };
  return { kind: 'answer', id: frame.id, answer: answer.output };
}

/** A number that JSON cannot give back digit for digit would be echoed as another id. */
function isUsableId(id: unknown): boolean {
  if (typeof id === 'number') return Number.isFinite(id) && (!Number.isInteger(id) || Number.isSafeInteger(id));
  return typeof id === 'string';
}

function describeId(id: unknown): string {
  return typeof id === 'number' ? 'a number too large to echo' : kindOf(id);
}

function unreadable(reason: string): Incoming {
  const fault = new Fault('parse', `Failed to parse command: ${reason}`);
  return { kind: 'refused', token: { name: 'parse' }, fault };
}

function reply(token: CallToken, reply: Reply): Frame | undefined {
  const atAcceptance = ANSWERED_WHEN_ACCEPTED.has(token.name);
  if (reply.moment === 'accepted') return atAcceptance ? plainFrame(response(token, { success: true })) : undefined;
  if (reply.moment === 'failed') {
    const to = WITHOUT_ID.has(reply.fault.code) ? { name: token.name } : token;
    return plainFrame(response(to, { success: false, error: reply.fault.message }));
  }
  if (atAcceptance) return undefined;
  return plainFrame(response(token, { success: true, data: reply.result }));
}

/** `undefined` members vanish in JSON: no id when none was sent, no data where the command has none. */
function response(token: CallToken, outcome: Record<string, unknown>): Record<string, unknown> {
  return { id: token.id, type: 'response', command: token.name, ...outcome };
}
