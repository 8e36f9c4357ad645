// First floor, dialects: legacy pi's spelling. Three words in, eleven events out; no responses, no questions.
import { Fault, type Line } from '../../base/index.ts';
import type { CallToken, Codec, CodecOptions, Frame, Incoming, Reply } from '../../contracts/index.ts';
import type { AgentEvent, CompactionResult } from '../../protocol/index.ts';
import { readObject } from '../calls.ts';
import { plainFrame } from '../frames.ts';
import { deltaUpdates, fullUpdates } from '../updates.ts';
import { legacyMessage, legacyOpening, legacyToolEnd } from './messages.ts';
import { LegacyRuns } from './runs.ts';
import { LEGACY_FIELDS } from './words.ts';

const BUSY = 'Agent is already processing a prompt. Wait for agent_end, or abort it first.';

export function createLegacyCodec(options: CodecOptions): Codec {
  const updates = options.stream === 'full' ? fullUpdates() : deltaUpdates();
  const runs = new LegacyRuns();
  return {
    greeting: () => undefined,
    decode,
    reply,
    event(event: AgentEvent) {
      if (event.type === 'message_update') return updates.frame(event.assistantMessageEvent);
      if (event.type === 'message_start') updates.begin();
      if (event.type === 'agent_end') runs.add(event);
      const told = spell(event, runs);
      return told && plainFrame(told);
    },
    ask: () => undefined,
  };
}

function decode(line: Line): Incoming {
  const frame = readObject(line);
  if (frame instanceof Fault) return { kind: 'refused', token: { name: 'parse' }, fault: frame };
  const { type } = frame;
  const fields = typeof type === 'string' ? LEGACY_FIELDS.get(type) : undefined;
  if (typeof type !== 'string' || !fields) {
    const known = [...LEGACY_FIELDS.keys()].join(', ');
    const fault = new Fault('unknown_command', `Unknown type: ${JSON.stringify(type)}. Known: ${known}`);
    return { kind: 'refused', token: { name: String(type) }, fault };
  }
  const params = Object.fromEntries(fields.flatMap((name) => (name in frame ? [[name, frame[name]]] : [])));
  return { kind: 'call', token: { name: type }, command: type, params };
}

/** What a host hears of an event; most have no word here. */
function spell(event: AgentEvent, runs: LegacyRuns): object | undefined {
  switch (event.type) {
    case 'agent_start':
      return runs.begin();
    case 'agent_settled':
      return runs.end();
    case 'message_start':
      return { ...event, message: legacyOpening(event.message) };
    case 'message_end':
      return { ...event, message: legacyMessage(event.message) };
    case 'tool_execution_end':
      return legacyToolEnd(event);
    case 'turn_start':
    case 'turn_end':
    case 'tool_execution_start':
      return event;
    case 'auto_compaction_end':
      return event.result ? { ...compaction(event.result), auto: true } : undefined;
    case 'compaction_end':
      return event.result ? compaction(event.result) : undefined;
    case 'notice':
      return event.level === 'error' ? { type: 'error', error: event.message } : undefined;
    default:
      return undefined;
  }
}

function compaction({ summary, tokensBefore }: CompactionResult) {
  return { type: 'compaction', summary, tokensBefore };
}

/** Only failures are told. The general words about a busy agent name a way out that this dialect does not have. */
function reply({ name }: CallToken, reply: Reply): Frame | undefined {
  if (reply.moment !== 'failed') return undefined;
  const { code, message } = reply.fault;
  return plainFrame({ type: 'error', error: name === 'prompt' && code === 'busy' ? BUSY : message });
}
