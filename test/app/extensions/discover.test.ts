// Which files are extensions: folders, packages one level down, manifests, links, and what is named.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { discover } from '../../../src/app/extensions/discover.ts';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

const { files } = createSystemPorts();

function tree(contents: Record<string, string>): string {
  const root = temporaryDirectory();
  for (const [path, text] of Object.entries(contents)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

async function found(root: string, paths: readonly string[] = []): Promise<{ names: string[]; errors: string[] }> {
  const folders = [{ path: join(root, 'user'), level: 'user' as const }];
  const { found: all, problems } = await discover({ files, folders, paths, cwd: root, home: root });
  return { names: all.map(({ path }) => relative(root, path)), errors: problems.map(({ error }) => error) };
}

test('files, and packages one level down; the manifest before the index', async () => {
  const root = tree({
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
  expect((await found(root)).names).toEqual([
    'user/a.js',
    'user/b.ts',
    'user/broken/index.ts',
    'user/pack/src/x.ts',
    'user/plain/index.js',
  ]);
});

test('what is named: a file, a package, a folder; each file once, by whatever links', async () => {
  const root = tree({ 'user/a.ts': '', 'more/b.ts': '', 'pack/index.ts': '' });
  symlinkSync(join(root, 'user/a.ts'), join(root, 'link.ts'));
  const { names, errors } = await found(root, ['link.ts', '~/more', join(root, 'pack'), 'nowhere.ts']);
  expect(names).toEqual(['user/a.ts', 'more/b.ts', 'pack/index.ts']);
  expect(errors).toEqual(['Failed to load extension: there is no such file']);
});
