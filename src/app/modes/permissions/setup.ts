// What `parley permissions list` and `test` share: their flags, and the settings that a session with these flags would use.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Fault } from '../../../base/index.ts';
import { toApprovalPolicy } from '../../../protocol/index.ts';
import { type FlagValues, resolveAgentDirectory } from '../../../settings/index.ts';
import { homeDirectory } from '../../../support/home-directory.ts';
import { findProjectConfiguration, loadProjectSettings } from '../../../trust/index.ts';
import { createSystemPorts } from '../../system-ports/index.ts';
import { parseWithHelp } from '../parse-with-help.ts';
import { PERMISSIONS_HELP } from './help.ts';

const OPTIONS = {
  json: { type: 'boolean' },
  cwd: { type: 'string' },
  trust: { type: 'boolean' },
  'no-trust': { type: 'boolean' },
  set: { type: 'string', multiple: true },
  allow: { type: 'string', multiple: true },
  deny: { type: 'string', multiple: true },
  'approval-mode': { type: 'string' },
} as const;

export function parsePermissionsArguments(argv: readonly string[]) {
  return parseWithHelp(PERMISSIONS_HELP, () =>
    parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true }),
  );
}

type PermissionsFlags = ReturnType<typeof parsePermissionsArguments>['values'];

interface PermissionsSetupOptions {
  /** Load settings even if one is invalid that restricts something. */
  readonly isLenient: boolean;
  warn(line: string): void;
}

export type PermissionsSetup = Awaited<ReturnType<typeof createPermissionsSetup>>;

export async function createPermissionsSetup(flags: PermissionsFlags, { isLenient, warn }: PermissionsSetupOptions) {
  const home = homeDirectory();
  const agentDirectory = resolveAgentDirectory(process.env, home);
  const ports = createSystemPorts({ agentDirectory });
  const { files } = ports;
  const cwd = resolve(flags.cwd ?? '.');
  if ((await files.info(cwd))?.kind !== 'directory')
    throw new Fault('config', `Working directory does not exist: ${cwd}`);
  const loaded = await loadProjectSettings({
    ...{ files, agentDirectory, cwd, home, isLenient, warn },
    flags: toFlagValues(flags),
  });
  if (!loaded.decision.trusted) {
    const found = (await findProjectConfiguration(files, cwd)).filter((path) => path.endsWith('settings.json'));
    if (found.length > 0) warn(`This project is not trusted: ${found.join(', ')} ignored. \`parley trust\` trusts it.`);
  }
  const policy = toApprovalPolicy(loaded.values.approval);
  return { ports, home, cwd, policy, settings: loaded.values, rules: loaded.rules, origin: loaded.origin };
}

/** An invalid mode is reported when the settings are loaded. */
function toFlagValues({ trust, set, allow, deny, ...flags }: PermissionsFlags): FlagValues {
  const approvalMode = flags['approval-mode'] as FlagValues['approvalMode'];
  return { trust, noTrust: flags['no-trust'], set, allow, deny, approvalMode };
}
