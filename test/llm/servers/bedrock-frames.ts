// Answers as ConverseStream sends them: one event for each step, padded so that their lengths tell nothing.
import { createHash } from 'node:crypto';
import { eventMessage } from './event-stream.ts';

export type BedrockPart =
  | { text: string | readonly string[] }
  | { thinking: string | readonly string[] }
  | { redacted: string }
  /** Arguments, or their text when it is cut or no JSON. */
  | { call: string; name: string; input: Record<string, unknown> | string };

export interface BedrockAnswer {
  parts: readonly BedrockPart[];
  /** `null`: the stream ends without one. */
  stop?: string | null;
  usage?: { input?: number; output?: number; cacheRead?: number; cacheWrite?: number };
}

/** What the provider vouches for, by its signature: the text, or that there is none to be seen. */
export type IssuedThinking = Map<string, string | typeof HIDDEN>;
export const HIDDEN = Symbol('hidden');

/** The real ones are protocol buffers in base64. */
export function signatureOf(thinking: string): string {
  return createHash('sha512').update(thinking).digest('base64');
}

export function bedrockFrames(answer: BedrockAnswer, issued: IssuedThinking = new Map()): Uint8Array[] {
  const calls = answer.parts.some((part) => 'call' in part);
  const { stop = calls ? 'tool_use' : 'end_turn' } = answer;
  const blocks = answer.parts.flatMap((part, index) => blockOf(part, index, issued));
  const begun = [event('messageStart', { role: 'assistant' }), ...blocks];
  if (stop === null) return begun;
  return [...begun, event('messageStop', { stopReason: stop }), event('metadata', told(answer.usage))];
}

function told({ input = 10, output = 5, cacheRead, cacheWrite }: NonNullable<BedrockAnswer['usage']> = {}): object {
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

function blockOf(part: BedrockPart, contentBlockIndex: number, issued: IssuedThinking): Uint8Array[] {
  const delta = (grown: object) => event('contentBlockDelta', { contentBlockIndex, delta: grown });
  const stop = event('contentBlockStop', { contentBlockIndex });
  if ('text' in part) return [...listOf(part.text).map((text) => delta({ text })), stop];
  if ('redacted' in part) {
    issued.set(part.redacted, HIDDEN);
    return [delta({ reasoningContent: { redactedContent: part.redacted } }), stop];
  }
  if ('thinking' in part) {
    const pieces = listOf(part.thinking);
    const signature = signatureOf(pieces.join(''));
    issued.set(signature, pieces.join(''));
    return [
      ...pieces.map((text) => delta({ reasoningContent: { text } })),
      delta({ reasoningContent: { signature } }),
      stop,
    ];
  }
  // Only calls are announced.
  const start = { toolUse: { toolUseId: part.call, name: part.name } };
  const input = typeof part.input === 'string' ? part.input : JSON.stringify(part.input);
  const pieces = ['', ...(input === '{}' ? [] : (input.match(/.{1,8}/gs) ?? []))];
  return [
    event('contentBlockStart', { contentBlockIndex, start }),
    ...pieces.map((piece) => delta({ toolUse: { input: piece } })),
    stop,
  ];
}

function listOf(pieces: string | readonly string[]): readonly string[] {
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
