// Builds ConverseStream responses: one event per step, padded like the provider's.
import { createHash } from 'node:crypto';
import { eventMessage } from './event-stream.ts';

export type BedrockPart =
  | { text: string | readonly string[] }
  | { thinking: string | readonly string[] }
  | { redacted: string }
  /** Arguments, or raw text for incomplete or invalid JSON. */
  | { call: string; name: string; input: Record<string, unknown> | string };

export interface BedrockAnswer {
  parts: readonly BedrockPart[];
  /** `null`: the stream ends without a stop reason. */
  stop?: string | null;
  usage?: { input?: number; output?: number; cacheRead?: number; cacheWrite?: number };
}

/** Issued blocks: signature → the text, or HIDDEN for redacted thinking. */
export type IssuedThinking = Map<string, string | typeof HIDDEN>;
export const HIDDEN = Symbol('hidden');

/** Real signatures are base64-encoded protocol buffers. */
export function createSignature(thinking: string): string {
  return createHash('sha512').update(thinking).digest('base64');
}

export function bedrockFrames(answer: BedrockAnswer, issued: IssuedThinking = new Map()): Uint8Array[] {
  const calls = answer.parts.some((part) => 'call' in part);
  const { stop = calls ? 'tool_use' : 'end_turn' } = answer;
  const blocks = answer.parts.flatMap((part, index) => createBlockEvents(part, index, issued));
  const events = [event('messageStart', { role: 'assistant' }), ...blocks];
  if (stop === null) return events;
  return [...events, event('messageStop', { stopReason: stop }), event('metadata', createMetadata(answer.usage))];
}

function createMetadata({
  input = 10,
  output = 5,
  cacheRead,
  cacheWrite,
}: NonNullable<BedrockAnswer['usage']> = {}): object {
  return {
    usage: {
      inputTokens: input,
      outputTokens: output,
      totalTokens: input + output + (cacheRead ?? 0) + (cacheWrite ?? 0),
      ...(cacheRead === undefined ? {} : { cacheReadInputTokens: cacheRead }),
      ...(cacheWrite === undefined ? {} : { cacheWriteInputTokens: cacheWrite }),
    },
    metrics: { latencyMs: 1234 },
  };
}

function createBlockEvents(part: BedrockPart, contentBlockIndex: number, issued: IssuedThinking): Uint8Array[] {
  const delta = (content: object) => event('contentBlockDelta', { contentBlockIndex, delta: content });
  const stop = event('contentBlockStop', { contentBlockIndex });
  if ('text' in part) return [...toList(part.text).map((text) => delta({ text })), stop];
  if ('redacted' in part) {
    issued.set(part.redacted, HIDDEN);
    return [delta({ reasoningContent: { redactedContent: part.redacted } }), stop];
  }
  if ('thinking' in part) {
    const pieces = toList(part.thinking);
    const signature = createSignature(pieces.join(''));
    issued.set(signature, pieces.join(''));
    return [
      ...pieces.map((text) => delta({ reasoningContent: { text } })),
      delta({ reasoningContent: { signature } }),
      stop,
    ];
  }
  // Only tool calls have a start event.
  const start = { toolUse: { toolUseId: part.call, name: part.name } };
  const input = typeof part.input === 'string' ? part.input : JSON.stringify(part.input);
  const pieces = ['', ...(input === '{}' ? [] : (input.match(/.{1,8}/gs) ?? []))];
  return [
    event('contentBlockStart', { contentBlockIndex, start }),
    ...pieces.map((piece) => delta({ toolUse: { input: piece } })),
    stop,
  ];
}

function toList(pieces: string | readonly string[]): readonly string[] {
  return typeof pieces === 'string' ? [pieces] : pieces;
}

export function event(type: string, payload: object): Uint8Array {
  const headers = { ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' };
  return eventMessage(headers, JSON.stringify({ ...payload, p: 'abcdefghijklm' }));
}

export function exception(type: string, message: string): Uint8Array {
  const headers = { ':exception-type': type, ':content-type': 'application/json', ':message-type': 'exception' };
  return eventMessage(headers, JSON.stringify({ message }));
}
