// Trust decisions with real files: what is saved, which changes require a new decision, and concurrent writes.
import {
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createSystemPorts } from '../../src/app/system-ports/index.ts';
import { decideTrust } from '../../src/trust/decide-trust.ts';
import { computeDigest, createInventory } from '../../src/trust/inventory.ts';
import { createResourceLocator } from '../../src/trust/resource-locator.ts';
import { saveDecision } from '../../src/trust/saved-decision.ts';
import { findProjectConfiguration } from '../../src/trust/search-paths.ts';
import { readDecisions, updateDecisions } from '../../src/trust/trust-file.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

const ports = createSystemPorts({});
const { files } = ports;

function writeProjectFile(root: string, path: string, text = 'x'): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function createProject() {
  const agentDirectory = createTemporaryDirectory();
  const cwd = createTemporaryDirectory();
  return {
    agentDirectory,
    cwd,
    decide: (flags: { trust?: boolean; noTrust?: boolean } = {}) =>
      decideTrust({ files, agentDirectory, cwd, ...flags }),
    save: async (trusted: boolean) =>
      saveDecision({ ports, agentDirectory, cwd }, { trusted, digest: await computeDigest(files, cwd) }),
  };
}

describe('trust decision', () => {
  test('is not trusted without a flag or a saved decision', async () => {
    const { decide } = createProject();
    expect(await decide()).toEqual({ trusted: false, reason: 'undecided' });
    expect(await decide({ trust: true })).toEqual({ trusted: true, reason: 'flag' });
    await expect(decide({ trust: true, noTrust: true })).rejects.toThrow('exclude each other');
  });

  test('is saved by the real path, and a flag overrides it', async () => {
    const { decide, save, agentDirectory, cwd } = createProject();
    writeProjectFile(cwd, '.parley/settings.json', '{}');
    await save(true);
    expect(await decide()).toEqual({
      trusted: true,
      reason: 'saved',
      inventory: await createInventory(files, cwd),
    });
    expect(await decide({ noTrust: true })).toEqual({ trusted: false, reason: 'flag' });
    const link = join(createTemporaryDirectory(), 'link');
    symlinkSync(cwd, link);
    expect(await decideTrust({ files, agentDirectory, cwd: link })).toMatchObject({ trusted: true });
    expect(await decideTrust({ files, agentDirectory, cwd: dirname(cwd) })).toMatchObject({ reason: 'undecided' });
    expect(statSync(join(agentDirectory, 'trust.json')).mode & 0o777).toBe(0o600);
  });

  test.each([
    ['.parley/settings.json', '{"a":1}'],
    ['.pi/extensions/deep/index.ts', 'changed'],
    ['.omp/rules/new.md', 'new'],
    ['.claude/agents/a.md', 'new'],
    ['.agents/skills/s/SKILL.md', 'new'],
    ['.mcp.json', '{}'],
    ['.parley/mcp.json', '{}'],
    ['tools/server.mjs', 'changed'],
    ['bin/other', 'changed'],
    ['bin/third', 'changed'],
    ['.env', 'A=1'],
  ])('must be made again when %s changes', async (path, text) => {
    const { decide, save, cwd } = createProject();
    writeProjectFile(cwd, '.pi/extensions/deep/index.ts', 'before!');
    const servers = { one: { command: 'node', args: ['./tools/server.mjs', '.'] }, two: { command: 'bin/other' } };
    writeProjectFile(cwd, '.omp/mcp.json', JSON.stringify({ mcpServers: servers }));
    writeProjectFile(cwd, 'tools/server.mjs', 'before!');
    writeProjectFile(cwd, 'bin/other', 'before!');
    // VS Code calls them `servers`.
    writeProjectFile(cwd, '.pi/mcp.json', JSON.stringify({ servers: { three: { command: './bin/third' } } }));
    writeProjectFile(cwd, 'bin/third', 'before!');
    await save(true);
    writeProjectFile(cwd, path, text);
    expect(await decide()).toEqual({ trusted: false, reason: 'changed' });
  });

  test.each(['src/index.ts', 'AGENTS.md', '.parley/sessions/x.jsonl', 'package.json'])(
    'stays valid when %s changes',
    async (path) => {
      const { decide, save, cwd } = createProject();
      writeProjectFile(cwd, '.pi/extensions/a.ts');
      await save(true);
      writeProjectFile(cwd, path, 'other');
      expect(await decide()).toEqual({
        trusted: true,
        reason: 'saved',
        inventory: await createInventory(files, cwd),
      });
    },
  );

  test('detects changed content with the same size and time, also behind a link', async () => {
    const { decide, save, cwd } = createProject();
    const file = join(cwd, '.pi/extensions/a.ts');
    writeProjectFile(cwd, '.pi/extensions/a.ts', 'aaaa');
    writeProjectFile(cwd, 'one.ts', 'same');
    writeProjectFile(cwd, 'two.ts', 'same');
    symlinkSync('../../one.ts', join(cwd, '.pi/extensions/b.ts'));
    await save(true);
    const { atime, mtime } = statSync(file);
    writeFileSync(file, 'bbbb');
    utimesSync(file, atime, mtime);
    expect(await decide()).toMatchObject({ reason: 'changed' });
    writeFileSync(file, 'aaaa');
    expect(await decide()).toMatchObject({ reason: 'saved' });
    writeProjectFile(cwd, 'one.ts', 'else');
    expect(await decide()).toMatchObject({ reason: 'changed' });
  });

  test('detects changes in a linked folder, and handles link cycles', async () => {
    const { decide, save, cwd } = createProject();
    writeProjectFile(cwd, 'elsewhere/a.ts');
    mkdirSync(join(cwd, '.pi'));
    symlinkSync('../elsewhere', join(cwd, '.pi/extensions'));
    symlinkSync('..', join(cwd, 'elsewhere/back'));
    await save(true);
    expect(await decide()).toMatchObject({ reason: 'saved' });
    writeProjectFile(cwd, 'elsewhere/a.ts', 'other');
    expect(await decide()).toMatchObject({ reason: 'changed' });
  });

  test('detects a changed link target, even if the content is the same', async () => {
    const { decide, save, cwd } = createProject();
    writeProjectFile(cwd, 'one.ts', 'same');
    writeProjectFile(cwd, 'two.ts', 'same');
    writeProjectFile(cwd, '.pi/extensions/a.ts');
    const link = join(cwd, '.pi/extensions/b.ts');
    symlinkSync('../../one.ts', link);
    await save(true);
    rmSync(link);
    symlinkSync('../../two.ts', link);
    expect(await decide()).toMatchObject({ reason: 'changed' });
    rmSync(link);
    symlinkSync('../../one.ts', link);
    expect(await decide()).toMatchObject({ reason: 'saved' });
  });

  test.each([
    ['13 levels deep', `.pi/extensions/${'d/'.repeat(13)}x.ts`],
    ['200 levels deep', `.pi/extensions/${'d/'.repeat(200)}x.ts`],
    ['in a folder named .git', '.pi/extensions/.git/index.ts'],
    ['far below a folder named .git', '.pi/extensions/a/.git/hooks/deep/x.mjs'],
    ['a skill in a folder named .git', '.parley/skills/.git/SKILL.md'],
  ])('must be made again when a file changes that is %s', async (_, path) => {
    const { decide, save, cwd } = createProject();
    writeProjectFile(cwd, path, 'aaaa');
    await save(true);
    expect(await decide()).toMatchObject({ reason: 'saved' });
    writeProjectFile(cwd, path, 'bbbb');
    expect(await decide()).toMatchObject({ reason: 'changed' });
  });

  test('must be made again when a large file changes with the same size and time', async () => {
    const { decide, save, cwd } = createProject();
    const file = join(cwd, '.pi/extensions/large.js');
    writeProjectFile(cwd, '.pi/extensions/large.js', 'a'.repeat(9 * 1024 * 1024));
    await save(true);
    const { atime, mtime } = statSync(file);
    writeFileSync(file, `${'a'.repeat(9 * 1024 * 1024 - 1)}b`);
    utimesSync(file, atime, mtime);
    expect(await decide()).toMatchObject({ reason: 'changed' });
  });

  test('stays valid when git data of an extension changes', async () => {
    const { decide, save, cwd } = createProject();
    writeProjectFile(cwd, '.pi/extensions/a/index.ts');
    writeProjectFile(cwd, '.pi/extensions/a/.git/HEAD', 'ref: refs/heads/main\n');
    await save(true);
    writeProjectFile(cwd, '.pi/extensions/a/.git/FETCH_HEAD', 'new');
    writeProjectFile(cwd, '.pi/extensions/a/.git/objects/ab/cdef', 'new');
    expect(await decide()).toMatchObject({ reason: 'saved' });
  });

  test.each([
    ['extensions', 'tools/ext.ts', 'tools/ext.ts'],
    ['extensions', 'tools', 'tools/deep/other.ts'],
    ['skills', 'tools/skills', 'tools/skills/s/SKILL.md'],
    ['prompts', 'tools/p.md', 'tools/p.md'],
    ['shellPath', './tools/sh', 'tools/sh'],
  ])('must be made again when a file changes that the setting %s names', async (key, value, path) => {
    const { decide, save, cwd } = createProject();
    writeProjectFile(cwd, '.parley/settings.json', JSON.stringify({ [key]: key === 'shellPath' ? value : [value] }));
    writeProjectFile(cwd, path, 'aaaa');
    await save(true);
    expect(await decide()).toMatchObject({ reason: 'saved' });
    writeProjectFile(cwd, path, 'bbbb');
    expect(await decide()).toMatchObject({ reason: 'changed' });
  });

  test.each([
    ["import { x } from '../../lib/one';", 'lib/one.ts'],
    ["export * from '../../lib/one.js'", 'lib/one.ts'],
    ["const x = await import(\n  /* why */ '../../lib/one.mjs',\n);", 'lib/one.mjs'],
    ['const x = require("../../lib")', 'lib/index.cjs'],
    ["import '../../lib/step.ts';", 'lib/deeper/two.ts'],
  ])('must be made again when an imported file outside the folder changes: %s', async (code, path) => {
    const { decide, save, cwd } = createProject();
    writeProjectFile(cwd, '.pi/extensions/a.ts', code);
    writeProjectFile(cwd, 'lib/step.ts', "export * from './deeper/two';");
    writeProjectFile(cwd, path, 'aaaa');
    writeProjectFile(cwd, 'lib/not-imported.ts', 'aaaa');
    await save(true);
    writeProjectFile(cwd, 'lib/not-imported.ts', 'bbbb');
    expect(await decide()).toMatchObject({ reason: 'saved' });
    writeProjectFile(cwd, path, 'bbbb');
    expect(await decide()).toMatchObject({ reason: 'changed' });
  });

  test('must be made again when a new file would be imported instead of another', async () => {
    const { decide, save, cwd } = createProject();
    writeProjectFile(cwd, '.pi/extensions/a.ts', "import '../../lib/one';");
    writeProjectFile(cwd, 'lib/one.ts');
    await save(true);
    writeProjectFile(cwd, 'lib/one.js');
    expect(await decide()).toMatchObject({ reason: 'changed' });
  });

  test('a text with very many apparent imports is searched in linear time', async () => {
    const { cwd } = createProject();
    const measure = async (text: string) => {
      writeProjectFile(cwd, '.pi/extensions/a.js', text);
      const start = performance.now();
      await computeDigest(files, cwd);
      return performance.now() - start;
    };
    for (const fragment of ['from ', 'import(', 'from"./', "require('../.."]) {
      await measure(fragment.repeat(500));
      const small = await measure(fragment.repeat(3000));
      expect(await measure(fragment.repeat(30_000)), fragment).toBeLessThan(small * 60 + 1000);
    }
  });

  test('a project with too much data is not trusted, and the reason is reported', async () => {
    const { decide, save, cwd } = createProject();
    writeProjectFile(cwd, '.pi/extensions/a.ts');
    await save(true);
    writeProjectFile(cwd, '.pi/extensions/model.bin', '');
    truncateSync(join(cwd, '.pi/extensions/model.bin'), 129 * 1024 * 1024);
    const { trusted, problem } = await decide();
    expect([trusted, problem]).toEqual([false, expect.stringMatching(/more than 128 MB.*model\.bin.*--trust/)]);
    await expect(save(true)).rejects.toThrow('more than 128 MB');
  });

  test('a project with too many files is not trusted', async () => {
    const { cwd } = createProject();
    writeProjectFile(cwd, '.pi/extensions/a.ts');
    const folder = join(cwd, '.pi/extensions');
    const manyEntries = Array.from({ length: 20_000 }, (_, i) => ({ name: `${i}.txt`, kind: 'file' as const }));
    const crowdedFiles = {
      ...files,
      list: async (path: string) =>
        path === folder ? [...(await files.list(path)), ...manyEntries] : files.list(path),
      info: async (path: string, infoOptions?: { follow?: boolean }) =>
        files.info(path.endsWith('.txt') ? join(folder, 'a.ts') : path, infoOptions),
      read: async (path: string, range?: object) =>
        files.read(path.endsWith('.txt') ? join(folder, 'a.ts') : path, range),
    };
    await expect(createInventory(crowdedFiles, cwd)).rejects.toThrow(/more than 20000 files and folders \(reached at/);
  });

  test.each(['{', '[]', '{"projects": {"/x": {}}}'])(
    '%s in trust.json: no project is trusted, and the file is not overwritten',
    async (text) => {
      const { decide, save, agentDirectory } = createProject();
      writeProjectFile(agentDirectory, 'trust.json', text);
      const { trusted, problem } = await decide();
      expect([trusted, problem]).toEqual([false, expect.stringContaining('remove it to decide again')]);
      await expect(save(true)).rejects.toThrow('trust.json');
      expect(readFileSync(join(agentDirectory, 'trust.json'), 'utf8')).toBe(text);
    },
  );

  test('concurrent decisions are not lost', async () => {
    const { agentDirectory } = createProject();
    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        updateDecisions(ports, agentDirectory, (projects) => {
          projects[`/project/${i}`] = { trusted: true, digest: '', decidedAt: '' };
        }),
      ),
    );
    expect(Object.keys(await readDecisions(files, agentDirectory))).toHaveLength(20);
  });
});

