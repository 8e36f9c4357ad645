// `parley version`: prints the version, and with --json also that of Node and the platform.
import { parseArgs } from 'node:util';
import { version } from '../../support/version.ts';
import { parseWithHelp } from './parse-with-help.ts';

const VERSION_HELP = `Usage: parley version [--json]

Prints the version of Parley, like \`parley --version\`.

  --json   print a JSON object with the version of Parley and of Node, the platform and the architecture

Examples:
  parley version
  parley version --json
`;

const OPTIONS = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const;

/** Returns the text to print. */
export async function runVersion(argv: readonly string[]): Promise<string> {
  const { json, help } = parseWithHelp(VERSION_HELP, () => parseArgs({ args: [...argv], options: OPTIONS }).values);
  if (help) return VERSION_HELP;
  if (!json) return `${version()}\n`;
  const { platform, arch, versions } = process;
  const facts = {
    version: version(),
    node: versions.node,
    ...(versions.bun ? { bun: versions.bun } : {}),
    platform,
    arch,
  };
  return `${JSON.stringify(facts)}\n`;
}
