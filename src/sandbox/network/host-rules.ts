// The rules of sandbox.allowedHosts: which host names, addresses and ports a sandboxed command may reach.
import { domainToASCII } from 'node:url';
import { Fault } from '../../base/fault.ts';
import { looksLikeIpv4, normalizeIpAddress } from './ip-address.ts';

/** `address`: an IP address. `name`: lower case, ASCII, without a final dot. */
export interface Host {
  readonly kind: 'name' | 'address';
  readonly text: string;
}

interface HostRule {
  readonly host: Host;
  /** `*.example.com`: every name below example.com, but not example.com itself. */
  readonly isWildcard: boolean;
  readonly ports: readonly number[];
}

/** What a rule without a port allows: HTTP and HTTPS. */
export const DEFAULT_PORTS: readonly number[] = [80, 443];

const NAME = /^(?!.{254})[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/;

export interface HostRules {
  /** A rule names the host, or the host is a name below that of a wildcard rule. */
  allows(host: Host, port: number): boolean;
}

/** Throws a Fault for a rule that is not understood: a list with a mistake allows nothing. */
export function parseHostRules(rules: readonly string[]): HostRules {
  const parsed = rules.map(parseRule);
  return {
    allows: (host, port) => parsed.some((rule) => rule.ports.includes(port) && matchesHost(rule, host)),
  };
}

/**
 * `undefined` for anything but a host name or an IP address in its usual spelling. Spellings that a resolver would read as an IPv4
 * address (`0x7f.1`, `127.1`, `2130706433`) are not accepted, because no rule could be compared with them.
 */
export function parseHost(text: string): Host | undefined {
  const bracketed = /^\[([^[\]]*)\]$/.exec(text)?.[1];
  if (bracketed !== undefined) return toAddress(bracketed.includes(':') ? bracketed : '');
  const name = text.replace(/\.$/, '');
  const address = toAddress(name.includes(':') ? '' : name);
  if (address) return address;
  // domainToASCII decodes percent signs and cuts at some of the other characters.
  if (/[\0-\x20%:/?#@\\[\]<>^|*\x7f]/.test(name) || looksLikeIpv4(name)) return undefined;
  const ascii = domainToASCII(name);
  // Full-width digits become ASCII digits.
  return NAME.test(ascii) && !looksLikeIpv4(ascii) ? { kind: 'name', text: ascii } : undefined;
}

function toAddress(text: string): Host | undefined {
  const address = normalizeIpAddress(text);
  return address === undefined ? undefined : { kind: 'address', text: address };
}

function parseRule(rule: string): HostRule {
  const { host: hostText, port } = splitPort(rule);
  const isWildcard = hostText.startsWith('*.');
  const host = parseHost(isWildcard ? hostText.slice(2) : hostText);
  const ports = port === undefined ? DEFAULT_PORTS : [Number(port)];
  const isValidPort = ports.every((one) => one >= 1 && one <= 65535);
  if (!host || !isValidPort || (isWildcard && host.kind === 'address')) throw createRuleFault(rule);
  return { host, isWildcard, ports };
}

/** A port follows an IPv6 address only after brackets. Without brackets, all colons belong to the address. */
function splitPort(rule: string): { host: string; port: string | undefined } {
  const [, host, port] = /^(\[[^\]]*\]|[^:]*):(\d{1,5})$/.exec(rule) ?? [];
  if (host !== undefined) return { host, port };
  return { host: normalizeIpAddress(rule)?.includes(':') ? `[${rule}]` : rule, port: undefined };
}

function createRuleFault(rule: string): Fault {
  const remedy = 'Write a host name (example.com), all names below one (*.example.com) or an IP address';
  const port = 'With a port, write example.com:8080';
  return new Fault('refused', `sandbox.allowedHosts: ${JSON.stringify(rule)} is not a host. ${remedy}. ${port}.`);
}

function matchesHost({ host: expected, isWildcard }: HostRule, { kind, text }: Host): boolean {
  if (kind !== expected.kind) return false;
  return isWildcard ? text.endsWith(`.${expected.text}`) : text === expected.text;
}
