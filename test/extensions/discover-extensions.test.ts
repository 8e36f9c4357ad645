// Discovery of extensions: folders, packages one level down, manifests, links and explicit paths.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { createSystemPorts } from '../../src/app/system-ports/index.ts';
import { discoverExtensions } from '../../src/extensions/discover-extensions.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

const { files } = createSystemPorts();

function writeFiles(contents: Record<string, string>): string {
  const root = createTemporaryDirectory();
  for (const [path, text] of Object.entries(contents)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

async function discover(root: string, paths: readonly string[] = []): Promise<{ names: string[]; errors: string[] }> {
  const folders = [{ path: join(root, 'user'), level: 'user' as const }];
  const { found, problems } = await discoverExtensions({ files, folders, paths, cwd: root, home: root });
  return { names: found.map(({ path }) => relative(root, path)), errors: problems.map(({ error }) => error) };
}

test('finds files and packages one level down; a manifest takes precedence over an index file', async () => {
  const root = writeFiles({
    'user/b.ts': '',
    'user/a.js': '',
    'user/notes.md': '',
    'user/types.d.ts': '',
    'user/pack/package.json': '{"pi":{"extensions":["./src/x.ts","./gone.ts"]}}',
    'user/pack/src/x.ts': '',
    'user/pack/index.ts': '',
    'user/plain/index.js': '',
    'user/broken/package.json': '{',
    'user/broken/index.ts': '',
    'user/deep/er/index.ts': '',
  });
  expect((await discover(root)).names).toEqual([
    'user/a.js',
    'user/b.ts',
    'user/broken/index.ts',
    'user/pack/src/x.ts',
    'user/plain/index.js',
  ]);
});

test('explicit paths may be files, packages or folders; a file reached through several links is loaded once', async () => {
  const root = writeFiles({ 'user/a.ts': '', 'more/b.ts': '', 'pack/index.ts': '' });
  symlinkSync(join(root, 'user/a.ts'), join(root, 'link.ts'));
  const { names, errors } = await discover(root, ['link.ts', '~/more', join(root, 'pack'), 'nowhere.ts']);
  expect(names).toEqual(['user/a.ts', 'more/b.ts', 'pack/index.ts']);
  expect(errors).toEqual(['Failed to load extension: no such file']);
});
