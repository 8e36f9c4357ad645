// Checks Node, the init process, git and ripgrep. Runs git and ripgrep once with --version.
import { getErrorMessage } from '../../base/index.ts';
import type { Ports } from '../../contracts/index.ts';
import { error, type Finding, ok, warning } from './finding.ts';

const MIN_NODE_MAJOR = 20;

export function checkNode(version: string): Finding {
  if (Number.parseInt(version, 10) >= MIN_NODE_MAJOR) return ok('node', version);
  return error('node', version, `Install Node ${MIN_NODE_MAJOR} or newer from https://nodejs.org.`);
}

/** Names of programs that do not reap orphaned processes, as process 1 must. */
const NON_INIT_PROCESS = /^(node|bun|parley|MainThread)\b/;

/** `initName` is the name of process 1, where the system reports it. */
export function checkInit(pid: number, initName: string | undefined): Finding[] {
  if (pid !== 1 && !NON_INIT_PROCESS.test(initName ?? '')) return [];
  const found = 'process 1 of this container is not an init: processes that commands leave behind stay as zombies';
  return [
    warning(
      'processes',
      found,
      'Start the container with --init (docker run --init), or with tini as its entry point.',
    ),
  ];
}

export async function checkGit(ports: Ports, cwd: string): Promise<Finding> {
  try {
    return ok('git', await readVersionLine(ports, cwd, 'git'));
  } catch (thrown) {
    const found = `git cannot be started: ${getErrorMessage(thrown)}`;
    return warning('git', found, 'Install git and put it on the PATH; subagents cannot work in isolation without it.');
  }
}

export async function checkRipgrep(ports: Ports, cwd: string): Promise<Finding> {
  try {
    const { rgPath } = await import('@vscode/ripgrep');
    return ok('ripgrep', await readVersionLine(ports, cwd, rgPath));
  } catch (thrown) {
    const found = `ripgrep cannot be started: ${getErrorMessage(thrown)}`;
    const remedy =
      'Install Parley again with its optional packages (npm install -g parley-agent); grep and find need it.';
    return error('ripgrep', found, remedy);
  }
}

async function readVersionLine(ports: Ports, cwd: string, command: string): Promise<string> {
  let output = '';
  const child = await ports.processes.spawn({
    command,
    args: ['--version'],
    cwd,
    env: ports.toolEnv,
    onOutput(chunk) {
      output += Buffer.from(chunk).toString('utf8');
    },
  });
  const { code } = await child.finished;
  if (code !== 0) throw new Error(`it exited with code ${code}`);
  return output.split('\n')[0]?.trim() ?? '';
}
