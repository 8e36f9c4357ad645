// Names of MCP tools as the model sees them.
import { fnv1a } from '../base/fnv1a.ts';

/** The limit of the providers. */
const MAX_LENGTH = 64;
const HASH_LENGTH = 8;

/**
 * `mcp__server__tool`, in the characters that every provider accepts. A name that had to be changed ends with a hash, so that
 * different tools have different names.
 */
export function toolNameFor(server: string, tool: string): string {
  const name = `mcp__${replaceCharacters(server)}__${replaceCharacters(tool)}`;
  // The first `__` after the prefix must end the server's name: otherwise `a__b` + `c` and `a` + `b__c` would be equal.
  const isUnique = name === `mcp__${server}__${tool}` && !server.includes('__') && !server.endsWith('_');
  if (isUnique && name.length <= MAX_LENGTH) return name;
  const hash = fnv1a(`${server}\0${tool}`).toString(16).padStart(HASH_LENGTH, '0');
  return `${name.slice(0, MAX_LENGTH - HASH_LENGTH - 1)}_${hash}`;
}

function replaceCharacters(text: string): string {
  return text.replace(/[^a-zA-Z0-9_-]/gu, '_');
}
