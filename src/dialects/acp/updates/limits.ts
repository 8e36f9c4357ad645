// Limits the size of texts and values in updates.

/** Characters of the content of one tool call: above the 50 kB that the tools return. */
export const MAX_CONTENT_LENGTH = 52_000;
/** Characters of the raw input or output of one tool call. */
export const MAX_RAW_LENGTH = 20_000;
const MAX_DEPTH = 12;
/** Estimated JSON overhead of a value: quotes, commas, braces. */
const VALUE_OVERHEAD = 4;

/** Keeps the beginning. */
export function limitText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return `${text.slice(0, maxLength).toWellFormed()}\n[${text.length - maxLength} more characters]`;
}

/** Keeps the end. */
export function limitToEnd(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return `[${text.length - maxLength} earlier characters]\n${text.slice(-maxLength).toWellFormed()}`;
}

/** A copy that is safe to serialize, with about `maxLength` characters of JSON at most. */
export function limitValue(value: unknown, maxLength: number): unknown {
  return copyValue(value, { left: maxLength }, 0);
}

interface Allowance {
  left: number;
}

function copyValue(value: unknown, allowance: Allowance, depth: number): unknown {
  allowance.left -= VALUE_OVERHEAD;
  if (typeof value === 'string') return copyText(value, allowance);
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return isJsonValue(value) ? value : undefined;
  if (depth >= MAX_DEPTH) return '…';
  if ('toJSON' in value && typeof value.toJSON === 'function') return copyValue(value.toJSON(), allowance, depth + 1);
  return Array.isArray(value) ? copyArray(value, allowance, depth) : copyObject(value, allowance, depth);
}

function isJsonValue(value: unknown): boolean {
  return typeof value !== 'function' && typeof value !== 'symbol';
}

function copyText(text: string, allowance: Allowance): string {
  const limited = limitText(text, Math.max(0, allowance.left));
  allowance.left -= limited.length;
  return limited;
}

function copyArray(items: readonly unknown[], allowance: Allowance, depth: number): unknown[] {
  const copy: unknown[] = [];
  for (const item of items) {
    if (allowance.left <= 0) return [...copy, `[${items.length - copy.length} more items]`];
    copy.push(copyValue(item, allowance, depth + 1));
  }
  return copy;
}

function copyObject(value: object, allowance: Allowance, depth: number): Record<string, unknown> {
  const members = Object.entries(value);
  const copy: [string, unknown][] = [];
  for (const [key, member] of members) {
    if (allowance.left <= 0) {
      copy.push(['…', `[${members.length - copy.length} more fields]`]);
      break;
    }
    allowance.left -= key.length;
    copy.push([key, copyValue(member, allowance, depth + 1)]);
  }
  // Object.fromEntries also defines a field that is called `__proto__`.
  return Object.fromEntries(copy);
}
