// Encodes in which form thinking was received, so that it can be sent back in the same form.
import { getOwnValue, isRecord } from '../../../base/index.ts';

/** Where providers put plain-text thinking: fields of the delta, a content part, or tags in the text. */
export const THINKING_FIELDS = ['reasoning_content', 'reasoning', 'reasoning_text'] as const;
export type ThinkingField = (typeof THINKING_FIELDS)[number];
export type ThinkingForm = ThinkingField | 'content' | 'think';

/** An entry of `reasoning_details` without its text, which is stored in the block. Encrypted entries have no text. */
export interface ReasoningDetail {
  type: string;
  index?: number | null;
  [key: string]: unknown;
}

const THINKING_FORMS: readonly string[] = [...THINKING_FIELDS, 'content', 'think'];
const TEXT_FIELD_BY_TYPE: Readonly<Record<string, string>> = {
  'reasoning.text': 'text',
  'reasoning.summary': 'summary',
};

/** Separates the text from the other fields. */
export function splitDetail(entry: unknown): { text: string; detail: ReasoningDetail } | undefined {
  if (!isRecord(entry) || typeof entry.type !== 'string') return undefined;
  const { text, summary, ...detail } = entry;
  const visibleText = [text, summary].find((value) => typeof value === 'string') as string | undefined;
  return { text: visibleText ?? '', detail: detail as ReasoningDetail };
}

/** Pieces of one entry arrive consecutively; encrypted entries arrive in one piece. */
export function isContinuation(previous: ReasoningDetail, next: ReasoningDetail): boolean {
  return (
    next.type === previous.type &&
    (next.index ?? 0) === (previous.index ?? 0) &&
    Object.hasOwn(TEXT_FIELD_BY_TYPE, next.type)
  );
}

export function formatSignature(form: ThinkingForm | ReasoningDetail): string {
  return typeof form === 'string' ? form : JSON.stringify(form);
}

export function parseSignature(signature: string | undefined): ThinkingForm | ReasoningDetail | undefined {
  if (signature === undefined) return undefined;
  if (THINKING_FORMS.includes(signature)) return signature as ThinkingForm;
  if (!signature.startsWith('{')) return undefined;
  try {
    return splitDetail(JSON.parse(signature))?.detail;
  } catch {
    return undefined;
  }
}

/** Restores the provider's list. A signature that arrived after the end of its text is stored in a separate block. */
export function joinDetails(blocks: readonly { detail: ReasoningDetail; text: string }[]): Record<string, unknown>[] {
  const joined: { detail: ReasoningDetail; text: string }[] = [];
  for (const { detail, text } of blocks) {
    const earlier = text === '' ? joined.find((other) => isContinuation(other.detail, detail)) : undefined;
    if (earlier) Object.assign(earlier.detail, detail);
    else joined.push({ detail: { ...detail }, text });
  }
  return joined.map(({ detail, text }) => {
    const name = getOwnValue(TEXT_FIELD_BY_TYPE, detail.type);
    return name === undefined || text === '' ? detail : { ...detail, [name]: text };
  });
}
