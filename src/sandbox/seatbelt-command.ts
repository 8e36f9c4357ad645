// Runs commands in the sandbox of macOS, Seatbelt, with its program sandbox-exec.
import { join } from 'node:path';
import type { Ports, ProcessSandbox, SandboxedCommand } from '../contracts/index.ts';
import { openCommandNetwork } from './command-network.ts';
import { explainFailure } from './explain-failure.ts';
import { planMounts } from './plan-mounts.ts';
import { createProbeCache, createProblemFault, runToEnd, type SandboxProblem } from './probe-program.ts';
import { buildSandboxEnv } from './sandbox-env.ts';
import type { SandboxOptions } from './sandbox-options.ts';
import { buildSeatbeltProfile, type SeatbeltRequest } from './seatbelt-profile.ts';

/** Never searched in the PATH. The system protects the directory. */
const SANDBOX_EXEC = '/usr/bin/sandbox-exec';
const probeOnce = createProbeCache<object>();

export async function findSeatbeltProblem(
  ports: Pick<Ports, 'files' | 'processes'>,
): Promise<SandboxProblem | undefined> {
  const remedy = 'Use --sandbox off, or run Parley in a container.';
  const info = await ports.files.info(SANDBOX_EXEC).catch(() => undefined);
  if (info?.kind !== 'file') return { reason: `${SANDBOX_EXEC} is missing`, remedy };
  const result = await probeOnce(ports, SANDBOX_EXEC, async () => {
    const args = buildArguments({ mounts: new Map(), temporary: '/private/tmp', network: 'off' });
    const { code, output } = await runToEnd(ports, SANDBOX_EXEC, [...args, '/usr/bin/true']);
    return code === 0 ? {} : { reason: `${SANDBOX_EXEC} failed: ${output || `exit code ${code}`}`, remedy };
  });
  return 'reason' in result ? result : undefined;
}

export async function wrapWithSeatbelt(
  options: SandboxOptions,
  request: Parameters<ProcessSandbox['wrap']>[0],
  description: string,
): Promise<SandboxedCommand> {
  const { files } = options.ports;
  const problem = await findSeatbeltProblem(options.ports);
  if (problem) throw createProblemFault(problem);
  const { mounts } = await planMounts(options);
  const directory = join(await options.temporaryDirectory(), 'tmp');
  await files.makeDirectory(directory, { mode: 0o700 });
  const temporary = await files.realPath(directory);
  const network = await openCommandNetwork(options);
  const access = options.network === 'on' ? 'on' : network ? { port: network.port } : 'off';
  const { command, args } = network?.wrapCommand(request) ?? request;
  return {
    command: SANDBOX_EXEC,
    args: [...buildArguments({ mounts, temporary, network: access }), command, ...args],
    cwd: request.cwd,
    env: { ...buildSandboxEnv(request.env, temporary), TMPDIR: temporary, ...network?.env },
    release: async () => network?.close(),
    explainFailure: (run) =>
      explainFailure(run, { ...options, description, explainRefusals: network?.explainRefusals }),
  };
}

function buildArguments(request: SeatbeltRequest): string[] {
  const { text, parameters } = buildSeatbeltProfile(request);
  return [...[...parameters].flatMap(([name, value]) => ['-D', `${name}=${value}`]), '-p', text, '--'];
}
