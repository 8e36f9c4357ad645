// `parley serve tokens`: lists, adds and removes named tokens.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Fault } from '../../../base/index.ts';
import {
  addNamedToken,
  checkTokenName,
  createToken,
  readNamedTokens,
  removeNamedToken,
  type TokenFileOptions,
} from '../../../http/index.ts';
import type { ClientAccess } from '../../../protocol/index.ts';
import { resolveAgentDirectory } from '../../../settings/index.ts';
import { digestText } from '../../../support/digest.ts';
import { homeDirectory } from '../../../support/home-directory.ts';
import { openConfiguredStorage } from '../../configured-storage.ts';
import type { OpenedStorage } from '../../session-storage.ts';
import { createSystemPorts } from '../../system-ports/index.ts';
import { formatTable } from '../format-table.ts';
import { parseWithHelp } from '../parse-with-help.ts';

const TOKENS_HELP = `Usage: parley serve tokens [list] [--store URL] [--tenant NAME]
       parley serve tokens add NAME [--read-only] [--store URL] [--tenant NAME]
       parley serve tokens remove NAME [--store URL] [--tenant NAME]

Lists, adds and removes the named tokens of parley serve. The name is in the audit log. A token is printed once, when it
is added; only its hash is stored.

Without a database the tokens belong to the servers of this user, and a running server uses changes after a restart.
With a database (--store, the setting store, or PARLEY_DATABASE_URL) they belong to a tenant, and are valid on all
servers of the database at once: a token can use the sessions of its tenant only. When it is removed, its connections end.

  --read-only     the token can follow sessions, and change nothing
  --tenant NAME   whose sessions the token can use (setting database.tenant; "default" when absent)
  --store URL     the database
`;

const OPTIONS = {
  'read-only': { type: 'boolean' },
  store: { type: 'string' },
  tenant: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

type Action = 'list' | 'add' | 'remove';

interface TokenList {
  list(): Promise<readonly { readonly name: string; readonly access: ClientAccess; readonly createdMs: number }[]>;
  /** Returns the token. */
  add(name: string, access: ClientAccess): Promise<string>;
  remove(name: string): Promise<void>;
  /** What follows "Removed NAME." */
  readonly removedHint: string;
}

export async function runTokens(argv: readonly string[]): Promise<string> {
  const { values, positionals } = parseWithHelp(TOKENS_HELP, () =>
    parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true }),
  );
  if (values.help) return TOKENS_HELP;
  const { action, name } = readAction(positionals, values['read-only']);
  const agentDirectory = resolveAgentDirectory(process.env, homeDirectory());
  const ports = createSystemPorts({ agentDirectory });
  const { store, tenant } = values;
  const storage = await openConfiguredStorage({ store, tenant }, ports);
  try {
    const { files, ids, clock } = ports;
    const options = { files, ids, clock, directory: join(agentDirectory, 'serve') };
    return await act(storage ? await listInDatabase(storage, options) : listInFile(options), action, name, {
      access: values['read-only'] ? 'read' : 'full',
    });
  } finally {
    await storage?.close();
    await ports.close();
  }
}

function readAction(positionals: readonly string[], isReadOnly = false): { action: Action; name: string } {
  const [action = 'list', name = '', ...extra] = positionals;
  if (extra.length > 0) throw new Fault('config', `Unknown argument: ${extra[0]}\n\n${TOKENS_HELP}`);
  if (isReadOnly && action !== 'add') throw new Fault('config', `--read-only belongs to add NAME\n\n${TOKENS_HELP}`);
  const isComplete = action === 'list' ? name === '' : (action === 'add' || action === 'remove') && name !== '';
  if (!isComplete) throw new Fault('config', `Expected list, add NAME or remove NAME\n\n${TOKENS_HELP}`);
  return { action: action as Action, name };
}

async function act(tokens: TokenList, action: Action, name: string, { access }: { access: ClientAccess }) {
  if (action === 'add') return `${await tokens.add(name, access)}\n`;
  if (action === 'remove') {
    await tokens.remove(name);
    return `Removed ${name}. ${tokens.removedHint}\n`;
  }
  const listed = await tokens.list();
  if (listed.length === 0) return 'There are no named tokens. Add one with: parley serve tokens add NAME\n';
  const rows = listed.map((token) => [token.name, token.access, new Date(token.createdMs).toISOString().slice(0, 10)]);
  return formatTable(['name', 'access', 'created'], rows);
}

function listInFile(options: TokenFileOptions): TokenList {
  return {
    list: () => readNamedTokens(options),
    add: (name, access) => addNamedToken(options, { name, access }),
    remove: (name) => removeNamedToken(options, name),
    removedHint: 'Restart the server to end its access.',
  };
}

async function listInDatabase({ postgres }: OpenedStorage, options: TokenFileOptions): Promise<TokenList> {
  const { addStoredToken, listStoredTokens, removeStoredToken } = await import(
    '../../../store/postgres/access-token-rows.ts'
  );
  const { database, tenant, clock } = postgres;
  return {
    list: () => listStoredTokens(database, tenant),
    async add(name, access) {
      checkTokenName(name);
      const token = createToken(options);
      const digest = digestText(token).toString('hex');
      await addStoredToken(database, tenant, { name, access, createdMs: clock.now(), digest });
      return token;
    },
    remove: (name) => removeStoredToken(database, tenant, name),
    removedHint: 'Its connections are ended.',
  };
}
