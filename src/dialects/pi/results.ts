// First floor, dialects: results that pi shapes in its own way. Everything else passes as it is.
import { isRecord } from '../../base/index.ts';

/** `null` stays: it is what cycling answers when there is nothing to change to. */
export function resultOf(method: string, result: unknown): unknown {
  if (method !== 'get_commands' || !isRecord(result) || !Array.isArray(result.commands)) return result;
  return { commands: result.commands.map(withSource) };
}

interface Listed {
  location?: string;
  path?: string;
  [field: string]: unknown;
}

/** Where a word comes from is one object here. */
function withSource({ location, path, ...listed }: Listed): Record<string, unknown> {
  const scope = location === 'user' || location === 'project' ? location : 'temporary';
  const source = scope === 'temporary' ? 'cli' : 'auto';
  return { ...listed, sourceInfo: { path: path ?? '', source, scope, origin: 'top-level' } };
}
