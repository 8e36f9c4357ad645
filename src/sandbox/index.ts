// The sandbox for processes that tools start: bubblewrap on Linux, Seatbelt on macOS. Where it cannot be had, commands are refused.
import { join } from 'node:path';
import { Fault, getErrorMessage, getSystemErrorCode } from '../base/index.ts';
import type { Files, ProcessSandbox, SandboxedCommand } from '../contracts/index.ts';
import { isInside } from '../support/path-checks.ts';
import { buildBwrapArguments, type PrivateDirectories } from './bwrap-arguments.ts';
import { explainFailure } from './explain-failure.ts';
import { type Bwrap, findBwrap, isProblem, type SandboxProblem } from './find-bwrap.ts';
import { holdPlaceholders } from './placeholders.ts';
import { planMounts } from './plan-mounts.ts';
import { buildSandboxEnv } from './sandbox-env.ts';
import type { CommandNetwork, SandboxOptions } from './sandbox-options.ts';

export { createProcessMark, isAbandonedMark } from './process-mark.ts';
export type { CommandNetwork, SandboxOptions } from './sandbox-options.ts';

export function createSandbox(options: SandboxOptions): ProcessSandbox {
  const description = `${options.mode}, network ${options.network}`;
  return {
    description,
    async wrap(request) {
      try {
        return await wrapWithBwrap(options, request);
      } catch (thrown) {
        if (thrown instanceof Fault) throw thrown;
        throw new Fault('refused', `The sandbox cannot be set up: ${getErrorMessage(thrown)}`, { cause: thrown });
      }
    },
    explainFailure: (run) => explainFailure(run, description),
  };
}

/** Why this system cannot provide the sandbox, with the remedy. `undefined` when it can. */
export async function findSandboxProblem(ports: SandboxOptions['ports']): Promise<SandboxProblem | undefined> {
  const found = await findSandboxProgram(ports, []);
  return isProblem(found) ? found : undefined;
}

async function findSandboxProgram(
  ports: SandboxOptions['ports'],
  writableRoots: readonly string[],
): Promise<Bwrap | SandboxProblem> {
  if (ports.platform === 'linux') return findBwrap(ports, writableRoots);
  return {
    reason: `there is no sandbox for ${ports.platform}`,
    remedy: 'Use --sandbox off, or run Parley in a container.',
  };
}

async function wrapWithBwrap(
  options: SandboxOptions,
  request: Parameters<ProcessSandbox['wrap']>[0],
): Promise<SandboxedCommand> {
  const { ports, network: access } = options;
  const plan = await planMounts(options);
  const bwrap = await findSandboxProgram(ports, plan.writableRoots);
  if (isProblem(bwrap)) throw createProblemFault(bwrap);
  const directories = await createPrivateDirectories(options, plan.writableRoots);
  const network = access === 'allow-list' ? await openAllowListNetwork(options) : undefined;
  const removePlaceholders = await holdPlaceholders({ ...options, files: ports.files }, plan.placeholders).catch(
    async (thrown: unknown) => {
      await network?.close();
      throw thrown;
    },
  );
  const args = buildBwrapArguments({
    ...{ plan, directories, socket: network?.socket, cwd: request.cwd },
    ...(network?.wrapCommand(request) ?? { command: request.command, args: request.args }),
    hasNetwork: access === 'on',
    canDisableUserNamespaces: bwrap.canDisableUserNamespaces,
  });
  const env = { ...buildSandboxEnv(request.env, '/tmp'), ...network?.env };
  return {
    ...{ command: bwrap.path, args, cwd: request.cwd, env },
    release: async () => void (await Promise.all([removePlaceholders(), network?.close()])),
  };
}

async function openAllowListNetwork({ openNetwork }: SandboxOptions): Promise<CommandNetwork> {
  if (openNetwork) return openNetwork();
  const remedy = 'Set sandbox.network to off or on.';
  throw new Fault(
    'refused',
    `The command was not run, because the network allow-list is not available here. ${remedy}`,
  );
}

function createProblemFault({ reason, remedy }: SandboxProblem): Fault {
  return new Fault('refused', `The command was not run, because the sandbox is not available: ${reason}. ${remedy}`);
}

/** Commands must not be able to replace them: they are mounted for the next command. */
async function createPrivateDirectories(
  { ports: { files }, temporaryDirectory }: SandboxOptions,
  writableRoots: readonly string[],
): Promise<PrivateDirectories> {
  const base = await files.realPath(await temporaryDirectory());
  const root = writableRoots.find((path) => isInside(path, base));
  if (root !== undefined) {
    const remedy = `Work in another directory, remove ${root} from sandbox.writableRoots (commands have their own /tmp), or set TMPDIR to another directory.`;
    throw new Fault(
      'refused',
      `The sandbox keeps its own files in ${base}, which ${root} would make writable. ${remedy}`,
    );
  }
  const directories = {
    temporary: join(base, 'tmp'),
    emptyDirectory: join(base, 'empty'),
    emptyFile: join(base, 'empty-file'),
  };
  await files.makeDirectory(directories.temporary, { mode: 0o700 });
  await Promise.all([
    files.makeDirectory(directories.emptyDirectory, { mode: 0o555 }),
    createEmptyFile(files, directories.emptyFile),
  ]);
  return directories;
}

async function createEmptyFile(files: Files, path: string): Promise<void> {
  try {
    await (await files.open(path, 'create', { mode: 0o444 })).close();
  } catch (thrown) {
    if (getSystemErrorCode(thrown) !== 'EEXIST') throw thrown;
  }
}
