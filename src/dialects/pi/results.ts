// Converts the results that pi formats differently. All other results are passed on unchanged.
import { isRecord } from '../../base/index.ts';

/** `null` is passed on: it is the result of the cycle commands when there is nothing to change to. */
export function toPiResult(method: string, result: unknown): unknown {
  if (method !== 'get_commands' || !isRecord(result) || !Array.isArray(result.commands)) return result;
  return { commands: result.commands.map(addSourceInfo) };
}

interface ListedCommand {
  location?: string;
  path?: string;
  [field: string]: unknown;
}

/** pi puts the source of a command into one object. */
function addSourceInfo({ location, path, ...command }: ListedCommand): Record<string, unknown> {
  const scope = location === 'user' || location === 'project' ? location : 'temporary';
  const source = scope === 'temporary' ? 'cli' : 'auto';
  return { ...command, sourceInfo: { path: path ?? '', source, scope, origin: 'top-level' } };
}
