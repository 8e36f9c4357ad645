// `parley trust`: saves, lists and deletes trust decisions.

import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Fault } from '../../base/index.ts';
import { resolveAgentDirectory } from '../../settings/index.ts';
import { homeDirectory } from '../../support/home-directory.ts';
import { findProjectConfiguration } from '../../trust/index.ts';
import { computeDigest } from '../../trust/inventory.ts';
import { saveDecision } from '../../trust/saved-decision.ts';
import { readDecisions, updateDecisions } from '../../trust/trust-file.ts';
import { createSystemPorts } from '../system-ports/index.ts';
import { parseWithHelp } from './parse-with-help.ts';

export const TRUST_HELP = `Usage: parley trust [PATH]             trust a project in its current state
       parley trust --deny [PATH]      deny trust, and do not ask again
       parley trust --forget [PATH]    delete the decision
       parley trust --list [--json]    show the decisions

PATH defaults to the working directory. When the configuration of a project changes, you are asked again.

Examples:
  parley trust
  parley trust --deny ../downloaded
  parley trust --list --json
`;

const OPTIONS = {
  deny: { type: 'boolean' },
  forget: { type: 'boolean' },
  list: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Returns the text to print. */
export async function runTrust(argv: readonly string[]): Promise<string> {
  const { values, positionals } = parse(argv);
  if (values.help) return TRUST_HELP;
  const ports = createSystemPorts({});
  const agentDirectory = resolveAgentDirectory(process.env, homeDirectory());
  if (values.list) return formatDecisions(await readDecisions(ports.files, agentDirectory), values.json ?? false);
  const cwd = await ports.files.realPath(resolve(positionals[0] ?? '.'));
  if (values.forget) {
    await updateDecisions(ports, agentDirectory, (projects) => delete projects[cwd]);
    return `No decision is saved for ${cwd}\n`;
  }
  if ((await ports.files.info(cwd))?.kind !== 'directory') throw new Fault('config', `Not a directory: ${cwd}`);
  const trusted = !values.deny;
  // A project that is too large to be hashed can still be denied. The empty digest then matches nothing.
  const digest = await computeDigest(ports.files, cwd).catch((thrown: unknown) =>
    trusted ? Promise.reject(thrown) : '',
  );
  await saveDecision({ ports, agentDirectory, cwd }, { trusted, digest });
  const found = await findProjectConfiguration(ports.files, cwd);
  const configurationList = found.length > 0 ? found.map((path) => `  ${path}\n`).join('') : '  (nothing yet)\n';
  return `${trusted ? 'Trusted' : 'Not trusted'}: ${cwd}\n${configurationList}`;
}

function parse(argv: readonly string[]) {
  return parseWithHelp(TRUST_HELP, () => parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true }));
}

function formatDecisions(projects: Awaited<ReturnType<typeof readDecisions>>, json: boolean): string {
  if (json) return `${JSON.stringify(projects, null, 2)}\n`;
  const lines = Object.entries(projects).map(
    ([path, { trusted, decidedAt }]) =>
      `${trusted ? 'trusted    ' : 'not trusted'}  ${decidedAt.slice(0, 10)}  ${path}\n`,
  );
  return lines.join('') || 'No decisions are saved.\n';
}
