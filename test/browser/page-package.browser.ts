// The page of the packed package: `npm pack`, unpack, `parley serve`, and a prompt in chromium.
import { execFile } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { packPackage } from '../support/pack-package.ts';
import { OFFLINE, startServer } from '../support/server.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { browser } from './chromium.ts';
import { expectNoTrespasses, openSession, runPrompt } from './page-fixture.ts';

const fixture = browser();
const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));

test('the page works from the packed package', async () => {
  const directory = createTemporaryDirectory();
  const { path, files } = await packPackage(directory);
  expect(
    files.filter((file) => /^dist\/web\/(index\.html|docs\.html|assets\/index-.*\.(js|css))$/.test(file)),
  ).toHaveLength(4);
  const unpacked = join(directory, 'unpacked');
  await mkdir(unpacked);
  await promisify(execFile)('tar', ['-xzf', path, '-C', unpacked]);
  // The dependencies, which npm would install.
  await symlink(modules, join(unpacked, 'node_modules'), 'junction');
  const server = await startServer(OFFLINE, { program: join(unpacked, 'package/dist/cli.js') });
  const opened = await openSession(fixture, server);
  await runPrompt(opened.page, 'say `hello`', 'hello');
  await opened.page.locator('.kind-text', { hasText: 'hello' }).waitFor();
  await expectNoTrespasses(opened);
  await opened.page.goto(`${server.url}docs`);
  await opened.page.locator('.operation').first().waitFor();
});
