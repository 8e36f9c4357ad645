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
  return [...countTexts, ...(cost > 0 ? [`$${cost.toFixed(cost < 1 ? 4 : 2)}`] : [])].join(' · ');
}

export function formatNumber(n: number): string {
  // A log may contain a string instead of a number.
  return String(Number(n)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Returns one line of at most `maxLength` characters. Not escaped. */
export function shortenLine(text: string, maxLength: number): string {
  const line = text
    .slice(0, maxLength * 4)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= maxLength ? line : `${line.slice(0, maxLength - 1)}…`;
}
