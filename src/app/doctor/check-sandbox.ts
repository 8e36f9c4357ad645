// Checks whether commands can run in the sandbox on this system. Starts bubblewrap once.
import { getErrorMessage } from '../../base/index.ts';
import type { Ports } from '../../contracts/index.ts';
import { findSandboxProblem } from '../../sandbox/index.ts';
import { createAllowListPolicy } from '../../sandbox/network/allow-list-policy.ts';
import type { SettingValues } from '../../settings/index.ts';
import { error, type Finding, ok } from './finding.ts';

/** Only an error when a setting asks for the sandbox: then every command is refused. */
export async function checkSandbox(ports: Ports, settings: SettingValues): Promise<Finding> {
  const problem = await findSandboxProblem(ports);
  const isOff = settings.sandbox === 'off';
  const mode = isOff ? 'off' : settings.sandbox;
  const hostProblem = isOff ? undefined : findHostProblem(settings);
  if (hostProblem) return error('sandbox', `${mode}, but commands are refused`, hostProblem);
  if (!problem)
    return ok('sandbox', isOff ? `${mode}; it is available (sandbox: workspace-write)` : `${mode}, available`);
  if (isOff) return ok('sandbox', `${mode}; not available: ${problem.reason}. ${problem.remedy}`);
  return error('sandbox', `${mode}, but commands are refused: ${problem.reason}`, problem.remedy);
}

/** The message names the rule that is not understood, and what to write. */
function findHostProblem(settings: SettingValues): string | undefined {
  if (settings['sandbox.network'] !== 'allow-list') return undefined;
  try {
    createAllowListPolicy(settings['sandbox.allowedHosts']);
    return undefined;
  } catch (thrown) {
    return getErrorMessage(thrown);
  }
}
