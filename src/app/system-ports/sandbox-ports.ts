// What the sandbox needs of the system, in addition to the ports of the agent.
import type { OpenFilterProxy } from '../../contracts/filter-proxy.ts';

/** Uses the user's own proxy, if there is one. */
export const openFilterProxy: OpenFilterProxy = async (options) => {
  const { createOpenFilterProxy } = await import('./filter-proxy/open-filter-proxy.ts');
  return createOpenFilterProxy({ env: process.env })(options);
};
