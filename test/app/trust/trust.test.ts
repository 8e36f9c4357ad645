// Deciding about projects, with real files: what is remembered, what counts as a change, and what is never lost.
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
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import { decideTrust } from '../../../src/app/trust/decide.ts';
import { digestOf, takeInventory } from '../../../src/app/trust/inventory.ts';
import { createPlaces, findConfiguration } from '../../../src/app/trust/places.ts';
import { remember } from '../../../src/app/trust/remembered.ts';
import { changeDecisions, readDecisions } from '../../../src/app/trust/trust-file.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

const ports = createSystemPorts({});
const { files } = ports;

function put(root: string, path: string, text = 'x'): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function place() {
  const agentDirectory = temporaryDirectory();
  const cwd = temporaryDirectory();
  return {
    agentDirectory,
    cwd,
    decide: (flags: { trust?: boolean; noTrust?: boolean } = {}) =>
      decideTrust({ files, agentDirectory, cwd, ...flags }),
    remember: async (trusted: boolean) =>
      remember({ ports, agentDirectory, cwd }, { trusted, digest: await digestOf(files, cwd) }),
  };
}

describe('the decision', () => {
  test('is no until somebody says otherwise', async () => {
    const { decide } = place();
    expect(await decide()).toEqual({ trusted: false, because: 'open' });
    expect(await decide({ trust: true })).toEqual({ trusted: true, because: 'said' });
    await expect(decide({ trust: true, noTrust: true })).rejects.toThrow('exclude each other');
  });

  test('is remembered by the real path, and a flag wins over it', async () => {
    const { decide, remember, agentDirectory, cwd } = place();
    put(cwd, '.parley/settings.json', '{}');
    await remember(true);
    expect(await decide()).toEqual({
      trusted: true,
      because: 'remembered',
      inventory: await takeInventory(files, cwd),
    });
    expect(await decide({ noTrust: true })).toEqual({ trusted: false, because: 'said' });
    const link = join(temporaryDirectory(), 'link');
    symlinkSync(cwd, link);
    expect(await decideTrust({ files, agentDirectory, cwd: link })).toMatchObject({ trusted: true });
    expect(await decideTrust({ files, agentDirectory, cwd: dirname(cwd) })).toMatchObject({ because: 'open' });
    expect(statSync(join(agentDirectory, 'trust.json')).mode & 0o777).toBe(0o600);
  });

  test.each([
    ['.parley/settings.json', '{"a":1}'],
    ['.pi/extensions/deep/index.ts', 'changed'],
    ['.omp/rules/new.md', 'new'],
    ['.claude/agents/a.md', 'new'],
    ['.agents/skills/s/SKILL.md', 'new'],
    ['.mcp.json', '{}'],
    ['.env', 'A=1'],
  ])('is asked anew when %s changes', async (path, text) => {
    const { decide, remember, cwd } = place();
    put(cwd, '.pi/extensions/deep/index.ts', 'before!');
    await remember(true);
    put(cwd, path, text);
    expect(await decide()).toEqual({ trusted: false, because: 'changed' });
  });

  test.each(['src/index.ts', 'AGENTS.md', '.parley/sessions/x.jsonl', 'package.json'])(
    'stands when %s changes',
    async (path) => {
      const { decide, remember, cwd } = place();
      put(cwd, '.pi/extensions/a.ts');
      await remember(true);
      put(cwd, path, 'other');
      expect(await decide()).toEqual({
        trusted: true,
        because: 'remembered',
        inventory: await takeInventory(files, cwd),
      });
    },
  );

  test('sees through names: same length, same time, other bytes; and where a link leads', async () => {
    const { decide, remember, cwd } = place();
    const file = join(cwd, '.pi/extensions/a.ts');
    put(cwd, '.pi/extensions/a.ts', 'aaaa');
    put(cwd, 'one.ts', 'same');
    put(cwd, 'two.ts', 'same');
    symlinkSync('../../one.ts', join(cwd, '.pi/extensions/b.ts'));
    await remember(true);
    const { atime, mtime } = statSync(file);
    writeFileSync(file, 'bbbb');
    utimesSync(file, atime, mtime);
    expect(await decide()).toMatchObject({ because: 'changed' });
    writeFileSync(file, 'aaaa');
    expect(await decide()).toMatchObject({ because: 'remembered' });
    put(cwd, 'one.ts', 'else');
    expect(await decide()).toMatchObject({ because: 'changed' });
  });

  test('sees what a folder behind a link holds, and survives one that leads back', async () => {
    const { decide, remember, cwd } = place();
    put(cwd, 'elsewhere/a.ts');
    mkdirSync(join(cwd, '.pi'));
    symlinkSync('../elsewhere', join(cwd, '.pi/extensions'));
    symlinkSync('..', join(cwd, 'elsewhere/back'));
    await remember(true);
    expect(await decide()).toMatchObject({ because: 'remembered' });
    put(cwd, 'elsewhere/a.ts', 'other');
    expect(await decide()).toMatchObject({ because: 'changed' });
  });

  test('sees where a link leads, also when the same is there', async () => {
    const { decide, remember, cwd } = place();
    put(cwd, 'one.ts', 'same');
    put(cwd, 'two.ts', 'same');
    put(cwd, '.pi/extensions/a.ts');
    const link = join(cwd, '.pi/extensions/b.ts');
    symlinkSync('../../one.ts', link);
    await remember(true);
    rmSync(link);
    symlinkSync('../../two.ts', link);
    expect(await decide()).toMatchObject({ because: 'changed' });
    rmSync(link);
    symlinkSync('../../one.ts', link);
    expect(await decide()).toMatchObject({ because: 'remembered' });
  });

  test.each([
    ['13 levels deep', `.pi/extensions/${'d/'.repeat(13)}x.ts`],
    ['200 levels deep', `.pi/extensions/${'d/'.repeat(200)}x.ts`],
    ['in a folder named .git', '.pi/extensions/.git/index.ts'],
    ['far below a folder named .git', '.pi/extensions/a/.git/hooks/deep/x.mjs'],
    ['a skill in a folder named .git', '.parley/skills/.git/SKILL.md'],
  ])('is asked anew when a file changes that lies %s', async (_, path) => {
    const { decide, remember, cwd } = place();
    put(cwd, path, 'aaaa');
    await remember(true);
    expect(await decide()).toMatchObject({ because: 'remembered' });
    put(cwd, path, 'bbbb');
    expect(await decide()).toMatchObject({ because: 'changed' });
  });

  test('is asked anew when a large file changes but not its size and time', async () => {
    const { decide, remember, cwd } = place();
    const file = join(cwd, '.pi/extensions/large.js');
    put(cwd, '.pi/extensions/large.js', 'a'.repeat(9 * 1024 * 1024));
    await remember(true);
    const { atime, mtime } = statSync(file);
    writeFileSync(file, `${'a'.repeat(9 * 1024 * 1024 - 1)}b`);
    utimesSync(file, atime, mtime);
    expect(await decide()).toMatchObject({ because: 'changed' });
  });

  test('stands while git works in an extension that is a repository', async () => {
    const { decide, remember, cwd } = place();
    put(cwd, '.pi/extensions/a/index.ts');
    put(cwd, '.pi/extensions/a/.git/HEAD', 'ref: refs/heads/main\n');
    await remember(true);
    put(cwd, '.pi/extensions/a/.git/FETCH_HEAD', 'new');
    put(cwd, '.pi/extensions/a/.git/objects/ab/cdef', 'new');
    expect(await decide()).toMatchObject({ because: 'remembered' });
  });

  test.each([
    ['extensions', 'tools/ext.ts', 'tools/ext.ts'],
    ['extensions', 'tools', 'tools/deep/other.ts'],
    ['skills', 'tools/skills', 'tools/skills/s/SKILL.md'],
    ['prompts', 'tools/p.md', 'tools/p.md'],
    ['shellPath', './tools/sh', 'tools/sh'],
  ])('is asked anew when what the settings name as %s changes', async (key, value, path) => {
    const { decide, remember, cwd } = place();
    put(cwd, '.parley/settings.json', JSON.stringify({ [key]: key === 'shellPath' ? value : [value] }));
    put(cwd, path, 'aaaa');
    await remember(true);
    expect(await decide()).toMatchObject({ because: 'remembered' });
    put(cwd, path, 'bbbb');
    expect(await decide()).toMatchObject({ because: 'changed' });
  });

  test.each([
    ["import { x } from '../../lib/one';", 'lib/one.ts'],
    ["export * from '../../lib/one.js'", 'lib/one.ts'],
    ["const x = await import(\n  /* why */ '../../lib/one.mjs',\n);", 'lib/one.mjs'],
    ['const x = require("../../lib")', 'lib/index.cjs'],
    ["import '../../lib/step.ts';", 'lib/deeper/two.ts'],
  ])('is asked anew when a file elsewhere changes that is imported: %s', async (code, path) => {
    const { decide, remember, cwd } = place();
    put(cwd, '.pi/extensions/a.ts', code);
    put(cwd, 'lib/step.ts', "export * from './deeper/two';");
    put(cwd, path, 'aaaa');
    put(cwd, 'lib/not-imported.ts', 'aaaa');
    await remember(true);
    put(cwd, 'lib/not-imported.ts', 'bbbb');
    expect(await decide()).toMatchObject({ because: 'remembered' });
    put(cwd, path, 'bbbb');
    expect(await decide()).toMatchObject({ because: 'changed' });
  });

  test('is asked anew when a file appears that would be imported in the place of another', async () => {
    const { decide, remember, cwd } = place();
    put(cwd, '.pi/extensions/a.ts', "import '../../lib/one';");
    put(cwd, 'lib/one.ts');
    await remember(true);
    put(cwd, 'lib/one.js');
    expect(await decide()).toMatchObject({ because: 'changed' });
  });

  test('a text that looks like imports without end is searched in linear time', async () => {
    const { cwd } = place();
    const cost = async (text: string) => {
      put(cwd, '.pi/extensions/a.js', text);
      const start = performance.now();
      await digestOf(files, cwd);
      return performance.now() - start;
    };
    for (const piece of ['from ', 'import(', 'from"./', "require('../.."]) {
      await cost(piece.repeat(500));
      const small = await cost(piece.repeat(3000));
      expect(await cost(piece.repeat(30_000)), piece).toBeLessThan(small * 60 + 1000);
    }
  });

  test('more than can be read at every start is not trusted, and the reason is given', async () => {
    const { decide, remember, cwd } = place();
    put(cwd, '.pi/extensions/a.ts');
    await remember(true);
    put(cwd, '.pi/extensions/model.bin', '');
    truncateSync(join(cwd, '.pi/extensions/model.bin'), 129 * 1024 * 1024);
    const { trusted, problem } = await decide();
    expect([trusted, problem]).toEqual([false, expect.stringMatching(/more than 128 MB.*model\.bin.*--trust/)]);
    await expect(remember(true)).rejects.toThrow('more than 128 MB');
  });

  test('more files than are counted are not trusted either', async () => {
    const { cwd } = place();
    put(cwd, '.pi/extensions/a.ts');
    const folder = join(cwd, '.pi/extensions');
    const many = Array.from({ length: 20_000 }, (_, i) => ({ name: `${i}.txt`, kind: 'file' as const }));
    const crowded = {
      ...files,
      list: async (path: string) => (path === folder ? [...(await files.list(path)), ...many] : files.list(path)),
      info: async (path: string, how?: { follow?: boolean }) =>
        files.info(path.endsWith('.txt') ? join(folder, 'a.ts') : path, how),
      read: async (path: string, range?: object) =>
        files.read(path.endsWith('.txt') ? join(folder, 'a.ts') : path, range),
    };
    await expect(takeInventory(crowded, cwd)).rejects.toThrow(/more than 20000 files and folders \(reached at/);
  });

  test.each(['{', '[]', '{"projects": {"/x": {}}}'])(
    '%s in trust.json: nothing is trusted, nothing overwritten',
    async (text) => {
      const { decide, remember, agentDirectory } = place();
      put(agentDirectory, 'trust.json', text);
      const { trusted, problem } = await decide();
      expect([trusted, problem]).toEqual([false, expect.stringContaining('remove it to decide anew')]);
      await expect(remember(true)).rejects.toThrow('trust.json');
      expect(readFileSync(join(agentDirectory, 'trust.json'), 'utf8')).toBe(text);
    },
  );

  test('many who decide at once lose nothing', async () => {
    const { agentDirectory } = place();
    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        changeDecisions(ports, agentDirectory, (projects) => {
          projects[`/project/${i}`] = { trusted: true, digest: '', decidedAt: '' };
        }),
      ),
    );
    expect(Object.keys(await readDecisions(files, agentDirectory))).toHaveLength(20);
  });
});

