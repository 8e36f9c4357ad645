// Changes a file with MCP servers. Keeps its comments and all other content. Uses a lock, because several processes may write.
import { dirname } from 'node:path';
import { Fault, getErrorMessage, isRecord } from '../../../base/index.ts';
import type { Ports } from '../../../contracts/index.ts';
import { withFileLock } from '../../../support/file-lock.ts';
import { parseJsonc } from '../../../support/jsonc.ts';

type EditPorts = Pick<Ports, 'files' | 'clock' | 'ids'>;

/** `undefined` removes the server. Throws a Fault when a server to add exists already. The file may contain secrets, so only the user can read it. */
export async function editMcpFile(
  ports: EditPorts,
  path: string,
  name: string,
  entry: Readonly<Record<string, unknown>> | undefined,
): Promise<void> {
  const { files } = ports;
  // The file may be a link to a file elsewhere. The lock must be next to the target file.
  const file = await files.realPath(path);
  await files.makeDirectory(dirname(file), { mode: 0o700 });
  await withFileLock(ports, file, async (assertLockHeld) => {
    const info = await files.info(file);
    const before = info ? new TextDecoder().decode(await files.read(file)) : '';
    const parsed = await parseFile(path, before);
    const key = findKey(parsed);
    const servers = parsed[key];
    if (entry && isRecord(servers) && Object.hasOwn(servers, name))
      throw new Fault('config', `${path} has a server ${name} already. Remove it first: parley mcp remove ${name}`);
    const { applyEdits, modify } = await import('jsonc-parser');
    const text = before.trim() === '' ? '{}\n' : before;
    const formattingOptions = { insertSpaces: true, tabSize: 2, eol: '\n' };
    const after = applyEdits(text, modify(text, [key, name], entry, { formattingOptions }));
    await assertLockHeld();
    const lines = after.endsWith('\n') ? after : `${after}\n`;
    await files.replace(file, new TextEncoder().encode(lines), { mode: 0o600 });
  });
}

export async function hasServer({ files }: Pick<Ports, 'files'>, path: string, name: string): Promise<boolean> {
  if (!(await files.info(path))) return false;
  const parsed = await parseFile(path, new TextDecoder().decode(await files.read(path)));
  const servers = parsed[findKey(parsed)];
  return isRecord(servers) && Object.hasOwn(servers, name);
}

async function parseFile(path: string, text: string): Promise<Record<string, unknown>> {
  const parsed = await parseJsonc(text).catch((thrown: unknown) => {
    throw new Fault('config', `${path}: ${getErrorMessage(thrown)}. Fix it first.`);
  });
  if (isRecord(parsed) && [parsed.mcpServers, parsed.servers].every((value) => value === undefined || isRecord(value)))
    return parsed;
  throw new Fault('config', `${path}: "mcpServers" must be an object. Fix it first.`);
}

/** VS Code uses `servers`. */
function findKey(parsed: Readonly<Record<string, unknown>>): 'mcpServers' | 'servers' {
  return parsed.mcpServers === undefined && parsed.servers !== undefined ? 'servers' : 'mcpServers';
}
