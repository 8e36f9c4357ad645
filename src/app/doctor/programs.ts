// The hall, doctor: the programs that Parley leans on. Starts each once, to see that it starts.
import { messageOf } from '../../base/index.ts';
import type { Ports } from '../../contracts/index.ts';
import { error, type Finding, ok, warning } from './finding.ts';

const OLDEST_NODE = 20;

export function checkNode(version: string): Finding {
  if (Number.parseInt(version, 10) >= OLDEST_NODE) return ok('node', version);
  return error('node', version, `Install Node ${OLDEST_NODE} or newer; https://nodejs.org has it.`);
}

/** Programs that remove ended processes whose parent is gone, as process 1 must. Node and Bun do not. */
const NOT_INIT = /^(node|bun|parley|MainThread)\b/;

/** `first`: the name of process 1, where the system tells it. */
export function checkInit(pid: number, first: string | undefined): Finding[] {
  if (pid !== 1 && !NOT_INIT.test(first ?? '')) return [];
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
    return ok('git', await firstLine(ports, cwd, 'git'));
  } catch (thrown) {
    const found = `git cannot be started: ${messageOf(thrown)}`;
    return warning('git', found, 'Install git and put it on the PATH; subagents cannot work in isolation without it.');
  }
}

export async function checkRipgrep(ports: Ports, cwd: string): Promise<Finding> {
  try {
    const { rgPath } = await import('@vscode/ripgrep');
    return ok('ripgrep', await firstLine(ports, cwd, rgPath));
  } catch (thrown) {
    const found = `ripgrep cannot be started: ${messageOf(thrown)}`;
    const mend =
      'Install Parley again with its optional packages (npm install -g parley-agent); grep and find need it.';
    return error('ripgrep', found, mend);
  }
}

async function firstLine(ports: Ports, cwd: string, command: string): Promise<string> {
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
