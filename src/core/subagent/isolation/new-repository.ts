// First floor, core: a repository that a task made inside its copy: kept whole, and put into the main tree where nothing is yet.
import { Fault } from '../../../base/index.ts';
import type { Ports } from '../../../contracts/index.ts';
import { createGit } from '../../git/git.ts';
import type { Workshop } from './snapshot.ts';

export interface KeptRepository {
  /** In the repository that it is inside of. */
  readonly path: string;
  readonly keptPath: string;
}

/** With everything in it, also what git ignores: nobody knows how to make it again. `target` is the copies' path without its ending. */
export async function keepRepositories(
  { ports }: Workshop,
  directory: string,
  paths: readonly string[],
  target: string,
): Promise<KeptRepository[]> {
  const kept: KeptRepository[] = [];
  for (const [index, path] of paths.entries()) {
    const keptPath = `${target}.repository-${index + 1}`;
    await copyFolder(ports, `${directory}/${path}`, keptPath);
    await ownHistory(ports, `${directory}/${path}`, keptPath);
    kept.push({ path, keptPath });
  }
  return kept;
}

/** The history of a submodule lies elsewhere, and goes with the copy. */
async function ownHistory(ports: Ports, from: string, to: string): Promise<void> {
  const { files } = ports;
  if ((await files.info(`${to}/.git`))?.kind === 'directory') return;
  const history = await createGit(ports, from).text(['rev-parse', '--absolute-git-dir']);
  await files.remove(`${to}/.git`);
  // A worktree of another repository: its commits are there already.
  if (await files.info(`${history}/commondir`)) return;
  await copyFolder(ports, history, `${to}/.git`);
  // From outside, because inside git would go where it says.
  await createGit(ports, '/').run(['config', '--file', `${to}/.git/config`, '--unset', 'core.worktree']);
}

export async function isFree({ files }: Ports, root: string, { path }: KeptRepository): Promise<boolean> {
  return (await files.info(`${root}/${path}`, { follow: false })) === undefined;
}

export async function placeRepository(ports: Ports, root: string, { path, keptPath }: KeptRepository): Promise<void> {
  const parent = `${root}/${path}`.replace(/\/[^/]*$/, '');
  await ports.files.makeDirectory(parent);
  await copyFolder(ports, keptPath, `${root}/${path}`);
}

/** Removes one that was placed, whole or in part. `false`: somebody has worked in it since, so it stays. */
export async function takeBack(ports: Ports, root: string, { path, keptPath }: KeptRepository): Promise<boolean> {
  const placed = `${root}/${path}`;
  if (!(await ports.files.info(placed))) return true;
  const { output } = await run(ports, 'diff', ['-r', '--no-dereference', keptPath, placed]);
  const isOurs = output.split('\n').every((line) => line === '' || line.startsWith(`Only in ${keptPath}`));
  if (isOurs) await ports.files.remove(placed, { recursive: true });
  return isOurs;
}

async function copyFolder(ports: Ports, from: string, to: string): Promise<void> {
  const { code, output } = await run(ports, 'cp', ['-a', from, to]);
  if (code !== 0) throw new Fault('tool_failed', `Cannot copy ${from}: ${output.trim()}`);
}

async function run(ports: Ports, command: string, args: readonly string[]): Promise<{ code: number; output: string }> {
  const decoder = new TextDecoder();
  let output = '';
  const child = await ports.processes.spawn({
    command,
    args,
    cwd: '/',
    env: { ...ports.toolEnv, LC_ALL: 'C' },
    onOutput(chunk) {
      output += decoder.decode(chunk, { stream: true });
    },
  });
  return { code: (await child.finished).code ?? 1, output };
}
