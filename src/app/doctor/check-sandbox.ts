// Checks whether commands can run in the sandbox on this system. Starts bubblewrap once.
import type { Ports } from '../../contracts/index.ts';
import { findSandboxProblem } from '../../sandbox/index.ts';
import type { SettingValues } from '../../settings/index.ts';
import { error, type Finding, ok } from './finding.ts';

/** Only an error when a setting asks for the sandbox: then every command is refused. */
export async function checkSandbox(ports: Ports, settings: Pick<SettingValues, 'sandbox'>): Promise<Finding> {
  const problem = await findSandboxProblem(ports);
  const isOff = settings.sandbox === 'off';
  const mode = isOff ? 'off' : settings.sandbox;
  if (!problem)
    return ok('sandbox', isOff ? `${mode}; it is available (sandbox: workspace-write)` : `${mode}, available`);
  if (isOff) return ok('sandbox', `${mode}; not available: ${problem.reason}. ${problem.remedy}`);
  return error('sandbox', `${mode}, but commands are refused: ${problem.reason}`, problem.remedy);
}
