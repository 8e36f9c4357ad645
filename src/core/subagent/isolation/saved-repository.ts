// Saves repositories that a task created inside its worktree, and copies them into the main tree.
import { Fault } from '../../../base/index.ts';
import type { Ports } from '../../../contracts/index.ts';
import { buildProgramPath, createGit } from '../../git/git.ts';
import type { GitScratch } from './snapshot.ts';

export interface SavedRepository {
  /** Path relative to the enclosing repository. */
  readonly path: string;
  readonly keptPath: string;
}

/** Copies all files, also ignored ones, because they may not be reproducible. `target` is the path of the copies without its extension. */
export async function saveRepositories(
  { ports }: GitScratch,
  directory: string,
  paths: readonly string[],
  target: string,
): Promise<SavedRepository[]> {
  const saved: SavedRepository[] = [];
  for (const [index, path] of paths.entries()) {
    const keptPath = `${target}.repository-${index + 1}`;
    await copyFolder(ports, `${directory}/${path}`, keptPath);
    await copyGitDirectory(ports, `${directory}/${path}`, keptPath);
    saved.push({ path, keptPath });
  }
  return saved;
}

/** The git directory of a submodule is outside its folder. It is copied too. */
async function copyGitDirectory(ports: Ports, from: string, to: string): Promise<void> {
  const { files } = ports;
  if ((await files.info(`${to}/.git`))?.kind === 'directory') return;
  const gitDirectory = await createGit(ports, from).text(['rev-parse', '--absolute-git-dir']);
  await files.remove(`${to}/.git`);
  // A worktree of another repository: that repository already has its commits.
  if (await files.info(`${gitDirectory}/commondir`)) return;
  await copyFolder(ports, gitDirectory, `${to}/.git`);
  // Run outside the copy: inside it git would follow the core.worktree that is to be removed.
  await createGit(ports, '/').run(['config', '--file', `${to}/.git/config`, '--unset', 'core.worktree']);
}

export async function isPathFree({ files }: Ports, root: string, { path }: SavedRepository): Promise<boolean> {
  return (await files.info(`${root}/${path}`, { follow: false })) === undefined;
}

export async function installRepository(
  ports: Ports,
  root: string,
  { path, keptPath }: SavedRepository,
): Promise<void> {
  const parent = `${root}/${path}`.replace(/\/[^/]*$/, '');
  await ports.files.makeDirectory(parent);
  await copyFolder(ports, keptPath, `${root}/${path}`);
}

/** Removes a repository that was copied completely or partly. Returns `false` and keeps it when its files were changed since. */
export async function removeInstalledRepository(
  ports: Ports,
  root: string,
  { path, keptPath }: SavedRepository,
): Promise<boolean> {
  const installedPath = `${root}/${path}`;
  if (!(await ports.files.info(installedPath))) return true;
  const { output } = await runCommand(ports, 'diff', ['-r', '--no-dereference', keptPath, installedPath]);
  const isUnchanged = output.split('\n').every((line) => line === '' || line.startsWith(`Only in ${keptPath}`));
  if (isUnchanged) await ports.files.remove(installedPath, { recursive: true });
  return isUnchanged;
}

async function copyFolder(ports: Ports, from: string, to: string): Promise<void> {
  const { code, output } = await runCommand(ports, 'cp', ['-a', from, to]);
  if (code !== 0) throw new Fault('tool_failed', `Cannot copy ${from}: ${output.trim()}`);
}

async function runCommand(
  ports: Ports,
  command: string,
  args: readonly string[],
): Promise<{ code: number; output: string }> {
  const decoder = new TextDecoder();
  let output = '';
  const child = await ports.processes.spawn({
    command,
    args,
    cwd: '/',
    env: { ...ports.toolEnv, PATH: buildProgramPath(ports.toolEnv, '/'), LC_ALL: 'C' },
    onOutput(chunk) {
      output += decoder.decode(chunk, { stream: true });
    },
  });
  return { code: (await child.finished).code ?? 1, output };
}
