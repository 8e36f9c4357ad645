// Answers as Gemini streams them: server-sent events that each hold some parts and the counts so far.
import { createHash } from 'node:crypto';

export type GeminiPart =
  | { text: string | readonly string[]; signed?: true }
  | { thought: string | readonly string[]; signed?: true }
  /** Newer models name their calls; older ones do not. */
  | { call: string; input?: Record<string, unknown>; id?: string; signed?: true };

export interface GeminiAnswer {
  parts: readonly GeminiPart[];
  /** `undefined`: the stream ends without one. */
  finish?: string | null;
  /** Nothing is answered because of the question. */
  blocked?: string;
  usage?: { prompt?: number; cached?: number; output?: number; thoughts?: number };
}

export type WirePart = Record<string, unknown>;

/** What the provider vouches for: the whole text, or the call, by its signature. */
export type IssuedSignatures = Map<string, string>;

export function signatureOf(what: string): string {
  return createHash('sha256').update(what).digest('base64');
}

/** How a part is remembered. Ids do not count: a proxy may name the calls. */
export function signedContent(part: WirePart): string {
  const call = part.functionCall as { name: string; args?: unknown } | undefined;
  if (call) return JSON.stringify([call.name, call.args ?? {}]);
  return JSON.stringify([part.thought === true, part.text]);
}

export function geminiFrames(answer: GeminiAnswer, issued: IssuedSignatures = new Map()): Uint8Array[] {
  const usage = usageOf(answer.usage);
  if (answer.blocked) {
    return [frame({ promptFeedback: { blockReason: answer.blocked, safetyRatings: [] }, usageMetadata: usage })];
  }
  const pieces = answer.parts.flatMap((part) => piecesOf(part, issued));
  const chunks = pieces.map((part) => chunk([part], usage));
  const { finish = 'STOP' } = answer;
  if (finish === null) return chunks.map(frame);
  // The end comes with an empty part, or alone.
  const end = { candidates: [{ content: { parts: [{ text: '' }], role: 'model' }, finishReason: finish, index: 0 }] };
  return [...chunks, { ...end, ...told(usage) }].map(frame);
}

function piecesOf(part: GeminiPart, issued: IssuedSignatures): WirePart[] {
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
  if (part.signed && last) last.thoughtSignature = issue(pieces, issued);
  return pieces;
}

function issue(pieces: readonly WirePart[], issued: IssuedSignatures): string {
  const [first = {}] = pieces;
  const whole = 'text' in first ? { ...first, text: pieces.map(({ text }) => text).join('') } : first;
  const content = signedContent(whole);
  const signature = signatureOf(content);
  issued.set(signature, content);
  return signature;
}

function chunk(parts: readonly WirePart[], usage: object): object {
  return { candidates: [{ content: { parts, role: 'model' }, index: 0 }], ...told(usage) };
}

function told(usage: object): object {
  return { usageMetadata: usage, modelVersion: 'gemini-loopback', responseId: 'wU0haLoopback' };
}

function usageOf({ prompt = 10, cached, output = 5, thoughts }: NonNullable<GeminiAnswer['usage']> = {}): object {
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
