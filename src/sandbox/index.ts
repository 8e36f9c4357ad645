// The sandbox for processes that tools start: bubblewrap on Linux, Seatbelt on macOS. Where it cannot be had, commands are refused.
import { Fault, getErrorMessage } from '../base/index.ts';
import type { ProcessSandbox } from '../contracts/index.ts';
import { wrapWithBwrap } from './bwrap-command.ts';
import { findBwrap } from './find-bwrap.ts';
import { createProblemFault, isProblem, type SandboxProblem } from './probe-program.ts';
import type { SandboxOptions } from './sandbox-options.ts';
import { findSeatbeltProblem, wrapWithSeatbelt } from './seatbelt-command.ts';

export {
  LOCK_NAME,
  type MarkedDirectories,
  type PlaceholderFile,
  type PlaceholderModes,
  removeUnusedPlaceholders,
} from './placeholders.ts';
export { createProcessMark, isAbandonedMark } from './process-mark.ts';
export type { SandboxOptions } from './sandbox-options.ts';

export function createSandbox(options: SandboxOptions): ProcessSandbox {
  const description = `${options.mode}, network ${options.network}`;
  const { platform } = options.ports;
  return {
    description,
    async wrap(request) {
      try {
        if (platform === 'linux') return await wrapWithBwrap(options, request, description);
        if (platform === 'darwin') return await wrapWithSeatbelt(options, request, description);
      } catch (thrown) {
        if (thrown instanceof Fault) throw thrown;
        throw new Fault('refused', `The sandbox cannot be set up: ${getErrorMessage(thrown)}`, { cause: thrown });
      }
      throw createProblemFault(createPlatformProblem(platform));
    },
  };
}

/** Why this system cannot provide the sandbox, with the remedy. `undefined` when it can. */
export async function findSandboxProblem(ports: SandboxOptions['ports']): Promise<SandboxProblem | undefined> {
  if (ports.platform === 'darwin') return findSeatbeltProblem(ports);
  if (ports.platform !== 'linux') return createPlatformProblem(ports.platform);
  const found = await findBwrap(ports, []);
  return isProblem(found) ? found : undefined;
}

function createPlatformProblem(platform: string): SandboxProblem {
  return { reason: `there is no sandbox for ${platform}`, remedy: 'Use --sandbox off, or run Parley in a container.' };
}
