// What a trusted project brings along, read with real files: links that lead out and files that are not what was trusted.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import { takeInventory } from '../../../src/app/trust/inventory.ts';
import { createPlaces } from '../../../src/app/trust/places.ts';
import { findRules } from '../../../src/core/resources/rules.ts';
import { findSkills } from '../../../src/core/resources/skills.ts';
import { findTemplates } from '../../../src/core/resources/templates.ts';
import { readRoster } from '../../../src/core/subagent/roster.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

const { files } = createSystemPorts({});

function put(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

const SKILL = '---\ndescription: one\n---\nbody\n';

function project(options: { home?: string; agentDirectory?: string } = {}) {
  const home = options.home ?? temporaryDirectory();
  const agentDirectory = options.agentDirectory ?? join(home, '.parley');
  const cwd = temporaryDirectory();
  const reported: string[] = [];
  /** As a start does it: for this run, or as it was decided earlier. */
  const places = async (how: 'said' | 'remembered', at = cwd) =>
    createPlaces({
      ...{ files, cwd: at, agentDirectory, home, trusted: true },
      ...(how === 'remembered' ? { inventory: await takeInventory(files, at, home) } : {}),
      report: (sentence) => void reported.push(sentence),
    });
  return { home, agentDirectory, cwd, reported, places };
}

describe.each(['said', 'remembered'] as const)('a link out of a project whose trust is %s', (how) => {
  test.each(['skills/s/SKILL.md', 'prompts/p.md', 'rules/r.md', 'SYSTEM.md', 'settings.json'])(
    '%s is as if it were not there',
    async (path) => {
      const { home, cwd, reported, places } = project();
      put(home, 'keys.json', SKILL);
      const link = join(cwd, '.pi', path);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(join(home, 'keys.json'), link);
      const { reading } = await places(how);
      expect(await reading.info(link)).toBeUndefined();
      await expect(reading.read(link)).rejects.toThrow('is a link to');
      expect(reported).toEqual([
        `${link} is not used: ${link} is a link to ${home}/keys.json, outside ${cwd}. Put a copy in its place to use it.`,
      ]);
    },
  );

  test('a folder is named as the link that it is', async () => {
    const { home, cwd, reported, places } = project();
    put(home, 'shared/s/SKILL.md', SKILL);
    mkdirSync(join(cwd, '.pi'));
    symlinkSync(join(home, 'shared'), join(cwd, '.pi/skills'));
    const at = await places(how);
    expect(await findSkills(at.reading, { folders: await at.folders('skills'), named: [] }, [])).toEqual([]);
    expect(reported).toEqual([expect.stringContaining(`: ${cwd}/.pi/skills is a link to ${home}/shared, outside`)]);
  });

  test('inside the project it is followed', async () => {
    const { cwd, reported, places } = project();
    put(cwd, 'docs/s/SKILL.md', SKILL);
    mkdirSync(join(cwd, '.pi'));
    symlinkSync('../docs', join(cwd, '.pi/skills'));
    const at = await places(how);
    const skills = await findSkills(at.reading, { folders: await at.folders('skills'), named: [] }, []);
    expect([skills.map(({ name }) => name), reported]).toEqual([['s'], []]);
  });

  test('those of the user are followed anywhere', async () => {
    const { home, agentDirectory, reported, places } = project();
    put(home, 'dotfiles/s/SKILL.md', SKILL);
    mkdirSync(agentDirectory);
    symlinkSync('../dotfiles', join(agentDirectory, 'skills'));
    const at = await places(how);
    const skills = await findSkills(at.reading, { folders: await at.folders('skills'), named: [] }, []);
    expect([skills.map(({ name }) => name), reported]).toEqual([['s'], []]);
  });
});

describe('what is not what was trusted', () => {
  const TEXTS: [string, string][] = [
    ['skills/s/SKILL.md', SKILL],
    ['prompts/p.md', 'do it'],
    ['rules/r.md', '---\nttsr_trigger: x\n---\nrule'],
    ['agents/a.md', '---\nname: a\ndescription: one\n---\nagent'],
  ];
  const found = async (at: Awaited<ReturnType<ReturnType<typeof project>['places']>>, problems: string[]) => {
    const skills = await findSkills(at.reading, { folders: await at.folders('skills'), named: [] }, problems);
    const templates = await findTemplates(at.reading, { folders: await at.folders('prompts'), named: [] }, problems);
    const rules = await findRules(at.reading, await at.folders('rules'), problems);
    const folders = (await at.folders('agents')).map(({ path, level }) => ({ path, source: level }));
    const roster = await readRoster(at.reading, folders);
    problems.push(...roster.problems.map(({ reason }) => reason));
    const agents = [...roster.agents.values()].filter(({ source }) => source === 'project');
    return [...skills, ...templates, ...rules, ...agents].map(({ name }) => name);
  };

  test.each(['changed', 'new'])('%s files are not used, and each is named once', async (what) => {
    const { cwd, reported, places } = project();
    for (const [path, text] of TEXTS) put(cwd, `.pi/${path}`, text);
    const at = await places('remembered');
    expect(await found(at, [])).toEqual(['s', 'p', 'r', 'a']);
    const name = (path: string) => (what === 'new' ? path.replace(/\/(\w+)(?=\.md|\/SKILL)/, '/x$1') : path);
    for (const [path, text] of TEXTS)
      put(cwd, `.pi/${name(path)}`, text.replace('one', 'two').replace(/it|rule$/, 'at'));
    const problems: string[] = [];
    const still = await found(at, problems);
    expect([await found(at, problems), problems]).toEqual([still, []]);
    expect(still).toEqual(what === 'new' ? ['s', 'p', 'r', 'a'] : []);
    const reason = what === 'new' ? 'it was not there when' : 'it has changed since';
    expect(reported).toEqual(
      TEXTS.map(
        ([path]) =>
          `${cwd}/.pi/${name(path)} is not used: ${reason} the project was trusted. Run \`parley trust\` if you know the change.`,
      ),
    );
  });

  test('files that the user names are not the project’s word', async () => {
    const { cwd, reported, places } = project();
    put(cwd, '.pi/prompts/p.md', 'x');
    const at = await places('remembered');
    put(cwd, 'mine.md', 'mine');
    const templates = await findTemplates(at.reading, { folders: [], named: [join(cwd, 'mine.md')] }, []);
    expect([templates.map(({ name }) => name), reported]).toEqual([['mine'], []]);
    await expect(at.verifyCode(join(cwd, 'mine.ts'))).resolves.toBeUndefined();
  });
});

describe('code', () => {
  async function trusted() {
    const made = project();
    put(made.cwd, '.pi/extensions/a.ts', "import '../../lib/one';");
    put(made.cwd, '.pi/extensions/b/index.ts', 'b');
    put(made.cwd, '.pi/extensions/b/node_modules/c/index.js', 'c');
    put(made.cwd, 'lib/one.ts', 'one');
    return { ...made, at: await made.places('remembered'), entry: join(made.cwd, '.pi/extensions/a.ts') };
  }

  test('that is as it was is loaded', async () => {
    const { at, cwd, entry } = await trusted();
    put(cwd, 'lib/other.ts', 'not imported');
    await expect(at.verifyCode(entry)).resolves.toBeUndefined();
  });

  test.each([
    ['.pi/extensions/a.ts', "import '../../lib/two';", 'has changed since'],
    ['.pi/extensions/b/node_modules/c/index.js', 'd', 'has changed since'],
    ['.pi/extensions/b/helper.js', 'd', 'was not there when'],
    ['lib/one.ts', 'two', 'has changed since'],
    ['lib/one.js', 'one', 'was not there when'],
  ])('is not loaded when %s is %s', async (path, text, reason) => {
    const { at, cwd, entry } = await trusted();
    put(cwd, path, text);
    await expect(at.verifyCode(entry)).rejects.toThrow(
      `${entry} is not loaded: ${join(cwd, path)} ${reason} the project was trusted. Run \`parley trust\``,
    );
  });

  test('of a folder that was not there is not loaded', async () => {
    const { at, cwd } = await trusted();
    put(cwd, '.omp/extensions/new.ts', 'x');
    await expect(at.verifyCode(join(cwd, '.omp/extensions/new.ts'))).rejects.toThrow('was not there when');
  });

  test('is not asked about when the project is trusted for this run', async () => {
    const { cwd, places } = await trusted();
    const at = await places('said');
    put(cwd, '.pi/extensions/a.ts', 'changed');
    await expect(at.verifyCode(join(cwd, '.pi/extensions/a.ts'))).resolves.toBeUndefined();
  });
});

test('the home directory as the project: what is the user’s own is not held to what was trusted', async () => {
  const home = temporaryDirectory();
  const { places, reported } = project({ home });
  put(home, '.agents/skills/s/SKILL.md', SKILL);
  put(home, '.parley/skills/t/SKILL.md', SKILL);
  const at = await places('remembered', home);
  put(home, '.agents/skills/s/SKILL.md', SKILL.replace('one', 'two'));
  put(home, '.parley/skills/u/SKILL.md', SKILL);
  const skills = await findSkills(at.reading, { folders: await at.folders('skills'), named: [] }, []);
  expect([skills.map(({ name }) => name).sort(), reported]).toEqual([['s', 't', 'u'], []]);
});