describe('places', () => {
  test('without trust only the user’s; with it the project’s first', async () => {
    const { cwd, agentDirectory } = place();
    mkdirSync(join(cwd, '.git'));
    const inner = join(cwd, 'a', 'b');
    const options = { files, cwd: inner, agentDirectory, home: '/home/me' };
    const paths = async (trusted: boolean, kind: 'skills' | 'rules') =>
      (await createPlaces({ ...options, trusted }).folders(kind)).map(({ path, level }) => `${level} ${path}`);
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

  test('skills of directories above count only where no other user decides what is there', async () => {
    const { cwd, agentDirectory } = place();
    mkdirSync(join(cwd, '.git'));
    const inner = join(cwd, 'a', 'b');
    const skillsWith = async (owners: Record<string, number>, mode = 0o755) => {
      const owned = {
        ...files,
        userId: 1000,
        async info(path: string, how?: { follow?: boolean }) {
          const info = path.startsWith(join(cwd, 'a')) ? await files.info(cwd) : await files.info(path, how);
          const isAbove = path === join(cwd, 'a');
          return info && !path.endsWith('a/.git') && !path.endsWith('b/.git')
            ? { ...info, owner: owners[path] ?? 1000, mode: isAbove ? mode : 0o755 }
            : undefined;
        },
      };
      const options = { files: owned, cwd: inner, agentDirectory, home: '/home/me', trusted: true };
      const folders = await createPlaces(options).folders('skills');
      return folders.filter(({ path }) => path.endsWith('.agents/skills')).map(({ path }) => path);
    };
    const all = [inner, join(cwd, 'a'), cwd, '/home/me'].map((folder) => join(folder, '.agents/skills'));
    expect(await skillsWith({})).toEqual(all);
    expect(await skillsWith({ [cwd]: 0 })).toEqual(all);
    expect(await skillsWith({ [cwd]: 1001 })).toEqual([all[0], all[3]]);
    expect(await skillsWith({}, 0o1777)).toEqual([all[0], all[3]]);
  });

  test('trusting later counts from then on, and is told once', async () => {
    const { cwd, agentDirectory } = place();
    const places = createPlaces({ files, cwd, agentDirectory, home: '/home/me', trusted: false });
    let told = 0;
    places.onTrust(() => {
      told += 1;
    });
    expect(places.files('SYSTEM.md')).toHaveLength(1);
    places.trust();
    places.trust();
    expect([told, places.trusted, places.files('SYSTEM.md')[0]?.path]).toEqual([1, true, `${cwd}/.parley/SYSTEM.md`]);
  });

  test('what there is to trust, by name', async () => {
    const { cwd } = place();
    expect(await findConfiguration(files, cwd)).toEqual([]);
    put(cwd, '.pi/SYSTEM.md');
    put(cwd, '.parley/prompts/a.md');
    put(cwd, '.env');
    expect(await findConfiguration(files, cwd)).toEqual(['.pi/SYSTEM.md', '.parley/prompts']);
  });
});
