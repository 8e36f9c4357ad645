// Decides about the URLs that a call names.
import { decideByPolicy, decidePart, type RuleMatch } from './decide-part.ts';
import { matchesHost, parseHost } from './host-pattern.ts';
import { isRestricting, type PermissionCheck, type PermissionPart } from './permission-check.ts';
import { getHostPattern, namesTool } from './rule.ts';

export function checkUrl({ call, context, rules }: PermissionCheck, url: string): PermissionPart {
  const host = parseHost(url);
  const matches = rules.flatMap((found): RuleMatch[] => {
    if (!namesTool(found.rule, call.toolName)) return [];
    if (found.rule.pattern === undefined) return [{ found, match: 'yes' }];
    if (host === undefined) return isRestricting(found) ? [{ found, match: 'maybe' }] : [];
    return matchesHost(getHostPattern(found.rule), host) ? [{ found, match: 'yes' }] : [];
  });
  return decidePart(`${call.toolName}(${url})`, matches, decideByPolicy(context.policy, call.effect));
}

const URL_ARGUMENTS = ['url', 'urls', 'uri', 'uris'];

/** The URLs among the arguments of a tool that does not say what it uses. */
export function listUrls(input: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(input).flatMap(([name, value]) => {
    if (!URL_ARGUMENTS.includes(name.toLowerCase())) return [];
    return [value].flat().map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
  });
}
