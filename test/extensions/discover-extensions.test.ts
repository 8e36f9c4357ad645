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

async function discover(root: string, paths: readonly string[] = []) {
  const folders = [{ path: join(root, 'user'), level: 'user' as const }];
  const { found, problems, resources } = await discoverExtensions({ files, folders, paths, cwd: root, home: root });
  const toRelative = (path: string) => relative(root, path);
  return {
    names: found.map(({ path }) => toRelative(path)),
    errors: problems.map(({ error }) => error),
    resources: { skills: resources.skills.map(toRelative), templates: resources.templates.map(toRelative) },
    baseDirs: found.map(({ baseDir }) => baseDir && toRelative(baseDir)),
  };
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

test('a named package: the manifest lists files, folders and globs with exclusions', async () => {
  const pi = {
    extensions: ['./src', './more/**/*.ts', '!**/legacy*', '!more/old', '+more/old/kept.ts', '-src/b.ts'],
    skills: ['skills', '!skills/secret'],
    prompts: ['./texts/*.md', '!texts/draft.md'],
    themes: ['./themes'],
  };
  const root = writeFiles({
    'user/notes.md': '',
    'pack/package.json': JSON.stringify({ pi }),
    'pack/index.ts': '',
    'pack/src/a.ts': '',
    'pack/src/b.ts': '',
    'pack/src/legacy.ts': '',
    'pack/more/deep/c.ts': '',
    'pack/more/old/d.ts': '',
    'pack/more/old/kept.ts': '',
    'pack/node_modules/x/more/e.ts': '',
    'pack/skills/plan/SKILL.md': '',
    'pack/skills/plan/notes.md': '',
    'pack/skills/secret/SKILL.md': '',
    'pack/texts/review.md': '',
    'pack/texts/draft.md': '',
  });
  const { names, errors, resources, baseDirs } = await discover(root, ['pack']);
  expect(names).toEqual(['pack/src/a.ts', 'pack/more/deep/c.ts', 'pack/more/old/kept.ts']);
  expect(resources).toEqual({ skills: ['pack/skills/plan/SKILL.md'], templates: ['pack/texts/review.md'] });
  expect(new Set(baseDirs)).toEqual(new Set(['pack']));
  expect(errors).toEqual([]);
});

test('a named package without a manifest: the conventional folders', async () => {
  const root = writeFiles({
    'user/notes.md': '',
    'pack/package.json': '{"pi":{"image":"x.png"}}',
    'pack/extensions/a.ts': '',
    'pack/extensions/b/index.ts': '',
    'pack/skills/plan/SKILL.md': '',
    'pack/skills/single.md': '',
    'pack/prompts/review.md': '',
    'pack/themes/dark.json': '{}',
    'texts/prompts/only.md': '',
    'plain/own.ts': '',
    'plain/skills/help.md': '',
  });
  const { names, errors, resources } = await discover(root, ['pack', 'texts', 'plain']);
  expect(names).toEqual(['pack/extensions/a.ts', 'pack/extensions/b/index.ts', 'plain/own.ts']);
  expect(resources).toEqual({
    skills: ['pack/skills/plan/SKILL.md', 'pack/skills/single.md', 'plain/skills/help.md'],
    templates: ['pack/prompts/review.md', 'texts/prompts/only.md'],
  });
  expect(errors).toEqual([]);
});
