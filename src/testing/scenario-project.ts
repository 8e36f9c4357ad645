// The project directory of a scenario: writes its files and runs shell commands in it.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Ports } from '../contracts/index.ts';
import type { TranscriptStep } from './transcript.ts';

/** A fixed author, independent of the git configuration of the machine. */
const GIT_ENVIRONMENT = {
  GIT_AUTHOR_NAME: 'Test User',
  GIT_AUTHOR_EMAIL: 'test@localhost',
  GIT_COMMITTER_NAME: 'Test User',
  GIT_COMMITTER_EMAIL: 'test@localhost',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
};

/** The argument is `path "text"`. The agent directory is `../home`. */
export async function writeProjectFile(cwd: string, argument: string): Promise<void> {
  const [path = ''] = argument.split(' ', 1);
  await mkdir(dirname(join(cwd, path)), { recursive: true });
  await writeFile(join(cwd, path), JSON.parse(argument.slice(path.length)));
}

/** Writes the extensions into the user's extension directory. */
export async function writeExtensions(steps: readonly TranscriptStep[], folder: string): Promise<void> {
  for (const { keyword, argument, body = '' } of steps) {
    if (keyword !== 'extension') continue;
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, argument), body);
  }
}

export async function runInShell({ processes, toolEnv }: Ports, cwd: string, command: string): Promise<void> {
  const output: Uint8Array[] = [];
  const { finished } = await processes.spawn({
    command: 'sh',
    args: ['-c', command],
    cwd,
    env: { ...toolEnv, ...GIT_ENVIRONMENT },
    onOutput: (chunk) => void output.push(chunk),
  });
  const { code } = await finished;
  if (code !== 0) throw new Error(`exit code ${code}: ${Buffer.concat(output)}`);
}
