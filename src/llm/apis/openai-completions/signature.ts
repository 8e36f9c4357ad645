// First floor, llm: how it is remembered in which form thinking came, so that it goes back in the same. Pure text, both ways.
import { isRecord, ownValue } from '../../../base/index.ts';

/** Where hosts put thinking that is plain text: fields of the answer, a part of its content, or tags in it. */
export const FIELDS = ['reasoning_content', 'reasoning', 'reasoning_text'] as const;
export type ThinkingField = (typeof FIELDS)[number];
export type ThinkingForm = ThinkingField | 'content' | 'think';

/** One entry of `reasoning_details` without its text, which is the block's. Sealed ones have none. */
export interface Detail {
  type: string;
  index?: number | null;
  [key: string]: unknown;
}

const FORMS: readonly string[] = [...FIELDS, 'content', 'think'];
const TEXTS: Readonly<Record<string, string>> = { 'reasoning.text': 'text', 'reasoning.summary': 'summary' };

/** Splits what is shown from what only vouches for it. */
export function splitDetail(given: unknown): { text: string; detail: Detail } | undefined {
  if (!isRecord(given) || typeof given.type !== 'string') return undefined;
  const { text, summary, ...detail } = given;
  const shown = [text, summary].find((value) => typeof value === 'string') as string | undefined;
  return { text: shown ?? '', detail: detail as Detail };
}

/** Pieces of one entry come one after the other; sealed entries come whole. */
export function goesOn(before: Detail, now: Detail): boolean {
  return now.type === before.type && (now.index ?? 0) === (before.index ?? 0) && Object.hasOwn(TEXTS, now.type);
}

export function formSignature(form: ThinkingForm | Detail): string {
  return typeof form === 'string' ? form : JSON.stringify(form);
}

export function readSignature(signature: string | undefined): ThinkingForm | Detail | undefined {
  if (signature === undefined) return undefined;
  if (FORMS.includes(signature)) return signature as ThinkingForm;
  if (!signature.startsWith('{')) return undefined;
  try {
    return splitDetail(JSON.parse(signature))?.detail;
  } catch {
    return undefined;
  }
}

/** The list as the host gave it. A seal that came after its text had ended stands in a block of its own. */
export function joinDetails(blocks: readonly { detail: Detail; text: string }[]): Record<string, unknown>[] {
  const joined: { detail: Detail; text: string }[] = [];
  for (const { detail, text } of blocks) {
    const earlier = text === '' ? joined.find((other) => goesOn(other.detail, detail)) : undefined;
    if (earlier) Object.assign(earlier.detail, detail);
    else joined.push({ detail: { ...detail }, text });
  }
  return joined.map(({ detail, text }) => {
    const name = ownValue(TEXTS, detail.type);
    return name === undefined || text === '' ? detail : { ...detail, [name]: text };
  });
}
