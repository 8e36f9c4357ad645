// Runs the program that provides the sandbox once per process, because many systems have it and forbid what it needs.
import { Fault, getErrorMessage } from '../base/index.ts';
import type { Ports, Processes } from '../contracts/index.ts';

export interface SandboxProblem {
  readonly reason: string;
  readonly remedy: string;
}

type ProbePorts = Pick<Ports, 'processes'>;

const MAX_OUTPUT_CHARACTERS = 2000;

export function isProblem<T extends object>(result: T | SandboxProblem): result is SandboxProblem {
  return 'reason' in result;
}

export function createProblemFault({ reason, remedy }: SandboxProblem): Fault {
  return new Fault('refused', `The command was not run, because the sandbox is not available: ${reason}. ${remedy}`);
}

/** Keeps the result of `probe` for each program. */
export function createProbeCache<T extends object>(): (
  ports: ProbePorts,
  path: string,
  probe: () => Promise<T | SandboxProblem>,
) => Promise<T | SandboxProblem> {
  const probes = new WeakMap<Processes, Map<string, Promise<T | SandboxProblem>>>();
  return ({ processes }, path, probe) => {
    const known = probes.get(processes) ?? new Map<string, Promise<T | SandboxProblem>>();
    probes.set(processes, known);
    const result = known.get(path) ?? probe();
    known.set(path, result);
    return result;
  };
}

export async function runToEnd(
  { processes }: ProbePorts,
  command: string,
  args: readonly string[],
): Promise<{ code: number | null; output: string }> {
  let output = '';
  const onOutput = (chunk: Uint8Array) => {
    if (output.length < MAX_OUTPUT_CHARACTERS) output += Buffer.from(chunk).toString('utf8');
  };
  try {
    const child = await processes.spawn({ command, args, cwd: '/', env: {}, onOutput });
    const { code } = await child.finished;
    return { code, output: output.trim() };
  } catch (thrown) {
    return { code: null, output: getErrorMessage(thrown) };
  }
}
