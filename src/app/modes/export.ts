// `parley export`: writes a session as an HTML page. Only reads the session, which another process may be using.

import { basename, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Fault } from '../../base/index.ts';
import { PAGE_GENERATOR } from '../../core/export/render-page.ts';
import { renderSession } from '../../core/index.ts';
import { resolveAgentDirectory } from '../../settings/index.ts';
import { createJsonlStore, getSessionDirectory, listSessionDirectories } from '../../store/index.ts';
import { homeDirectory } from '../../support/home-directory.ts';
import { openConfiguredStorage } from '../configured-storage.ts';
import { createSystemPorts } from '../system-ports/index.ts';
import { createProcessIdentity } from '../system-ports/process-identity.ts';
import { findSession } from './find-session.ts';
import { parseWithHelp } from './parse-with-help.ts';
import type { SessionSource } from './stored-source.ts';

export const EXPORT_HELP = `Usage: parley export SESSION [FILE] [--branch] [--force]

Writes a session (a path, or the beginning of its id) as one self-contained page. Without FILE it is named after the
session and never replaces anything. A FILE that exists is replaced only when it is an earlier export.

  --branch             the current branch only
  --force              replace FILE even if it is not an earlier export
  --session-dir PATH   look for the session there
  --store URL          the database with the session. Default: the setting store, or PARLEY_DATABASE_URL
  --tenant NAME        whose session in the database

Examples:
  parley export 3f2a
  parley export 3f2a page.html --branch
`;

const OPTIONS = {
  branch: { type: 'boolean' },
  force: { type: 'boolean' },
  'session-dir': { type: 'string' },
  store: { type: 'string' },
  tenant: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

type SystemPorts = ReturnType<typeof createSystemPorts>;

/** Returns the text to print: the path of the page. */
export async function runExport(argv: readonly string[]): Promise<string> {
  const { values, positionals } = parse(argv);
  if (values.help) return EXPORT_HELP;
  const [sessionName, file] = positionals;
  if (!sessionName) throw new Fault('config', `SESSION is missing.\n\n${EXPORT_HELP}`);
  const ports = createSystemPorts({});
  const { files } = ports;
  const page = await renderStored(ports, sessionName, values);
  const target = file ? resolve(file) : await findFreeName(files, resolve(page.name));
  if (file) await checkReplaceable(files, target, values.force ?? false);
  await files.replace(target, new TextEncoder().encode(page.html), { mode: 0o600 });
  return `${target}\n`;
}

function parse(argv: readonly string[]) {
  return parseWithHelp(EXPORT_HELP, () => parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true }));
}

interface RenderedPage {
  /** Without the file extension. */
  readonly name: string;
  readonly html: string;
}

/** The session is one of the database, if one is configured and neither a path nor `--session-dir` names a file. */
async function renderStored(
  ports: SystemPorts,
  sessionName: string,
  { branch = false, store, tenant, 'session-dir': sessionDirectory }: ReturnType<typeof parse>['values'],
): Promise<RenderedPage> {
  const isFile = sessionDirectory !== undefined || /[/\\]|\.jsonl$/.test(sessionName);
  if (isFile && (store ?? tenant) !== undefined)
    throw new Fault('config', `--${store === undefined ? 'tenant' : 'store'} has no effect: ${sessionName} is a file.`);
  const storage = isFile ? undefined : await openConfiguredStorage({ store, tenant }, ports);
  try {
    const source = storage
      ? await (await import('./stored-source.ts')).openStoredSource(storage, sessionName)
      : await openFileSource(ports, sessionName, sessionDirectory);
    const { path, name, files, read } = source;
    const session = {
      ...(await read(path)),
      branchOnly: branch,
      subagentFiles: { sessionFile: path, files, read },
      secrets: ports.listSecrets(),
    };
    return { name, html: await renderSession(session, ports.renderMarkup) };
  } finally {
    await storage?.close();
  }
}

async function openFileSource(
  ports: SystemPorts,
  sessionName: string,
  sessionDirectory: string | undefined,
): Promise<SessionSource> {
  const { files, clock } = ports;
  const path = await locateSession(ports, sessionName, sessionDirectory);
  const store = createJsonlStore({ files, clock, identity: createProcessIdentity(), directory: resolve(path, '..') });
  return { path, name: basename(path, '.jsonl'), files, read: (file) => store.read(file) };
}

/** Searches the sessions of the working directory first, then those of all other directories. */
async function locateSession(
  ports: SystemPorts,
  session: string,
  sessionDirectory: string | undefined,
): Promise<string> {
  const { files, clock } = ports;
  const agentDirectory = resolveAgentDirectory(process.env, homeDirectory());
  const folders = sessionDirectory
    ? [resolve(sessionDirectory)]
    : [getSessionDirectory(agentDirectory, process.cwd()), ...(await listSessionDirectories(files, agentDirectory))];
  const identity = createProcessIdentity();
  const stores = [...new Set(folders)].map((directory) => createJsonlStore({ files, clock, identity, directory }));
  return (await findSession(stores, session)).path;
}

/** The generator tag is in the head of the page, before any text of the conversation. */
const HEAD_BYTES = 4096;

async function checkReplaceable(
  files: ReturnType<typeof createSystemPorts>['files'],
  target: string,
  force: boolean,
): Promise<void> {
  const info = await files.info(target);
  if (info?.kind === 'directory') throw new Fault('config', `${target} is a directory. Name a file in it.`);
  const parentDirectory = resolve(target, '..');
  if ((await files.info(parentDirectory))?.kind !== 'directory')
    throw new Fault('config', `There is no directory ${parentDirectory}.`);
  if (!info || force || info.size === 0) return;
  if (info.kind !== 'file') return;
  const head = new TextDecoder().decode(await files.read(target, { length: HEAD_BYTES }));
  if (head.includes(`<meta name="generator" content="${PAGE_GENERATOR}">`)) return;
  throw new Fault(
    'config',
    `${target} exists and is not an earlier export. Name another file, or replace it with --force.`,
  );
}

async function findFreeName(files: ReturnType<typeof createSystemPorts>['files'], base: string): Promise<string> {
  for (let copy = 1; ; copy++) {
    const path = `${base}${copy > 1 ? `-${copy}` : ''}.html`;
    if (!(await files.info(path, { follow: false }))) return path;
  }
}
