// Decides for each connection of a sandboxed command whether sandbox.allowedHosts allows it.
import type { ConnectionPolicy, ProxyTarget } from '../../contracts/filter-proxy.ts';
import { DEFAULT_PORTS, parseHost, parseHostRules } from './host-rules.ts';
import { findSpecialUse, normalizeIpAddress } from './ip-address.ts';

/** In every refusal, so that it is recognized in the output of a command. */
export const ALLOWED_HOSTS_SETTING = 'sandbox.allowedHosts';

/** Throws a Fault for a rule that is not understood. */
export function createAllowListPolicy(allowedHosts: readonly string[]): ConnectionPolicy {
  const rules = parseHostRules(allowedHosts);
  return {
    checkTarget(target) {
      const host = parseHost(target.host);
      if (!host) {
        const remedy = 'Use a host name, or an IP address in its usual form (127.0.0.1, [::1])';
        return `${target.host} cannot be compared with ${ALLOWED_HOSTS_SETTING}. ${remedy}.`;
      }
      if (rules.allows(host, target.port)) return undefined;
      const rule = formatTarget(target);
      return `${rule} is not in ${ALLOWED_HOSTS_SETTING}. Add "${rule}" to this setting to allow it.`;
    },
    checkAddress(target, address) {
      const use = findSpecialUse(address);
      if (use === undefined) return undefined;
      const host = parseHost(target.host);
      // A rule for `localhost` allows what everyone understands by it, but no other address.
      if (host?.text === 'localhost' && use === 'a loopback') return undefined;
      const literal = normalizeIpAddress(address);
      if (literal !== undefined && rules.allows({ kind: 'address', text: literal }, target.port)) return undefined;
      const rule = formatTarget({ host: address.includes(':') ? `[${address}]` : address, port: target.port });
      const reason = `${target.host} resolves to ${address}, ${use} address that is not in ${ALLOWED_HOSTS_SETTING}`;
      return `${reason}. Add "${rule}" to this setting to allow it.`;
    },
  };
}

/** As a rule that allows it. */
function formatTarget({ host, port }: ProxyTarget): string {
  return DEFAULT_PORTS.includes(port) ? host : `${host}:${port}`;
}
