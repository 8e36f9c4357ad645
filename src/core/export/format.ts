// Formats times, numbers and text excerpts for the HTML export. Pure.
import { escapeHtml } from './escape.ts';

export function formatTime(value: unknown): string {
  const date = new Date(typeof value === 'string' || typeof value === 'number' ? value : Number.NaN);
  if (Number.isNaN(date.getTime())) return `<time>${escapeHtml(value)}</time>`;
  const iso = date.toISOString();
  return `<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`;
}

interface TokenCounts {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

/** Empty if all counts are zero. */
export function formatUsage({ input, output, cacheRead, cacheWrite }: TokenCounts, cost: number): string {
  const parts = [
    [input, 'tokens in'],
    [output, 'out'],
    [cacheRead, 'from cache'],
    [cacheWrite, 'to cache'],
  ] as const;
  const countTexts = parts.filter(([n]) => n > 0).map(([n, unit]) => `${formatNumber(n)} ${unit}`);
  return [...countTexts, ...(cost > 0 ? [formatCost(cost)] : [])].join(' · ');
}

export function formatCost(cost: number): string {
  return `$${cost.toFixed(cost < 1 ? 4 : 2)}`;
}

export function formatNumber(n: number): string {
  // A log may contain a string instead of a number.
  return String(Number(n)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** For axis labels: 950, 12.5k, 3M. */
export function formatShortNumber(n: number): string {
  if (n < 1000) return String(Math.round(n));
  const [value, unit] = n < 1e6 ? [n / 1000, 'k'] : n < 1e9 ? [n / 1e6, 'M'] : [n / 1e9, 'G'];
  return `${Number(value.toFixed(value < 10 ? 1 : 0))}${unit}`;
}

/** The noun gets an `s` unless the count is one. */
export function formatCount(n: number, noun: string): string {
  return `${formatNumber(n)} ${noun}${n === 1 ? '' : 's'}`;
}

export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  return minutes < 60
    ? `${minutes} min ${Math.round((ms % 60_000) / 1000)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Without a line break at the end. */
export function countLines(text: string): number {
  let count = 1;
  const end = text.endsWith('\n') ? text.length - 1 : text.length;
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** Characters that change the direction of the text after them: they could rearrange a line of the page. */
const DIRECTION_CHARACTERS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Returns one line of at most `maxLength` characters, without direction characters. Not escaped. */
export function shortenLine(text: string, maxLength: number): string {
  const line = text
    .slice(0, maxLength * 4)
    .replace(DIRECTION_CHARACTERS, '')
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= maxLength ? line : `${line.slice(0, maxLength - 1)}…`;
}
