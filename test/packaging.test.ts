// Installs the packed package without scripts, and checks the command, the four entry points and their types.
import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packPackage } from './support/pack-package.ts';
import { ALL_PAGES, blocksOf } from './support/pages.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));

let directories = '';
let project = '';
let installed = '';
let packed: string[] = [];

beforeAll(async () => {
  directories = await mkdtemp(join(tmpdir(), 'parley-packaging-'));
  const archive = await packPackage(directories);
  packed = [...archive.files];

  project = join(directories, 'project');
  await mkdir(project);
  await writeFile(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const quiet = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
  await run('npm', ['install', ...quiet, archive.path], { cwd: project });
  installed = join(project, 'node_modules/parley-agent');
});

afterAll(() => rm(directories, { recursive: true, force: true }));

test('the archive has the built files and documents, not the sources', () => {
  expect(packed).toEqual(expect.arrayContaining(['dist/cli.js', 'LICENSE', 'CHANGELOG.md', 'package.json']));
  expect(packed.filter((path) => /^(src|web|test|bench|scripts)\//.test(path))).toEqual([]);
  expect(packed.filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))).toEqual([]);
});

test('the archive has the page, with every file that it names', async () => {
  const pages = ['dist/web/index.html', 'dist/web/docs.html'];
  expect(packed).toEqual(expect.arrayContaining(pages));
  for (const page of pages) {
    const html = await readFile(join(installed, page), 'utf8');
    const names = [...html.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, name]) => `dist/web/${name}`);
    expect(names.length).toBeGreaterThan(1);
    expect(packed).toEqual(expect.arrayContaining(names));
    expect(html).not.toMatch(/https?:\/\/|<style|<script(?![^>]*src=)| style=| on\w+=/);
  }
});

test('every relative link of the packed pages leads to a packed file', async () => {
  const pages = packed.filter((path) => path.endsWith('.md') && !path.startsWith('dist/'));
  expect(pages).toEqual(expect.arrayContaining(['README.md', 'CHANGELOG.md', 'docs/command-line.md']));
  const broken: string[] = [];
  for (const page of pages) {
    const text = (await readFile(join(installed, page), 'utf8')).replace(/^```.*?^```$/gms, '');
    for (const [, target = ''] of text.matchAll(/\]\(([^)\s]*)\)/g)) {
      const [path = ''] = target.split('#');
      const isPacked = path === '' || packed.includes(posix.join(posix.dirname(page), path));
      const isAddress = /^https:\/\/[\w.-]+\.[a-z]+(\/[^\s]*)?$/.test(target);
      if (!isPacked && !isAddress) broken.push(`${page}: ${target}`);
    }
  }
  expect(broken).toEqual([]);
});

/** Pages whose shell blocks need no block in another language before them. */
const SHELL_PAGES = ALL_PAGES.filter((page) => {
  const languages = blocksOf(page).map(({ language }) => language);
  return languages.length > 0 && languages.every((language) => language === 'bash');
});

test('README and the pages for users have command lines to run', () => {
  const expected = ['README.md', 'docs/command-line.md', 'docs/getting-started.md', 'docs/troubleshooting.md'];
  expect(SHELL_PAGES).toEqual(expect.arrayContaining(expected));
});

test.each(SHELL_PAGES)('the command lines of %s work with the installed command', async (page) => {
  const cwd = await mkdtemp(join(directories, 'page-'));
  const home = join(cwd, 'home');
  await mkdir(home, { mode: 0o700 });
  await mkdir(join(cwd, 'work'));
  const path = [join(project, 'node_modules/.bin'), dirname(process.execPath), process.env.PATH].join(delimiter);
  const env = { PATH: path, HOME: home, PARLEY_DIR: home };
  await writeFile(join(cwd, 'work/README.md'), '# A project\n');
  for (const { code, output } of blocksOf(page)) {
    const running = run('bash', ['-euc', code], { cwd: join(cwd, 'work'), env });
    running.child.stdin?.end();
    const { stdout } = await running;
    for (const line of output) expect(stdout).toContain(line);
  }
});

test('the command starts from another directory and prints its version', async () => {
  const command = join(project, 'node_modules/.bin/parley');
  const { version } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
  expect((await stat(join(installed, 'dist/cli.js'))).mode & 0o111).toBe(0o111);
  const { stdout, stderr } = await run(command, ['--version'], { cwd: directories });
  expect([stdout.trim(), stderr]).toEqual([version, '']);
  expect((await run(command, ['--help'])).stdout).toContain('--mode text|json|rpc');
});

