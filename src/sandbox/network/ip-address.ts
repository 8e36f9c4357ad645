// Parses IP addresses and finds those that stand for this machine or its network connection instead of another machine.

/** 4 bytes, or 8 groups of 16 bits. */
type IpAddress =
  | { readonly version: 4; readonly parts: readonly number[] }
  | { readonly version: 6; readonly parts: readonly number[] };

/** Accepts only the usual spelling: four decimal numbers without leading zeros. Resolvers also accept `0x7f.1` and `2130706433`. */
const IPV4 = /^(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})$/;

/** The last part of a host name is a number: resolvers try to read the whole as an IPv4 address. */
const ENDS_IN_NUMBER = /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/i;

/** The canonical text of an address without brackets, or `undefined` if it is none. */
export function normalizeIpAddress(text: string): string | undefined {
  if (IPV4.test(text)) return text.split('.').every((part) => Number(part) <= 255) ? text : undefined;
  if (!text.includes(':') || !/^[0-9a-f:.]{2,45}$/i.test(text)) return undefined;
  const url = `http://[${text}]/`;
  return URL.canParse(url) ? new URL(url).hostname.slice(1, -1) : undefined;
}

export function looksLikeIpv4(name: string): boolean {
  return ENDS_IN_NUMBER.test(name);
}

/** Services that give credentials or configuration to a cloud machine, at addresses that are not link-local. */
const METADATA_ADDRESSES = ['100.100.100.200', '168.63.129.16', '192.0.0.192'];

/**
 * What is special about an address, for a message, or `undefined` if a listed name may resolve to it. Private ranges such as 10.0.0.0/8
 * are not special: the servers of companies are there. Everything that is not an address is special.
 */
export function findSpecialUse(text: string): string | undefined {
  const address = parse(text);
  if (!address) return 'an unknown';
  return address.version === 4 ? findSpecialUseOfV4(address.parts) : findSpecialUseOfV6(address.parts);
}

function parse(text: string): IpAddress | undefined {
  const normal = normalizeIpAddress(text);
  if (normal === undefined) return undefined;
  if (!normal.includes(':')) return { version: 4, parts: normal.split('.').map(Number) };
  const [left = '', right] = normal.split('::');
  const [start, end] = [parseGroups(left), parseGroups(right ?? '')];
  const zeros = right === undefined ? 0 : 8 - start.length - end.length;
  return { version: 6, parts: [...start, ...Array<number>(zeros).fill(0), ...end] };
}

function parseGroups(text: string): number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}

function findSpecialUseOfV4(parts: readonly number[]): string | undefined {
  const [first = 0, second = 0] = parts;
  if (first === 127) return 'a loopback';
  // Linux connects 0.0.0.0 to the loopback interface.
  if (first === 0) return 'an unspecified';
  if (first === 169 && second === 254) return 'a link-local';
  if (first >= 224 && first <= 239) return 'a multicast';
  if (first >= 240) return 'a reserved';
  return METADATA_ADDRESSES.includes(parts.join('.')) ? 'a metadata service' : undefined;
}

function findSpecialUseOfV6(groups: readonly number[]): string | undefined {
  const [first = 0, second = 0] = groups;
  const isZeroUntil = (end: number) => groups.slice(0, end).every((group) => group === 0);
  if (isZeroUntil(8)) return 'an unspecified';
  if (isZeroUntil(7) && groups[7] === 1) return 'a loopback';
  if ((first & 0xffc0) === 0xfe80) return 'a link-local';
  if ((first & 0xff00) === 0xff00) return 'a multicast';
  if (first === 0xfd00 && second === 0x0ec2) return 'a metadata service';
  if (first === 0xfd20 && second === 0x00ce) return 'a metadata service';
  const embedded = findEmbeddedV4(groups, isZeroUntil);
  return embedded && findSpecialUseOfV4(embedded);
}

/** An IPv4 address in an IPv6 address: mapped, translated, compatible, NAT64 and 6to4. */
function findEmbeddedV4(groups: readonly number[], isZeroUntil: (end: number) => boolean): number[] | undefined {
  const [first = 0, second = 0] = groups;
  const toBytes = (high = 0, low = 0) => [high >> 8, high & 0xff, low >> 8, low & 0xff];
  if (first === 0x2002) return toBytes(second, groups[2]);
  const isMapped = isZeroUntil(5) && groups[5] === 0xffff;
  const isTranslated = isZeroUntil(4) && groups[4] === 0xffff && groups[5] === 0;
  const isNat64 = first === 0x64 && second === 0xff9b;
  return isMapped || isTranslated || isNat64 || isZeroUntil(6) ? toBytes(groups[6], groups[7]) : undefined;
}
