// Patterns of hosts, such as `*.example.com` or `localhost:8080`, compared with the host of a URL.
import { matchesText, parseTextPattern, type TextPattern } from './text-pattern.ts';

export interface HostPattern {
  readonly host: TextPattern;
  /** `undefined`: every port. */
  readonly port: string | undefined;
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443', 'ws:': '80', 'wss:': '443' };

/** `domain:` before the host is accepted, as in the rules of other agents. */
export function compileHostPattern(text: string): HostPattern {
  const pattern = text.replace(/^domain:/i, '').replace(/^[a-z][a-z\d+.-]*:\/\//i, '');
  const [, host = pattern, port] = /^(.*?)(?::(\d+))?$/s.exec(pattern.replace(/\/.*$/s, '')) ?? [];
  const isAddress = host.includes(':') && !host.startsWith('[');
  if (isAddress) return { host: [normalizeHost(`[${pattern}]`)], port: undefined };
  return { host: parseTextPattern(normalizeHost(host)), port };
}

/** `undefined` when the text is not a URL with a host. */
export function parseHost(url: string): { readonly host: string; readonly port: string } | undefined {
  if (!URL.canParse(url)) return undefined;
  const { hostname, port, protocol } = new URL(url);
  if (hostname === '') return undefined;
  return { host: stripTrailingDot(hostname.toLowerCase()), port: port || (DEFAULT_PORTS[protocol] ?? '') };
}

export function matchesHost(pattern: HostPattern, { host, port }: { host: string; port: string }): boolean {
  return (pattern.port === undefined || pattern.port === port) && matchesText(pattern.host, host);
}

/** As the parser of URLs spells the host: lower case, punycode, numbers of IP addresses. Labels with a wildcard are kept. */
function normalizeHost(host: string): string {
  const plain = stripTrailingDot(host.toLowerCase());
  if (!plain.includes('*')) return parseHost(`http://${plain}/`)?.host ?? plain;
  const labels = plain.split('.').map((label) => (label.includes('*') ? label : toAscii(label)));
  return labels.join('.');
}

function toAscii(label: string): string {
  return /[^\x20-\x7e]/.test(label) ? (parseHost(`http://${label}/`)?.host ?? label) : label;
}

function stripTrailingDot(host: string): string {
  return host.endsWith('.') ? host.slice(0, -1) : host;
}
