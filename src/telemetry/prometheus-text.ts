// Formats lines of the Prometheus text format, version 0.0.4.

export const PROMETHEUS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export type Labels = Readonly<Record<string, string>>;

export function formatComment(keyword: 'HELP' | 'TYPE', name: string, text: string): string {
  return `# ${keyword} ${name} ${text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n`;
}

export function formatSample(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeValue(text)}"`);
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${formatNumber(value)}\n`;
}

export function formatNumber(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value);
}

function escapeValue(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
