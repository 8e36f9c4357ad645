// The user of a server and its other tenants share one user directory. Agents of the other tenants cannot change what is configured in it.
import { relative, sep } from 'node:path';
import { Fault } from '../../../base/index.ts';
import type { CheckAccess, Files } from '../../../contracts/index.ts';
import type { StartContext } from '../start-agent.ts';

/**
 * Copies of sessions and repositories, and compiled extensions. Everything else in the user directory are settings, credentials, trust
 * decisions and extensions.
 */
const WRITABLE = /^(database|workspaces|cache)(\/|$)/;

/** The ports of the agents of another tenant. Commands of agents are restricted by the sandbox, not by this. */
export async function protectUserFiles({ ports, agentDirectory }: Pick<StartContext, 'ports' | 'agentDirectory'>) {
  const root = await ports.files.realPath(agentDirectory);
  const check: CheckAccess = (path, access) => {
    const inside = relative(root, path).split(sep).join('/');
    if (access !== 'write' || inside.startsWith('../') || inside === '..' || WRITABLE.test(inside)) return;
    const message = `${path} belongs to the user of the server. It cannot be changed with a token of another tenant.`;
    throw new Fault('refused', message);
  };
  const files: Files = ports.files.withAccessCheck(check);
  return { ...ports, files };
}
