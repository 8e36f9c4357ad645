// `parley update`: says how Parley was installed and which command updates it. Changes nothing.
import { parseArgs } from 'node:util';
import { Fault, getErrorMessage } from '../../base/index.ts';
import { homeDirectory } from '../../support/home-directory.ts';
import { version } from '../../support/version.ts';
import { createSystemPorts, type SystemPorts } from '../system-ports/index.ts';
import { findInstallation } from './installation.ts';
import { parseWithHelp } from './parse-with-help.ts';

const UPDATE_HELP = `Usage: parley update [--check] [--json]

Prints how Parley was installed and the command that updates it. Installs nothing.

  --check   ask the registry that npm is configured to use for the latest version
  --json    print a JSON object

Examples:
  parley update
  parley update --check
`;

const OPTIONS = {
  check: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

const PACKAGE_NAME = 'parley-agent';
const NPM_TIMEOUT_MS = 20_000;
const MAX_OUTPUT_BYTES = 64 * 1024;

/** Returns the text to print. */
export async function runUpdate(argv: readonly string[]): Promise<string> {
  const values = parseWithHelp(UPDATE_HELP, () => parseArgs({ args: [...argv], options: OPTIONS }).values);
  if (values.help) return UPDATE_HELP;
  const ports = createSystemPorts({});
  try {
    const installation = await findInstallation(ports.files, process.argv[1] ?? '', PACKAGE_NAME);
    const installed = version();
    const latest = values.check ? await readLatestVersion(ports) : undefined;
    const updateAvailable = latest === undefined ? undefined : compareVersions(installed, latest) < 0;
    if (values.json) return `${JSON.stringify({ version: installed, latest, updateAvailable, ...installation })}\n`;
    const state = latest === undefined ? '' : `${describeLatest(installed, latest)}\n`;
    const hint = updateAvailable === false ? '' : `To update: ${installation.updateCommand}\n`;
    return `Parley ${installed}, installed as ${installation.description}.\n${state}${hint}`;
  } finally {
    await ports.close();
  }
}

function describeLatest(installed: string, latest: string): string {
  const order = compareVersions(installed, latest);
  if (order < 0) return `The latest version is ${latest}.`;
  return order === 0 ? 'This is the latest version.' : `It is newer than the latest published version, ${latest}.`;
}

/** Runs `npm view` in the home directory, so that the .npmrc of the current project is not read. */
async function readLatestVersion({ processes, clock, toolEnv }: SystemPorts): Promise<string> {
  const output = { stdout: '', stderr: '' };
  const child = await processes
    .spawn({
      command: 'npm',
      args: ['view', PACKAGE_NAME, 'version'],
      cwd: homeDirectory(),
      env: toolEnv,
      onOutput(chunk, stream) {
        if (output[stream].length < MAX_OUTPUT_BYTES) output[stream] += new TextDecoder().decode(chunk);
      },
    })
    .catch((thrown: unknown) => {
      throw new Fault('refused', `npm cannot be started: ${getErrorMessage(thrown)}. Put npm on the PATH.`);
    });
  let hasTimedOut = false;
  const cancel = clock.after(NPM_TIMEOUT_MS, () => {
    hasTimedOut = true;
    child.kill();
  });
  const { code } = await child.finished.finally(cancel);
  if (hasTimedOut) throw createRegistryFault(`no answer within ${NPM_TIMEOUT_MS / 1000} seconds`);
  const found = output.stdout.trim();
  if (code === 0 && VERSION.test(found)) return found;
  const npmCode = /^npm (?:error|ERR!) code (\w+)/m.exec(output.stderr)?.[1];
  if (npmCode === 'E404') throw createRegistryFault(`it has no package ${PACKAGE_NAME}`);
  throw createRegistryFault(npmCode ?? `npm ended with exit code ${code}`);
}

function createRegistryFault(reason: string): Fault {
  return new Fault(
    'refused',
    `The latest version is unknown: npm could not ask its registry (${reason}). ` +
      'Check the network and `npm config get registry`, then try again.',
  );
}

const VERSION = /^(\d+)\.(\d+)\.(\d+)(-[\w.-]+)?(\+[\w.-]+)?$/;

/** Negative when `a` is older than `b`. A pre-release is older than its release; pre-releases are compared as text. */
export function compareVersions(a: string, b: string): number {
  const [, ...left] = VERSION.exec(a) ?? [];
  const [, ...right] = VERSION.exec(b) ?? [];
  for (const at of [0, 1, 2]) {
    const difference = Number(left[at]) - Number(right[at]);
    if (difference !== 0) return difference;
  }
  const [, , , preLeft = ''] = left;
  const [, , , preRight = ''] = right;
  if (preLeft === preRight) return 0;
  if (preLeft === '') return 1;
  return preRight === '' || preLeft < preRight ? -1 : 1;
}
