// The hall: `parley export`: a session as a page, without disturbing whoever works in it.

import { basename, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Fault, messageOf } from '../../base/index.ts';
import { PAGE_GENERATOR } from '../../core/export/page.ts';
import { renderSession } from '../../core/index.ts';
import { createJsonlStore, sessionFolder, sessionFolders } from '../../store/index.ts';
import { homeDirectory } from '../home.ts';
import { userDirectory } from '../settings.ts';
import { createSystemPorts } from '../system-ports/index.ts';
import { createProcessIdentity } from '../system-ports/process-identity.ts';

export const EXPORT_HELP = `Usage: parley export SESSION [FILE] [--branch] [--force]

Writes a session (a path, or the beginning of its id) as one self-contained page. Without FILE it is named after the
session and never replaces anything. A FILE that exists is replaced only when it is an earlier export.

  --branch             the current branch only
  --force              replace FILE whatever it is
  --session-dir PATH   look for the session there
`;

const OPTIONS = {
  branch: { type: 'boolean' },
  force: { type: 'boolean' },
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
  if (file) await expectReplaceable(files, target, values.force ?? false);
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

/** The marker is in the head of the page, before anything that a conversation says. */
const HEAD_BYTES = 4096;

async function expectReplaceable(
  files: ReturnType<typeof createSystemPorts>['files'],
  target: string,
  force: boolean,
): Promise<void> {
  const info = await files.info(target);
  if (info?.kind === 'directory') throw new Fault('config', `${target} is a directory. Name a file in it.`);
  const above = resolve(target, '..');
  if ((await files.info(above))?.kind !== 'directory') throw new Fault('config', `There is no directory ${above}.`);
  if (!info || force || info.size === 0) return;
  if (info.kind !== 'file') return;
  const head = new TextDecoder().decode(await files.read(target, { length: HEAD_BYTES }));
  if (head.includes(`<meta name="generator" content="${PAGE_GENERATOR}">`)) return;
  throw new Fault(
    'config',
    `${target} exists and is not an earlier export. Name another file, or replace it with --force.`,
  );
}

async function freeName(files: ReturnType<typeof createSystemPorts>['files'], base: string): Promise<string> {
  for (let copy = 1; ; copy++) {
    const path = `${base}${copy > 1 ? `-${copy}` : ''}.html`;
    if (!(await files.info(path, { follow: false }))) return path;
  }
}
