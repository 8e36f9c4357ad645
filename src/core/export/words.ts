// First floor, core: times, numbers and first words as a reader of the page wants them. Pure; gives safe HTML.
import { escapeHtml } from './escape.ts';

export function time(value: unknown): string {
  const date = new Date(typeof value === 'string' || typeof value === 'number' ? value : Number.NaN);
  if (Number.isNaN(date.getTime())) return `<time>${escapeHtml(value)}</time>`;
  const iso = date.toISOString();
  return `<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`;
}

interface Spent {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

/** Empty when nothing was spent. */
export function spent({ input, output, cacheRead, cacheWrite }: Spent, cost: number): string {
  const parts = [
    [input, 'tokens in'],
    [output, 'out'],
    [cacheRead, 'from cache'],
    [cacheWrite, 'to cache'],
  ] as const;
  const counted = parts.filter(([n]) => n > 0).map(([n, what]) => `${count(n)} ${what}`);
  return [...counted, ...(cost > 0 ? [`$${cost.toFixed(cost < 1 ? 4 : 2)}`] : [])].join(' · ');
}

export function count(n: number): string {
  // A log may hold a text in the place of a number.
  return String(Number(n)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** One line of at most so many characters; not escaped. */
export function opening(text: string, longest: number): string {
  const line = text
    .slice(0, longest * 4)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= longest ? line : `${line.slice(0, longest - 1)}…`;
}
