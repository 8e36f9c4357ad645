// How the program was installed, by the path of the started file.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { findInstallation } from '../../../src/app/modes/installation.ts';
import { compareVersions } from '../../../src/app/modes/update.ts';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';

const { files } = createSystemPorts();

/** Writes empty files, and the package in `directory`. Returns the path of the program. */
function install(root: string, directory: string, others: readonly string[] = []): string {
  const program = join(root, directory, 'dist/cli.js');
  mkdirSync(dirname(program), { recursive: true });
  writeFileSync(program, '');
  writeFileSync(join(root, directory, 'package.json'), '{"name":"parley-agent"}');
  writeFileSync(join(root, directory, 'dist/package.json'), '{"type":"commonjs"}');
  for (const path of others) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), '{}');
  }
  return program;
}

test.each([
  ['git-checkout', 'work', ['work/.git'], 'cd ROOT/work && git pull && npm ci'],
  [
    'npx',
    'home/.npm/_npx/ab12/node_modules/parley-agent',
    ['home/.npm/_npx/ab12/package.json'],
    'npx parley-agent@latest',
  ],
  ['global', 'usr/lib/node_modules/parley-agent', [], 'npm install -g parley-agent@latest'],
  [
    'global',
    '.bun/install/global/node_modules/parley-agent',
    ['.bun/install/global/package.json'],
    'bun add -g parley-agent@latest',
  ],
  [
    'global',
    'share/pnpm/global/5/node_modules/.pnpm/parley-agent@1/node_modules/parley-agent',
    [],
    'pnpm add -g parley-agent@latest',
  ],
  ['local', 'app/node_modules/parley-agent', ['app/package.json'], 'cd ROOT/app && npm install parley-agent@latest'],
  [
    'local',
    'app/node_modules/.pnpm/parley-agent@1/node_modules/parley-agent',
    ['app/package.json', 'app/pnpm-lock.yaml'],
    'cd ROOT/app && pnpm add parley-agent@latest',
  ],
  [
    'local',
    'my app/node_modules/parley-agent',
    ['my app/package.json'],
    "cd 'ROOT/my app' && npm install parley-agent@latest",
  ],
] as const)('%s: %s', async (kind, directory, others, updateCommand) => {
  const root = createTemporaryDirectory();
  const program = install(root, directory, others);
  const link = join(root, 'parley');
  symlinkSync(program, link);
  const found = await findInstallation(files, link, 'parley-agent');
  expect(found).toMatchObject({ kind, directory: join(root, directory) });
  expect(found.updateCommand.replaceAll(root, 'ROOT')).toBe(updateCommand);
});

test('a file without a package', async () => {
  const program = join(createTemporaryDirectory(), 'cli.js');
  writeFileSync(program, '');
  expect(await findInstallation(files, program, 'parley-agent')).toMatchObject({ kind: 'unknown' });
});

test.each([
  ['1.2.3', '1.2.3', 0],
  ['1.2.3', '1.10.0', -1],
  ['2.0.0', '1.99.99', 1],
  ['1.0.0-beta.1', '1.0.0', -1],
  ['1.0.0', '1.0.0-beta.1', 1],
  ['1.0.0-alpha', '1.0.0-beta', -1],
])('%s and %s', (a, b, order) => {
  expect(Math.sign(compareVersions(a, b))).toBe(order);
});
