// Numbers, amounts, durations and times as short texts. Pure.

export function formatCount(count: number, noun: string): string {
  return `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`;
}

export function formatNumber(value: number): string {
  return Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ',');
}

/** 950, 1.2k, 34k, 1.5M. */
export function formatShort(value: number): string {
  const units = [
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k'],
  ] as const;
  for (const [size, name] of units) {
    if (value < size * 0.9995) continue;
    const scaled = value / size;
    return `${scaled < 9.95 ? scaled.toFixed(1).replace(/\.0$/, '') : Math.round(scaled)}${name}`;
  }
  return String(Math.round(value));
}

export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

export function formatCost(dollars: number): string {
  if (dollars === 0) return '$0';
  if (dollars < 0.01) return `$${dollars.toFixed(4)}`;
  return `$${dollars.toFixed(dollars < 100 ? 2 : 0)}`;
}

export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** How long ago: `now`, `5 min`, `3 h`, `2 d`, then the date. */
export function formatAge(then: number, now: number): string {
  const minutes = Math.floor((now - then) / 60_000);
  if (minutes < 1) return 'now';
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h`;
  if (minutes < 14 * 24 * 60) return `${Math.floor(minutes / 60 / 24)} d`;
  return new Date(then).toISOString().slice(0, 10);
}

/** At most `max` characters of the beginning. An emoji at the cut is left out, not divided. */
export function takeStart(text: string, max: number): string {
  return text.slice(0, isDivided(text, max) ? max - 1 : max);
}

/** At most `max` characters of the end. */
export function takeEnd(text: string, max: number): string {
  const start = Math.max(0, text.length - max);
  return text.slice(isDivided(text, start) ? start + 1 : start);
}

/** Whether a position is between the two halves of a character. */
function isDivided(text: string, at: number): boolean {
  return at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff;
}

/** The first line, at most `max` characters. */
export function shorten(text: string, max: number): string {
  const [line = ''] = text.trimStart().split('\n', 1);
  return line.length > max ? `${takeStart(line, max - 1).trimEnd()}…` : line;
}

/** The last folders of a path. */
export function shortenPath(path: string, folders = 2): string {
  const parts = path.split('/').filter((part) => part !== '');
  return parts.length <= folders ? path : `…/${parts.slice(-folders).join('/')}`;
}
