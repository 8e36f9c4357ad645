// Checks the settings that allow further hosts and origins. A value that no browser sends would have no effect.
import { Fault } from '../../../base/index.ts';

const VALID_HOST = /^(?:[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

export function checkAllowedHosts(hosts: readonly string[]): void {
  const invalid = hosts.find((host) => !VALID_HOST.test(host));
  if (invalid === undefined) return;
  const expected = 'a name or address with its port, such as "agent.example.com" or "192.0.2.1:7420"';
  throw new Fault('config', `serve.allowedHosts must contain ${expected} (got ${JSON.stringify(invalid)})`);
}

/** `*` and `null` are refused: every site could send them. */
export function checkAllowedOrigins(origins: readonly string[]): void {
  const invalid = origins.find((origin) => !URL.canParse(origin) || new URL(origin).origin !== origin);
  if (invalid === undefined) return;
  const expected = 'origins as browsers send them, such as "https://app.example.com"';
  throw new Fault('config', `serve.allowedOrigins must contain ${expected} (got ${JSON.stringify(invalid)})`);
}
