// The hall: `parley export`: a session as a page, without disturbing whoever works in it.

import { basename, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Fault, messageOf } from '../../base/index.ts';
import { renderSession } from '../../core/index.ts';
import { createJsonlStore, sessionFolder, sessionFolders } from '../../store/index.ts';
import { homeDirectory } from '../home.ts';
import { userDirectory } from '../settings.ts';
import { createSystemPorts } from '../system-ports/index.ts';
import { createProcessIdentity } from '../system-ports/process-identity.ts';

export const EXPORT_HELP = `Usage: parley export SESSION [FILE] [--branch]

Writes a session (a path, or the beginning of its id) as one self-contained page. Without FILE it is named after the
session and never replaces anything.

  --branch             the current branch only
  --session-dir PATH   look for the session there
`;

const OPTIONS = {
  branch: { type: 'boolean' },
  'session-dir': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Returns what is to be printed: where the page is. */
export async function runExport(argv: readonly string[]): Promise<string> {
  const { values, positionals } = parse(argv);
  if (values.help) return EXPORT_HELP;
  const [wanted, file] = positionals;
  if (!wanted) throw new Fault('config', `Which session? ${EXPORT_HELP}`);
  const ports = createSystemPorts({});
  const path = await locate(ports, wanted, values['session-dir']);
  const { files, clock } = ports;
  const store = createJsonlStore({ files, clock, identity: createProcessIdentity(), directory: resolve(path, '..') });
  const session = { ...(await store.read(path)), branchOnly: values.branch ?? false };
  const page = await renderSession(session, ports.renderMarkup);
  const target = file ? resolve(file) : await freeName(files, resolve(basename(path, '.jsonl')));
  await files.replace(target, new TextEncoder().encode(page), { mode: 0o600 });
  return `${target}\n`;
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true });
  } catch (thrown) {
    throw new Fault('config', `${messageOf(thrown)}\n\n${EXPORT_HELP}`);
  }
}

/** In this directory's folder first, then in all the others. */
async function locate(
  ports: ReturnType<typeof createSystemPorts>,
  wanted: string,
  named: string | undefined,
): Promise<string> {
  const { files, clock } = ports;
  const home = userDirectory(process.env, homeDirectory());
  const folders = named
    ? [resolve(named)]
    : [sessionFolder(home, process.cwd()), ...(await sessionFolders(files, home))];
  let problem: unknown;
  for (const directory of new Set(folders)) {
    try {
      return await createJsonlStore({ files, clock, identity: createProcessIdentity(), directory }).locate(wanted);
    } catch (thrown) {
      problem ??= thrown;
    }
  }
  throw problem;
}

async function freeName(files: ReturnType<typeof createSystemPorts>['files'], base: string): Promise<string> {
  for (let copy = 1; ; copy++) {
    const path = `${base}${copy > 1 ? `-${copy}` : ''}.html`;
    if (!(await files.info(path, { follow: false }))) return path;
  }
}
