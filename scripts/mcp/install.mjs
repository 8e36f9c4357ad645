// Installs npm packages for `npm run test:mcp` into node_modules/.cache, and finds a Node that can run them.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const cache = join(root, 'node_modules/.cache/parley-mcp');

/**
 * @param {Readonly<Record<string, string>>} packages Versions by name.
 * @returns The directory with their node_modules.
 */
export function install(packages) {
  const specs = Object.entries(packages).map(([name, version]) => `${name}@${version}`);
  const directory = join(cache, specs.join('+').replace(/[^\w.+-]/g, '-'));
  if (existsSync(join(directory, 'installed'))) return directory;
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'package.json'), '{"private":true}\n');
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
  execFileSync('npm', ['install', ...flags, ...specs], { cwd: directory, stdio: ['ignore', 'ignore', 'inherit'] });
  writeFileSync(join(directory, 'installed'), '');
  return directory;
}

/** The conformance runner needs Node 22. The npm packages `node-PLATFORM-ARCH` contain a binary. */
export function findNode22() {
  if (Number(process.versions.node.split('.')[0]) >= 22) return process.execPath;
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const binary = process.platform === 'win32' ? 'bin/node.exe' : 'bin/node';
  return join(install({ [name]: '22' }), 'node_modules', name, binary);
}
