// Runs commands in the sandbox of Linux with bubblewrap.
import { dirname, join } from 'node:path';
import { Fault, getSystemErrorCode } from '../base/index.ts';
import type { Files, ProcessSandbox, SandboxedCommand } from '../contracts/index.ts';
import { isInside } from '../support/path-checks.ts';
import { buildBwrapArguments, type PrivateDirectories } from './bwrap-arguments.ts';
import { openCommandNetwork } from './command-network.ts';
import { explainFailure } from './explain-failure.ts';
import { findBwrap } from './find-bwrap.ts';
import { watchNamespaceEnd } from './namespace-end.ts';
import { holdPlaceholders } from './placeholders.ts';
import { planMounts } from './plan-mounts.ts';
import { createProblemFault, isProblem } from './probe-program.ts';
import { buildSandboxEnv } from './sandbox-env.ts';
import type { SandboxOptions } from './sandbox-options.ts';

export async function wrapWithBwrap(
  options: SandboxOptions,
  request: Parameters<ProcessSandbox['wrap']>[0],
  description: string,
): Promise<SandboxedCommand> {
  const { ports } = options;
  const [plan, directories] = await Promise.all([planMounts(options), createPrivateDirectories(options)]);
  checkPrivateDirectories(directories, plan.writableRoots);
  const bwrap = await findBwrap(ports, plan.writableRoots);
  if (isProblem(bwrap)) throw createProblemFault(bwrap);
  const network = await openCommandNetwork(options);
  const removePlaceholders = await holdPlaceholders({ ...options, ...ports }, plan.placeholders).catch(
    async (thrown: unknown) => {
      await network?.close();
      throw thrown;
    },
  );
  const args = buildBwrapArguments({
    ...{ plan, directories, socket: network?.socket, runtime: network?.runtime, cwd: request.cwd },
    ...(network?.wrapCommand(request) ?? { command: request.command, args: request.args }),
    hasNetwork: options.network === 'on',
    canDisableUserNamespaces: bwrap.canDisableUserNamespaces,
  });
  const env = { ...buildSandboxEnv(request.env, '/tmp'), ...network?.env };
  const namespaceEnd = watchNamespaceEnd(ports.files, ports.clock);
  return {
    ...{ command: bwrap.path, args, cwd: request.cwd, env, onInfo: namespaceEnd.onInfo },
    async release() {
      await namespaceEnd.wait();
      removePlaceholders();
      await network?.close();
    },
    explainFailure: (run) =>
      explainFailure(run, { ...options, description, explainRefusals: network?.explainRefusals }),
  };
}

async function createPrivateDirectories({
  ports: { files },
  temporaryDirectory,
}: SandboxOptions): Promise<PrivateDirectories> {
  const base = await files.realPath(await temporaryDirectory());
  const directories = { temporary: join(base, 'tmp'), emptyFile: join(base, 'empty-file') };
  await files.makeDirectory(directories.temporary, { mode: 0o700 });
  await createEmptyFile(files, directories.emptyFile);
  return directories;
}

/** Commands must not be able to replace them: they are mounted for the next command. */
function checkPrivateDirectories({ temporary }: PrivateDirectories, writableRoots: readonly string[]): void {
  const root = writableRoots.find((path) => isInside(path, temporary));
  if (root === undefined) return;
  const base = dirname(temporary);
  const remedy = `Work in another directory, remove ${root} from sandbox.writableRoots (commands have their own /tmp), or set TMPDIR to another directory.`;
  throw new Fault(
    'refused',
    `The sandbox keeps its own files in ${base}, which ${root} would make writable. ${remedy}`,
  );
}

async function createEmptyFile(files: Files, path: string): Promise<void> {
  try {
    await (await files.open(path, 'create', { mode: 0o444 })).close();
  } catch (thrown) {
    if (getSystemErrorCode(thrown) !== 'EEXIST') throw thrown;
  }
}
