// Finds out how the running program was installed, and which command updates it. Only looks at paths and files.
import { dirname, join, sep } from 'node:path';
import type { Files } from '../../contracts/index.ts';

export interface Installation {
  readonly kind: 'git-checkout' | 'npx' | 'global' | 'local' | 'unknown';
  /** Completes "Installed as". */
  readonly description: string;
  /** The directory of the package. */
  readonly directory: string;
  /** A shell command. */
  readonly updateCommand: string;
}

/** `program` is the path of the started file; links are resolved. */
export async function findInstallation(files: Files, program: string, packageName: string): Promise<Installation> {
  const directory = await findPackageDirectory(files, await files.realPath(program), packageName);
  const latest = `${packageName}@latest`;
  if (directory === undefined) {
    const reinstall = `npm install -g ${latest}`;
    return { kind: 'unknown', description: 'a copied file', directory: dirname(program), updateCommand: reinstall };
  }
  const at = { directory };
  if (await files.info(join(directory, '.git'))) {
    const updateCommand = `cd ${quotePath(directory)} && git pull && npm ci`;
    return { ...at, kind: 'git-checkout', description: `a git checkout in ${directory}`, updateCommand };
  }
  if (directory.includes(`${sep}_npx${sep}`))
    return { ...at, kind: 'npx', description: 'a copy of npx', updateCommand: `npx ${latest}` };
  const global = GLOBAL_DIRECTORIES.find(([part]) => directory.includes(part.replaceAll('/', sep)));
  if (global) {
    const [, manager, command] = global;
    return {
      ...at,
      kind: 'global',
      description: `a global package of ${manager}`,
      updateCommand: `${command} ${latest}`,
    };
  }
  const project = getProjectDirectory(directory);
  if (project !== undefined && (await files.info(join(project, 'package.json')))) {
    const updateCommand = `cd ${quotePath(project)} && ${await chooseInstallCommand(files, project)} ${latest}`;
    return { ...at, kind: 'local', description: `a dependency of ${project}`, updateCommand };
  }
  return { ...at, kind: 'global', description: 'a global package of npm', updateCommand: `npm install -g ${latest}` };
}

const GLOBAL_DIRECTORIES = [
  ['/.bun/install/global/', 'Bun', 'bun add -g'],
  ['/pnpm/global/', 'pnpm', 'pnpm add -g'],
  ['/yarn/global/', 'Yarn', 'yarn global add'],
] as const;

const LOCK_FILES = [
  ['pnpm-lock.yaml', 'pnpm add'],
  ['yarn.lock', 'yarn add'],
  ['bun.lock', 'bun add'],
  ['bun.lockb', 'bun add'],
] as const;

async function chooseInstallCommand(files: Files, project: string): Promise<string> {
  for (const [lockFile, command] of LOCK_FILES) {
    if (await files.info(join(project, lockFile))) return command;
  }
  return 'npm install';
}

function quotePath(path: string): string {
  return /^[\w./@:+-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

/** The directory that contains the outermost node_modules: pnpm nests another one in it. */
function getProjectDirectory(directory: string): string | undefined {
  const at = directory.indexOf(`${sep}node_modules${sep}`);
  return at === -1 ? undefined : directory.slice(0, at);
}

async function findPackageDirectory(files: Files, program: string, packageName: string): Promise<string | undefined> {
  for (let folder = dirname(program); folder !== dirname(folder); folder = dirname(folder)) {
    const path = join(folder, 'package.json');
    if (!(await files.info(path))) continue;
    // dist/ has a package.json without a name.
    const { name } = JSON.parse(new TextDecoder().decode(await files.read(path))) as { name?: string };
    if (name === packageName) return folder;
  }
  return undefined;
}
