// `parley serve tokens`: lists, adds and removes named tokens.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Fault } from '../../../base/index.ts';
import { addNamedToken, readNamedTokens, removeNamedToken, type TokenFileOptions } from '../../../http/index.ts';
import { resolveAgentDirectory } from '../../../settings/index.ts';
import { homeDirectory } from '../../../support/home-directory.ts';
import { createSystemPorts } from '../../system-ports/index.ts';
import { formatTable } from '../format-table.ts';
import { parseWithHelp } from '../parse-with-help.ts';

const TOKENS_HELP = `Usage: parley serve tokens [list]
       parley serve tokens add NAME [--read-only]
       parley serve tokens remove NAME

Lists, adds and removes the named tokens of parley serve. The name is in the audit log. A token is printed once, when it
is added; only its hash is stored. A running server uses the changes after a restart.
`;

const OPTIONS = { 'read-only': { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const;

export async function runTokens(argv: readonly string[]): Promise<string> {
  const { values, positionals } = parseWithHelp(TOKENS_HELP, () =>
    parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true }),
  );
  if (values.help) return TOKENS_HELP;
  const [action = 'list', name, ...extra] = positionals;
  if (extra.length > 0) throw new Fault('config', `Unknown argument: ${extra[0]}\n\n${TOKENS_HELP}`);
  const options = createOptions();
  if (values['read-only'] && action !== 'add')
    throw new Fault('config', `--read-only belongs to add NAME\n\n${TOKENS_HELP}`);
  if (action === 'list' && name === undefined) return listTokens(options);
  if (name === undefined || (action !== 'add' && action !== 'remove'))
    throw new Fault('config', `Expected list, add NAME or remove NAME\n\n${TOKENS_HELP}`);
  if (action === 'remove') {
    await removeNamedToken(options, name);
    return `Removed ${name}. Restart the server to end its access.\n`;
  }
  const access = values['read-only'] ? 'read' : 'full';
  return `${await addNamedToken(options, { name, access })}\n`;
}

function createOptions(): TokenFileOptions {
  const agentDirectory = resolveAgentDirectory(process.env, homeDirectory());
  const { files, ids, clock } = createSystemPorts({ agentDirectory });
  return { files, ids, clock, directory: join(agentDirectory, 'serve') };
}

async function listTokens(options: TokenFileOptions): Promise<string> {
  const named = await readNamedTokens(options);
  if (named.length === 0) return 'There are no named tokens. Add one with: parley serve tokens add NAME\n';
  const rows = named.map(({ name, access, createdMs }) => [
    name,
    access,
    new Date(createdMs).toISOString().slice(0, 10),
  ]);
  return formatTable(['name', 'access', 'created'], rows);
}
