// Parses NO_PROXY: the addresses that are reached without the proxy.
import { BlockList, isIP } from 'node:net';

type AddressTest = (host: string, port: string) => boolean;

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * Entries are separated by commas or spaces. `*` matches every address, `example.com` the name and its subdomains, `.example.com`
 * and `*.example.com` only the subdomains. Addresses are exact (`10.0.0.1`, `::1`, `[::1]`) or a range (`10.0.0.0/8`).
 * `:8080` after an entry limits it to this port. Forms that only other programs support match nothing.
 */
export function createNoProxy(list: string): (url: URL) => boolean {
  const tests = list
    .toLowerCase()
    .split(/[,\s]+/)
    .filter((entry) => entry !== '')
    .map(createEntryTest);
  return ({ protocol, hostname, port }) => {
    const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
    return tests.some((test) => test(host, port || (DEFAULT_PORTS[protocol] ?? '')));
  };
}

function createEntryTest(entry: string): AddressTest {
  const { host, port } = splitEntry(entry);
  const test = createHostTest(host);
  return (requestHost, requestPort) => (port === undefined || port === requestPort) && test(requestHost);
}

/** A port follows an IPv6 address only after brackets; otherwise its colons belong to the address. */
function splitEntry(entry: string): { host: string; port: string | undefined } {
  const [, host = '', port] = /^\[(.*)\](?::(\d+))?$/.exec(entry) ?? /^([^:]*):(\d+)$/.exec(entry) ?? [];
  return host === '' ? { host: entry, port: undefined } : { host, port };
}

function createHostTest(host: string): (requestHost: string) => boolean {
  const range = parseRange(host);
  if (range) {
    return (requestHost) => {
      const ipVersion = isIP(requestHost);
      return ipVersion !== 0 && range.check(requestHost, ipVersion === 6 ? 'ipv6' : 'ipv4');
    };
  }
  if (/^[.*]/.test(host)) return (requestHost) => requestHost.endsWith(host.replace(/^\*/, ''));
  return (requestHost) => requestHost === host || (isIP(requestHost) === 0 && requestHost.endsWith(`.${host}`));
}

/** A single IP address, or a CIDR range. */
function parseRange(host: string): BlockList | undefined {
  const [, address = '', prefix] = /^([^/]*)(?:\/(\d+))?$/.exec(host) ?? [];
  const ipVersion = isIP(address);
  const bits = ipVersion === 6 ? 128 : 32;
  const length = Number(prefix ?? bits);
  if (ipVersion === 0 || length > bits) return undefined;
  const range = new BlockList();
  range.addSubnet(address, length, ipVersion === 6 ? 'ipv6' : 'ipv4');
  return range;
}
