// The hall: `parley trust`: decides about a project for good, shows the decisions, and takes them back.

import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Fault, messageOf } from '../../base/index.ts';
import { homeDirectory } from '../home.ts';
import { userDirectory } from '../settings.ts';
import { createSystemPorts } from '../system-ports/index.ts';
import { digestOf } from '../trust/inventory.ts';
import { findConfiguration } from '../trust/places.ts';
import { remember } from '../trust/remembered.ts';
import { changeDecisions, readDecisions } from '../trust/trust-file.ts';

export const TRUST_HELP = `Usage: parley trust [PATH]             trust a project, as it is now
       parley trust --deny [PATH]      do not, and do not ask again
       parley trust --forget [PATH]    take the decision back
       parley trust --list [--json]    show the decisions

Without PATH: the working directory. A project that changes what was decided about is asked about again.
`;

const OPTIONS = {
  deny: { type: 'boolean' },
  forget: { type: 'boolean' },
  list: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Returns what is to be printed. */
export async function runTrust(argv: readonly string[]): Promise<string> {
  const { values, positionals } = parse(argv);
  if (values.help) return TRUST_HELP;
  const ports = createSystemPorts({});
  const agentDirectory = userDirectory(process.env, homeDirectory());
  if (values.list) return listed(await readDecisions(ports.files, agentDirectory), values.json ?? false);
  const cwd = await ports.files.resolve(resolve(positionals[0] ?? '.'));
  if (values.forget) {
    await changeDecisions(ports, agentDirectory, (projects) => delete projects[cwd]);
    return `Nothing is decided about ${cwd}\n`;
  }
  if ((await ports.files.info(cwd))?.kind !== 'directory') throw new Fault('config', `Not a directory: ${cwd}`);
  const trusted = !values.deny;
  // What is too large to be hashed can still be refused; the digest then matches nothing.
  const digest = await digestOf(ports.files, cwd).catch((thrown: unknown) => (trusted ? Promise.reject(thrown) : ''));
  await remember({ ports, agentDirectory, cwd }, { trusted, digest });
  const found = await findConfiguration(ports.files, cwd);
  const what = found.length > 0 ? found.map((path) => `  ${path}\n`).join('') : '  (nothing yet)\n';
  return `${trusted ? 'Trusted' : 'Not trusted'}: ${cwd}\n${what}`;
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true });
  } catch (thrown) {
    throw new Fault('config', `${messageOf(thrown)}\n\n${TRUST_HELP}`);
  }
}

function listed(projects: Awaited<ReturnType<typeof readDecisions>>, json: boolean): string {
  if (json) return `${JSON.stringify(projects, null, 2)}\n`;
  const lines = Object.entries(projects).map(
    ([path, { trusted, decidedAt }]) =>
      `${trusted ? 'trusted    ' : 'not trusted'}  ${decidedAt.slice(0, 10)}  ${path}\n`,
  );
  return lines.join('') || 'Nothing is decided about any project.\n';
}
