// The list in NO_PROXY: which addresses are reached without the proxy.
import { BlockList, isIP } from 'node:net';

type Test = (host: string, port: string) => boolean;

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * Entries are separated by commas or spaces. `*` is every address, `example.com` is the name and what is below it, `.example.com`
 * and `*.example.com` are only what is below it. Addresses are exact (`10.0.0.1`, `::1`, `[::1]`) or a range (`10.0.0.0/8`).
 * `:8080` behind an entry limits it to this port. Other programs write other forms; those match nothing.
 */
export function createNoProxy(list: string): (url: URL) => boolean {
  const tests = list
    .toLowerCase()
    .split(/[,\s]+/)
    .filter((entry) => entry !== '')
    .map(testOf);
  return ({ protocol, hostname, port }) => {
    const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
    return tests.some((test) => test(host, port || (DEFAULT_PORTS[protocol] ?? '')));
  };
}

function testOf(entry: string): Test {
  const { host, port } = partsOf(entry);
  const test = testOfHost(host);
  return (asked, askedPort) => (port === undefined || port === askedPort) && test(asked);
}

/** The colons of an IPv6 address do not begin a port, unless brackets end it. */
function partsOf(entry: string): { host: string; port: string | undefined } {
  const [, host = '', port] = /^\[(.*)\](?::(\d+))?$/.exec(entry) ?? /^([^:]*):(\d+)$/.exec(entry) ?? [];
  return host === '' ? { host: entry, port: undefined } : { host, port };
}

function testOfHost(host: string): (asked: string) => boolean {
  const range = rangeOf(host);
  if (range) {
    return (asked) => {
      const family = isIP(asked);
      return family !== 0 && range.check(asked, family === 6 ? 'ipv6' : 'ipv4');
    };
  }
  if (/^[.*]/.test(host)) return (asked) => asked.endsWith(host.replace(/^\*/, ''));
  return (asked) => asked === host || (isIP(asked) === 0 && asked.endsWith(`.${host}`));
}

/** One IP address, or all that share a prefix. */
function rangeOf(host: string): BlockList | undefined {
  const [, address = '', prefix] = /^([^/]*)(?:\/(\d+))?$/.exec(host) ?? [];
  const family = isIP(address);
  const bits = family === 6 ? 128 : 32;
  const length = Number(prefix ?? bits);
  if (family === 0 || length > bits) return undefined;
  const range = new BlockList();
  range.addSubnet(address, length, family === 6 ? 'ipv6' : 'ipv4');
  return range;
}
