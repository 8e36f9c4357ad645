// `npm run test:clients`: runs clients of other projects against the built program, with its offline model. The packages are installed
// with npm into node_modules/.cache. With arguments, only clients whose name contains one of them.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const program = join(root, 'dist/cli.js');
const cache = join(root, 'node_modules/.cache/parley-clients');

/** `packages` are installed without the packages that they depend on, unless `withDependencies` is set. */
const CLIENTS = [
  ...['0.58.4', '0.73.1'].map((version) => createPiClient('@mariozechner/pi-coding-agent', version)),
  ...['0.74.2', '1.5.0'].map((version) => createPiClient('@earendil-works/pi-coding-agent', version)),
  {
    ...createPiClient('@earendil-works/pi-coding-agent', '1.5.0'),
    name: 'pi 1.5.0 --dialect pi',
    flags: ['--dialect', 'pi'],
  },
  {
    name: 'omp 18.3.4',
    packages: { '@oh-my-pi/pi-coding-agent': '18.3.4' },
    driver: 'omp-rpc-client.mjs',
    directory: 'node_modules/@oh-my-pi/pi-coding-agent',
    version: '18.3.4',
  },
  {
    name: 'acpx 0.1.15 through pi-acp',
    packages: { acpx: '0.1.15', 'pi-acp': '0.0.34' },
    withDependencies: true,
    driver: 'acpx.mjs',
    directory: '.',
    version: '0.1.15',
  },
  createAcpx('0.1.15', {}),
  // Needs Node 22, which may be newer than the Node of this script.
  createAcpx('0.19.1', { [`node-${process.platform}-${process.arch}`]: '22.23.3' }),
];

function createAcpx(version, more) {
  const packages = { acpx: version, ...more };
  const name = `acpx ${version} with parley acp`;
  return { name, packages, withDependencies: true, driver: 'acpx-native.mjs', directory: '.', version };
}

function createPiClient(name, version) {
  const directory = `node_modules/${name}`;
  return { name: `pi ${version}`, packages: { [name]: version }, driver: 'pi-rpc-client.mjs', directory, version };
}

function install({ packages, withDependencies }) {
  const specs = Object.entries(packages).map(([name, version]) => `${name}@${version}`);
  const directory = join(cache, specs.join('+').replace(/[^\w.+-]/g, '-'));
  if (existsSync(join(directory, 'installed'))) return directory;
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'package.json'), '{"private":true}\n');
  if (withDependencies) run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...specs], directory);
  else for (const spec of specs) unpack(spec, directory);
  writeFileSync(join(directory, 'installed'), '');
  return directory;
}

/** Some of these packages depend on packages that are not published. The clients do not need them. */
function unpack(spec, directory) {
  const name = spec.slice(0, spec.lastIndexOf('@'));
  const target = join(directory, 'node_modules', name);
  mkdirSync(target, { recursive: true });
  const archive = execFileSync('npm', ['pack', '--silent', spec], { cwd: directory, encoding: 'utf8' }).trim();
  run('tar', ['xzf', join(directory, archive), '--strip-components=1', '-C', target], directory);
}

function run(command, commandArguments, cwd) {
  execFileSync(command, commandArguments, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
}

const selected = process.argv.slice(2);
let failed = 0;
for (const client of CLIENTS) {
  if (selected.length > 0 && !selected.some((text) => client.name.includes(text))) continue;
  const directory = install(client);
  const driver = join(root, 'scripts/clients', client.driver);
  const driverArguments = [driver, join(directory, client.directory), program, client.version, ...(client.flags ?? [])];
  const { status } = spawnSync(process.execPath, driverArguments, { stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) failed += 1;
}
process.exitCode = failed > 0 ? 1 : 0;
