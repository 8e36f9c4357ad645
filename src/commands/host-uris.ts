// Creates the URI schemes of set_host_uri_schemes. Loaded with the first use.
import { Fault } from '../base/index.ts';
import type { HostConnection, HostUris } from '../contracts/index.ts';

interface SchemeDefinition {
  scheme: string;
  writable?: boolean | undefined;
}

const VALID_SCHEME = /^[a-z][a-z0-9+.-]*$/;
/** Schemes that tools and models use with a meaning of their own. */
const RESERVED_SCHEMES: ReadonlySet<string> = new Set([
  'artifact',
  'file',
  'http',
  'https',
  'skill',
  'agent',
  'memory',
]);

export function createHostUris(
  definitions: readonly SchemeDefinition[],
  host: HostConnection,
): { names: string[]; hostUris: HostUris | undefined } {
  const schemes = new Map(
    definitions.map((definition) => [readScheme(definition.scheme), { writable: definition.writable === true }]),
  );
  const hostUris: HostUris = {
    findScheme(uri) {
      const scheme = /^([^:/]+):\/\//.exec(uri)?.[1]?.toLowerCase() ?? '';
      const found = schemes.get(scheme);
      return found && { scheme, ...found };
    },
    read: (url, signal) => host.requestUri({ operation: 'read', url }, signal),
    async write(url, content, signal) {
      await host.requestUri({ operation: 'write', url, content }, signal);
    },
  };
  return { names: [...schemes.keys()], hostUris: schemes.size > 0 ? hostUris : undefined };
}

function readScheme(requested: string): string {
  const scheme = requested.trim().toLowerCase();
  if (scheme === '') throw new Fault('invalid_params', 'Host URI scheme must be a non-empty string');
  if (!VALID_SCHEME.test(scheme))
    throw new Fault('invalid_params', `Host URI scheme contains invalid characters: ${requested}`);
  if (RESERVED_SCHEMES.has(scheme)) throw new Fault('invalid_params', `Host URI scheme is reserved: ${scheme}://`);
  return scheme;
}
