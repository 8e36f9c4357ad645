// The path policy: roots, secrets, protected files, read-only sandboxes, warnings and hard links.
import { linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CANARY, createPathFixture, type PathFixture } from './path-fixture.ts';

const text = new TextEncoder().encode('changed');
let fixture: PathFixture;
beforeEach(() => {
  fixture = createPathFixture();
});
afterEach(() => fixture.remove());

it('names the path, the working directory, the allowed directories and the setting', async () => {
  const { workspace, canary, base } = fixture;
  const files = fixture.guard({ readRoots: ['/data'], writableRoots: [`${base}/more`] });
  await expect(files.read(canary)).rejects.toThrow(
    `read: ${canary} is outside the working directory ${workspace}. Allowed: ${workspace}, ${base}/more, /data. Add the directory to paths.readRoots or sandbox.writableRoots to allow it.`,
  );
  await expect(files.write(canary, text)).rejects.toThrow('Add the directory to sandbox.writableRoots to allow it.');
});

it('allows reading and not writing in a read root, and both in a writable root', async () => {
  const { canary, outside } = fixture;
  const readable = fixture.guard({ readRoots: [outside] });
  expect(Buffer.from(await readable.read(canary)).toString()).toBe(CANARY);
  await expect(readable.write(canary, text)).rejects.toThrow('may be read and not changed');
  const writable = fixture.guard({ writableRoots: [outside] });
  await writable.write(`${outside}/new.txt`, text);
  expect(readFileSync(`${outside}/new.txt`, 'utf8')).toBe('changed');
});

it('refuses secrets in every mode, also inside the working directory and in another spelling', async () => {
  const { workspace } = fixture;
  mkdirSync(join(workspace, 'Privé'));
  writeFileSync(join(workspace, 'Privé', 'key'), CANARY);
  for (const mode of ['off', 'warn', 'enforce'] as const) {
    for (const denied of ['Privé', 'privé', 'PRIVÉ', 'Prive\u0301', 'Pri\u200bvé']) {
      const files = fixture.guard({ mode, deniedReads: [join(workspace, denied)] });
      await expect(files.read(join(workspace, 'Privé', 'key')), `${mode} ${denied}`).rejects.toThrow('secrets');
    }
  }
});

it.each([
  ...['.git/hooks/pre-commit', '.GIT/Hooks/pre-commit', '.g\u200cit/config', '.git', 'sub/.git', 'sub/.git/config'],
  ...['.git/modules/x/hooks/a', '.git/worktrees/x/commondir', '.parley/settings.json', '.claude/x', '.MCP.json'],
  ...['.vſcode/settings.json', '.bashrc', 'a/b/.zshenv', '.omp/x/y', '.pi/x'],
])('protects %s', async (path) => {
  const files = fixture.guard({ hasProtectedPaths: true });
  const target = join(fixture.workspace, path);
  await expect(files.write(target, text)).rejects.toThrow('cannot be changed by tools');
  await expect(files.makeDirectory(target)).rejects.toThrow('cannot be changed by tools');
});

it('does not protect a working directory below a directory with a protected name', async () => {
  const cwd = join(fixture.base, 'home', '.parley', 'worktrees', 'x');
  mkdirSync(cwd, { recursive: true });
  const files = fixture.guard({ cwd, hasProtectedPaths: true });
  await files.write(`${cwd}/a.txt`, text);
  await files.write(`${cwd}/.git-blame-ignore-revs`, text);
});

it('reads and does not change anything in a read-only sandbox', async () => {
  const files = fixture.guard({ canWrite: false });
  expect(Buffer.from(await files.read(`${fixture.workspace}/a.txt`)).toString()).toBe('inside');
  await expect(files.write(`${fixture.workspace}/a.txt`, text)).rejects.toThrow('the sandbox is read-only');
});

it('warns once for each directory and changes nothing else', async () => {
  const warnings: string[] = [];
  const files = fixture.guard({ mode: 'warn', onWarning: (message) => warnings.push(message) });
  await files.info(fixture.canary);
  expect(warnings).toEqual([]);
  for (let at = 0; at < 3; at++) expect(Buffer.from(await files.read(fixture.canary)).toString()).toBe(CANARY);
  await files.read(`${fixture.outside}/directory/inner.txt`);
  await files.read(`${fixture.workspace}/a.txt`);
  await files.write(`${fixture.outside}/new.txt`, text);
  expect(warnings).toEqual([
    `read uses ${fixture.outside}, which is outside the working directory.`,
    `write uses ${fixture.outside}, which is outside the working directory.`,
  ]);
});

it('gives a file with several names its own content before it is changed', async () => {
  const { workspace } = fixture;
  const files = fixture.guard();
  await files.write(`${workspace}/hard-link`, text);
  expect(readFileSync(fixture.canary, 'utf8')).toBe(CANARY);
  expect(readFileSync(`${workspace}/hard-link`, 'utf8')).toBe('changed');
  linkSync(fixture.canary, `${workspace}/second`);
  await expect(files.open(`${workspace}/second`, 'append')).rejects.toThrow('several names');
});

it('ignores a root below the working directory that is a link out of it', async () => {
  const warnings: string[] = [];
  const root = join(fixture.workspace, 'directory-link');
  const files = fixture.guard({ writableRoots: [root], onWarning: (message) => warnings.push(message) });
  await expect(files.read(fixture.canary)).rejects.toThrow('outside the working directory');
  expect(warnings).toEqual([
    `${root} is a link out of the working directory and is ignored. List ${fixture.outside} instead.`,
  ]);
});

it('does not follow a root that was missing and has become a link', async () => {
  const root = join(fixture.base, 'later');
  const files = fixture.guard({ writableRoots: [root] });
  await files.read(`${fixture.workspace}/a.txt`);
  symlinkSync(fixture.outside, root);
  await expect(files.read(`${root}/canary.txt`)).rejects.toThrow('outside the working directory');
});

it('keeps links inside the workspace usable', async () => {
  const { workspace } = fixture;
  symlinkSync('sub', `${workspace}/inner-link`);
  symlinkSync('sub/created.txt', `${workspace}/inner-dangling`);
  const files = fixture.guard();
  await files.write(`${workspace}/inner-link/b.txt`, text);
  await files.write(`${workspace}/inner-dangling`, text);
  await files.replace(`${workspace}/inner-link/c.txt`, text);
  await files.makeDirectory(`${workspace}/inner-link/d/e`);
  expect((await files.list(`${workspace}/sub`)).map(({ name }) => name).sort()).toEqual([
    'b.txt',
    'c.txt',
    'created.txt',
    'd',
  ]);
  await files.rename(`${workspace}/sub/b.txt`, `${workspace}/inner-link/f.txt`);
  await files.remove(`${workspace}/sub`, { recursive: true });
  expect(await files.info(`${workspace}/sub`)).toBeUndefined();
});

it('applies the first check too when files with a check get another one', async () => {
  const twice = fixture.guard().withAccessCheck(() => {});
  await expect(twice.read(fixture.canary)).rejects.toThrow('outside the working directory');
});
