// Codec of the pi-legacy dialect: three commands in, eleven event types out. It has no responses and no UI requests.
import { Fault, type Line } from '../../base/index.ts';
import type { CallToken, Codec, CodecOptions, DecodedLine, Frame, Reply } from '../../contracts/index.ts';
import type { AgentEvent, CompactionResult } from '../../protocol/index.ts';
import { parseJsonObject } from '../call-codec.ts';
import { createFrame } from '../frames.ts';
import { createDeltaUpdateEncoder, createFullUpdateEncoder } from '../message-update-encoder.ts';
import { toLegacyMessage, toLegacyMessageStart, toLegacyToolEnd } from './legacy-message.ts';
import { RunMerger } from './run-merger.ts';
import { LEGACY_METHOD_FIELDS } from './wire-names.ts';

const BUSY_MESSAGE = 'Agent is already processing a prompt. Wait for agent_end, or abort it first.';

export function createPiLegacyCodec(options: CodecOptions): Codec {
  const updates = options.stream === 'full' ? createFullUpdateEncoder() : createDeltaUpdateEncoder();
  const runs = new RunMerger();
  return {
    encodeReadyFrame: () => undefined,
    decode,
    encodeReply,
    encodeEvent(event: AgentEvent) {
      if (event.type === 'message_update') return updates.encode(event.assistantMessageEvent);
      if (event.type === 'message_start') updates.startMessage();
      if (event.type === 'agent_end') runs.addRun(event);
      const legacyEvent = encodeLegacyEvent(event, runs);
      return legacyEvent && createFrame(legacyEvent);
    },
    encodeUiRequest: () => undefined,
  };
}

function decode(line: Line): DecodedLine {
  const frame = parseJsonObject(line);
  if (frame instanceof Fault) return { kind: 'refused', token: { name: 'parse' }, fault: frame };
  const { type } = frame;
  const fields = typeof type === 'string' ? LEGACY_METHOD_FIELDS.get(type) : undefined;
  if (typeof type !== 'string' || !fields) {
    const known = [...LEGACY_METHOD_FIELDS.keys()].join(', ');
    // Objects are not printed: a deeply nested one would overflow the stack.
    const isObject = typeof type === 'object' && type !== null;
    const name = isObject ? 'an object' : JSON.stringify(type);
    const fault = new Fault('unknown_command', `Unknown type: ${name}. Known: ${known}`);
    return { kind: 'refused', token: { name: isObject ? 'parse' : String(type) }, fault };
  }
  const params = Object.fromEntries(fields.flatMap((name) => (name in frame ? [[name, frame[name]]] : [])));
  return { kind: 'call', token: { name: type }, command: type, params };
}

/** Returns `undefined` for events that this dialect does not define. */
function encodeLegacyEvent(event: AgentEvent, runs: RunMerger): object | undefined {
  switch (event.type) {
    case 'agent_start':
      return runs.start();
    case 'agent_settled':
      return runs.end();
    case 'message_start':
      return { ...event, message: toLegacyMessageStart(event.message) };
    case 'message_end':
      return { ...event, message: toLegacyMessage(event.message) };
    case 'tool_execution_end':
      return toLegacyToolEnd(event);
    case 'turn_start':
    case 'turn_end':
    case 'tool_execution_start':
      return event;
    case 'auto_compaction_end':
      return event.result ? { ...encodeCompaction(event.result), auto: true } : undefined;
    case 'compaction_end':
      return event.result ? encodeCompaction(event.result) : undefined;
    case 'notice':
      return event.level === 'error' ? { type: 'error', error: event.message } : undefined;
    default:
      return undefined;
  }
}

function encodeCompaction({ summary, tokensBefore }: CompactionResult) {
  return { type: 'compaction', summary, tokensBefore };
}

/** Only failures are sent. The general message for a busy agent names a command that this dialect does not have. */
function encodeReply({ name }: CallToken, reply: Reply): Frame | undefined {
  if (reply.status !== 'failed') return undefined;
  const { code, message } = reply.fault;
  return createFrame({ type: 'error', error: name === 'prompt' && code === 'busy' ? BUSY_MESSAGE : message });
}