test('the command answers a host in RPC mode', async () => {
  const command = join(project, 'node_modules/.bin/parley');
  const env = { ...process.env, PARLEY_DIR: join(directories, 'home') };
  const child = spawn(command, ['--mode', 'rpc', '--no-session', '--provider', 'parley', '--model', 'offline'], {
    cwd: project,
    env,
  });
  child.stdin.end('{"id":"1","type":"get_state"}\n');
  let output = '';
  for await (const chunk of child.stdout) output += chunk;
  const frames = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(frames).toContainEqual(expect.objectContaining({ id: '1', command: 'get_state', success: true }));
});

test('the four entry points can be imported, and the library knows its version', async () => {
  const script = `
    const entryPoints = ['parley-agent', 'parley-agent/client', 'parley-agent/protocol', 'parley-agent/testing'];
    const counts = await Promise.all(entryPoints.map(async (name) => Object.keys(await import(name)).length));
    process.stdout.write(JSON.stringify(counts));`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: project });
  const counts: number[] = JSON.parse(stdout);
  expect(counts).toHaveLength(4);
  expect(Math.min(...counts)).toBeGreaterThan(0);
  const { version } = await import(join(installed, 'dist/lib/support/version.js'));
  expect(version()).toBe(JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')).version);
});

test('every model API can be loaded, with bundled packages that are not installed', async () => {
  const script = `
    const { createApiLoaders } = await import(process.argv[1]);
    const loaders = Object.entries(createApiLoaders({ clock: Date, wire: {}, env: {} }));
    const loaded = await Promise.all(loaders.map(async ([name, load]) => (await load()).stream ? name : ''));
    process.stdout.write(JSON.stringify(loaded));`;
  const formats = join(installed, 'dist/lib/llm/api-loaders.js');
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script, formats], { cwd: project });
  expect(JSON.parse(stdout)).toEqual(expect.arrayContaining(['google-generative-ai', 'bedrock-converse-stream']));
  expect(existsSync(join(project, 'node_modules/@ai-sdk'))).toBe(false);
});

test('the types compile in a strict project', async () => {
  await mkdir(join(project, 'node_modules/@types'), { recursive: true });
  for (const name of ['@types/node', 'undici-types']) {
    await symlink(join(root, 'node_modules', name), join(project, 'node_modules', name), 'junction');
  }
  await writeFile(
    join(project, 'consumer.ts'),
    `import * as sdk from 'parley-agent';
import * as client from 'parley-agent/client';
import { THINKING_LEVELS, type ThinkingLevel } from 'parley-agent/protocol';
import * as testing from 'parley-agent/testing';

// @ts-expect-error Compiles only if the type is not any.
export const wrong: ThinkingLevel = 'loud';
export const right: ThinkingLevel = THINKING_LEVELS[0];
// @ts-expect-error The same for the other entry points.
export const a = sdk.nothing;
// @ts-expect-error
export const b = client.nothing;
// @ts-expect-error
export const c = testing.nothing;
`,
  );
  const compilerOptions = {
    strict: true,
    target: 'ES2023',
    module: 'NodeNext',
    types: ['node'],
    noEmit: true,
    skipLibCheck: true,
  };
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.ts'] }));
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  // tsc writes errors to stdout.
  const { stdout } = await run(process.execPath, [tsc, '-p', project]).catch((thrown) => thrown);
  expect(stdout).toBe('');
});

test('the types import only packages that are installed with them', async () => {
  const { dependencies } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
  const files = packed.filter((path) => path.endsWith('.d.ts'));
  const texts = await Promise.all(files.map((path) => readFile(join(installed, path), 'utf8')));
  const imported = texts.flatMap((text) =>
    [...text.matchAll(/(?:from |import\()['"]([^.'"][^'"]*)['"]/g)].map((match) => match[1]!),
  );
  const packages = new Set(
    imported.filter((name) => !name.startsWith('node:')).map((name) => /^(@[^/]+\/)?[^/]+/.exec(name)![0]),
  );
  expect(packages).toContain('valibot');
  expect([...packages].filter((name) => !Object.hasOwn(dependencies, name))).toEqual([]);
});

test('the number and size of installed packages are limited', async () => {
  const { packages } = JSON.parse(await readFile(join(project, 'node_modules/.package-lock.json'), 'utf8'));
  expect(Object.keys(packages).length).toBeLessThanOrEqual(40);
  const files = await readdir(join(project, 'node_modules'), { recursive: true, withFileTypes: true });
  const sizes = files
    .filter((file) => file.isFile())
    .map(async (file) => (await stat(join(file.parentPath, file.name))).size);
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  expect(bytes).toBeLessThanOrEqual(40 * 2 ** 20);
});
