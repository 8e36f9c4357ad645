// Builds Gemini streams: server-sent events with parts and the token counts so far.
import { createHash } from 'node:crypto';

export type GeminiPart =
  | { text: string | readonly string[]; signed?: true }
  | { thought: string | readonly string[]; signed?: true }
  /** Newer models send call ids; older ones do not. */
  | { call: string; input?: Record<string, unknown>; id?: string; signed?: true };

export interface GeminiAnswer {
  parts: readonly GeminiPart[];
  /** `null`: the stream ends without a finish reason. */
  finish?: string | null;
  /** The prompt was blocked; there is no reply. */
  blocked?: string;
  usage?: { prompt?: number; cached?: number; output?: number; thoughts?: number };
}

export type WirePart = Record<string, unknown>;

/** Issued signatures: signature → the signed text or call. */
export type IssuedSignatures = Map<string, string>;

export function createSignature(content: string): string {
  return createHash('sha256').update(content).digest('base64');
}

/** The signed content of a part, without ids, because a proxy may change them. */
export function signedContent(part: WirePart): string {
  const call = part.functionCall as { name: string; args?: unknown } | undefined;
  if (call) return JSON.stringify([call.name, call.args ?? {}]);
  return JSON.stringify([part.thought === true, part.text]);
}

export function geminiFrames(answer: GeminiAnswer, issued: IssuedSignatures = new Map()): Uint8Array[] {
  const usage = createUsage(answer.usage);
  if (answer.blocked) {
    return [frame({ promptFeedback: { blockReason: answer.blocked, safetyRatings: [] }, usageMetadata: usage })];
  }
  const pieces = answer.parts.flatMap((part) => createWireParts(part, issued));
  const chunks = pieces.map((part) => chunk([part], usage));
  const { finish = 'STOP' } = answer;
  if (finish === null) return chunks.map(frame);
  // The finish reason comes with an empty part.
  const end = { candidates: [{ content: { parts: [{ text: '' }], role: 'model' }, finishReason: finish, index: 0 }] };
  return [...chunks, { ...end, ...createMetadata(usage) }].map(frame);
}

function createWireParts(part: GeminiPart, issued: IssuedSignatures): WirePart[] {
  const pieces: WirePart[] = [];
  if ('call' in part) {
    const id = part.id === undefined ? {} : { id: part.id };
    pieces.push({ functionCall: { ...id, name: part.call, ...(part.input ? { args: part.input } : {}) } });
  } else {
    const thought = 'thought' in part ? { thought: true } : {};
    const texts = 'thought' in part ? part.thought : part.text;
    for (const text of typeof texts === 'string' ? [texts] : texts) pieces.push({ text, ...thought });
  }
  const last = pieces.at(-1);
  if (part.signed && last) last.thoughtSignature = issueSignature(pieces, issued);
  return pieces;
}

function issueSignature(pieces: readonly WirePart[], issued: IssuedSignatures): string {
  const [first = {}] = pieces;
  const joined = 'text' in first ? { ...first, text: pieces.map(({ text }) => text).join('') } : first;
  const content = signedContent(joined);
  const signature = createSignature(content);
  issued.set(signature, content);
  return signature;
}

function chunk(parts: readonly WirePart[], usage: object): object {
  return { candidates: [{ content: { parts, role: 'model' }, index: 0 }], ...createMetadata(usage) };
}

function createMetadata(usage: object): object {
  return { usageMetadata: usage, modelVersion: 'gemini-loopback', responseId: 'wU0haLoopback' };
}

function createUsage({ prompt = 10, cached, output = 5, thoughts }: NonNullable<GeminiAnswer['usage']> = {}): object {
  return {
    promptTokenCount: prompt,
    ...(cached === undefined ? {} : { cachedContentTokenCount: cached }),
    candidatesTokenCount: output,
    ...(thoughts === undefined ? {} : { thoughtsTokenCount: thoughts }),
    totalTokenCount: prompt + output + (thoughts ?? 0),
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: prompt }],
  };
}

export function frame(event: object): Uint8Array {
  return Buffer.from(`data: ${JSON.stringify(event)}\r\n\r\n`);
}