describe('resource locator', () => {
  test('lists only the folders of the user without trust, and those of the project first with trust', async () => {
    const { cwd, agentDirectory } = createProject();
    mkdirSync(join(cwd, '.git'));
    const inner = join(cwd, 'a', 'b');
    const options = { files, cwd: inner, agentDirectory, home: '/home/me' };
    const paths = async (trusted: boolean, kind: 'skills' | 'rules') =>
      (await createResourceLocator({ ...options, trusted }).listDirectories(kind)).map(
        ({ path, level }) => `${level} ${path}`,
      );
    expect(await paths(false, 'skills')).toEqual([`user ${agentDirectory}/skills`, 'user /home/me/.agents/skills']);
    expect(await paths(true, 'skills')).toEqual([
      `project ${inner}/.parley/skills`,
      `project ${inner}/.pi/skills`,
      `project ${inner}/.omp/skills`,
      `project ${inner}/.agents/skills`,
      `project ${cwd}/a/.agents/skills`,
      `project ${cwd}/.agents/skills`,
      `user ${agentDirectory}/skills`,
      'user /home/me/.agents/skills',
    ]);
    expect(await paths(true, 'rules')).toContain(`project ${inner}/.cursor/rules`);
  });

  test('skills of parent directories are used only if no other user can write there', async () => {
    const { cwd, agentDirectory } = createProject();
    mkdirSync(join(cwd, '.git'));
    const inner = join(cwd, 'a', 'b');
    const listSkillFolders = async (owners: Record<string, number>, mode = 0o755) => {
      const ownedFiles = {
        ...files,
        userId: 1000,
        async info(path: string, infoOptions?: { follow?: boolean }) {
          const info = path.startsWith(join(cwd, 'a')) ? await files.info(cwd) : await files.info(path, infoOptions);
          const isAbove = path === join(cwd, 'a');
          return info && path !== join(cwd, 'a', '.git') && path !== join(inner, '.git')
            ? { ...info, owner: owners[path] ?? 1000, mode: isAbove ? mode : 0o755 }
            : undefined;
        },
      };
      const options = { files: ownedFiles, cwd: inner, agentDirectory, home: '/home/me', trusted: true };
      const folders = await createResourceLocator(options).listDirectories('skills');
      return folders.filter(({ path }) => path.endsWith('.agents/skills')).map(({ path }) => path);
    };
    const all = [inner, join(cwd, 'a'), cwd, '/home/me'].map((folder) => join(folder, '.agents/skills'));
    expect(await listSkillFolders({})).toEqual(all);
    expect(await listSkillFolders({ [cwd]: 0 })).toEqual(all);
    expect(await listSkillFolders({ [cwd]: 1001 })).toEqual([all[0], all[3]]);
    expect(await listSkillFolders({}, 0o1777)).toEqual([all[0], all[3]]);
  });

  test('trust() takes effect from then on, and calls listeners once', async () => {
    const { cwd, agentDirectory } = createProject();
    const locator = createResourceLocator({ files, cwd, agentDirectory, home: '/home/me', trusted: false });
    let calls = 0;
    locator.onTrusted(() => {
      calls += 1;
    });
    expect(locator.listFiles('SYSTEM.md')).toHaveLength(1);
    locator.trust();
    locator.trust();
    expect([calls, locator.isTrusted, locator.listFiles('SYSTEM.md')[0]?.path]).toEqual([
      1,
      true,
      `${cwd}/.parley/SYSTEM.md`,
    ]);
  });

  test('listMcpFiles() contains files of the project only when it is trusted, by precedence', async () => {
    const { cwd, agentDirectory } = createProject();
    const options = { files, cwd, agentDirectory, home: agentDirectory };
    const locator = createResourceLocator({ ...options, trusted: false });
    const user = join(agentDirectory, 'mcp.json');
    expect(locator.listMcpFiles().map(({ path }) => path)).toEqual([user]);
    await locator.trust();
    const project = ['.parley/mcp.json', '.pi/mcp.json', '.omp/mcp.json', '.mcp.json'].map((path) => join(cwd, path));
    expect(locator.listMcpFiles().map(({ path }) => path)).toEqual([...project, user]);
    expect(createResourceLocator({ ...options, trusted: true, isBare: true }).listMcpFiles()).toEqual([]);
  });

  test('a .mcp.json that links out of the project is not read', async () => {
    const { cwd, agentDirectory } = createProject();
    writeFileSync(join(agentDirectory, 'outside.json'), '{}');
    symlinkSync(join(agentDirectory, 'outside.json'), join(cwd, '.mcp.json'));
    const options = { files, cwd, agentDirectory: join(agentDirectory, 'a'), home: agentDirectory, trusted: true };
    await expect(createResourceLocator(options).reader.read(join(cwd, '.mcp.json'))).rejects.toThrow('is a link to');
  });

  test('findProjectConfiguration() returns the existing files and folders', async () => {
    const { cwd } = createProject();
    expect(await findProjectConfiguration(files, cwd)).toEqual([]);
    writeProjectFile(cwd, '.pi/SYSTEM.md');
    writeProjectFile(cwd, '.parley/prompts/a.md');
    writeProjectFile(cwd, '.env');
    expect(await findProjectConfiguration(files, cwd)).toEqual(['.pi/SYSTEM.md', '.parley/prompts']);
  });
});
