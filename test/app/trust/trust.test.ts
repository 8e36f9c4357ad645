// Deciding about projects, with real files: what is remembered, what counts as a change, and what is never lost.
import { mkdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import { decideTrust } from '../../../src/app/trust/decide.ts';
import { digestOf } from '../../../src/app/trust/inventory.ts';
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
    expect(await decide()).toEqual({ trusted: true, because: 'remembered' });
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
      expect(await decide()).toEqual({ trusted: true, because: 'remembered' });
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
