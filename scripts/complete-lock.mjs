// Adds optional binaries of other platforms to package-lock.json that the registry did not offer when the file was created. Without
// them `npm ci` rejects the file, and other platforms would get no binary.
// @ts-check
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const OS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const CPU = ['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64'];

/** @typedef {{ version?: string, dev?: boolean, optional?: boolean, os?: string[], cpu?: string[], libc?: string[], optionalDependencies?: Record<string, string> }} Entry */

const file = fileURLToPath(new URL('../package-lock.json', import.meta.url));
const lock = JSON.parse(await readFile(file, 'utf8'));
const added = findMissingEntries(lock.packages);
if (added.length > 0) {
  lock.packages = Object.fromEntries([...Object.entries(lock.packages), ...added].sort(comparePaths));
  await writeFile(file, `${JSON.stringify(lock, null, 2)}\n`);
}
console.error(`package-lock.json: ${added.length} entries added`);

/**
 * @param {Record<string, Entry>} packages
 * @returns {[string, Entry][]}
 */
function findMissingEntries(packages) {
  return Object.values(packages).flatMap(({ dev, optionalDependencies = {} }) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => !packages[`node_modules/${name}`])
      .map(
        ([name, version]) => /** @type {[string, Entry]} */ ([`node_modules/${name}`, createEntry(name, version, dev)]),
      ),
  );
}

/**
 * @param {string} name
 * @param {string} version
 * @param {boolean | undefined} dev
 * @returns {Entry}
 */
function createEntry(name, version, dev) {
  const words = name.split(/[-/]/);
  const os = OS.filter((word) => words.includes(word));
  const cpu = CPU.filter((word) => words.includes(word));
  // Without os and cpu, npm would try to install the package on every platform.
  if (os.length + cpu.length === 0)
    throw new Error(`${name}@${version} is missing, and its name does not contain a platform`);
  const libc = name.includes('musl') ? ['musl'] : name.endsWith('-gnu') ? ['glibc'] : [];
  return {
    version,
    ...(cpu.length > 0 && { cpu }),
    ...(dev && { dev }),
    ...(libc.length > 0 && { libc }),
    optional: true,
    ...(os.length > 0 && { os }),
  };
}

/**
 * @param {[string, unknown]} a
 * @param {[string, unknown]} b
 */
function comparePaths([a], [b]) {
  return a < b ? -1 : a > b ? 1 : 0;
}
