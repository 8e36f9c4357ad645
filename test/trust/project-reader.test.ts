// Reading the configuration of a trusted project, with real files: links to outside, and files that differ from the trusted ones.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createSystemPorts } from '../../src/app/system-ports/index.ts';
import { findRules } from '../../src/core/resources/rules.ts';
import { findSkills } from '../../src/core/resources/skills.ts';
import { findTemplates } from '../../src/core/resources/templates.ts';
import { loadAgentRegistry } from '../../src/core/subagent/agent-registry.ts';
import { createInventory } from '../../src/trust/inventory.ts';
import { createResourceLocator } from '../../src/trust/resource-locator.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

const { files } = createSystemPorts({});

function writeProjectFile(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

const SKILL = '---\ndescription: one\n---\nbody\n';

function createProject(options: { home?: string; agentDirectory?: string } = {}) {
  const home = options.home ?? createTemporaryDirectory();
  const agentDirectory = options.agentDirectory ?? join(home, '.parley');
  const cwd = createTemporaryDirectory();
  const reported: string[] = [];
  /** Trusted for this run, or by a saved decision with an inventory. */
  const createLocator = async (trust: 'flag' | 'saved decision', directory = cwd) =>
    createResourceLocator({
      ...{ files, cwd: directory, agentDirectory, home, trusted: true },
      ...(trust === 'saved decision' ? { inventory: await createInventory(files, directory, home) } : {}),
      report: (sentence) => void reported.push(sentence),
    });
  return { home, agentDirectory, cwd, reported, createLocator };
}

describe.each(['flag', 'saved decision'] as const)('a link out of a project that is trusted by a %s', (trust) => {
  test.each(['skills/s/SKILL.md', 'prompts/p.md', 'rules/r.md', 'SYSTEM.md', 'settings.json'])(
    '%s is reported as missing',
    async (path) => {
      const { home, cwd, reported, createLocator } = createProject();
      writeProjectFile(home, 'keys.json', SKILL);
      const link = join(cwd, '.pi', path);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(join(home, 'keys.json'), link);
      const { reader } = await createLocator(trust);
      expect(await reader.info(link)).toBeUndefined();
      await expect(reader.read(link)).rejects.toThrow('is a link to');
      expect(reported).toEqual([
        `${link} is not used: ${link} is a link to ${home}/keys.json, outside ${cwd}. Replace the link with a copy to use it.`,
      ]);
    },
  );

  test('the problem names the folder that is the link', async () => {
    const { home, cwd, reported, createLocator } = createProject();
    writeProjectFile(home, 'shared/s/SKILL.md', SKILL);
    mkdirSync(join(cwd, '.pi'));
    symlinkSync(join(home, 'shared'), join(cwd, '.pi/skills'));
    const locator = await createLocator(trust);
    expect(
      await findSkills(locator.reader, { folders: await locator.listDirectories('skills'), named: [] }, []),
    ).toEqual([]);
    expect(reported).toEqual([expect.stringContaining(`: ${cwd}/.pi/skills is a link to ${home}/shared, outside`)]);
  });

  test('a link inside the project is followed', async () => {
    const { cwd, reported, createLocator } = createProject();
    writeProjectFile(cwd, 'docs/s/SKILL.md', SKILL);
    mkdirSync(join(cwd, '.pi'));
    symlinkSync('../docs', join(cwd, '.pi/skills'));
    const locator = await createLocator(trust);
    const skills = await findSkills(
      locator.reader,
      { folders: await locator.listDirectories('skills'), named: [] },
      [],
    );
    expect([skills.map(({ name }) => name), reported]).toEqual([['s'], []]);
  });

  test('links of the user are followed to any place', async () => {
    const { home, agentDirectory, reported, createLocator } = createProject();
    writeProjectFile(home, 'dotfiles/s/SKILL.md', SKILL);
    mkdirSync(agentDirectory);
    symlinkSync('../dotfiles', join(agentDirectory, 'skills'));
    const locator = await createLocator(trust);
    const skills = await findSkills(
      locator.reader,
      { folders: await locator.listDirectories('skills'), named: [] },
      [],
    );
    expect([skills.map(({ name }) => name), reported]).toEqual([['s'], []]);
  });
});

describe('files that differ from the trusted ones', () => {
  const TEXTS: [string, string][] = [
    ['skills/s/SKILL.md', SKILL],
    ['prompts/p.md', 'do it'],
    ['rules/r.md', '---\nttsr_trigger: x\n---\nrule'],
    ['agents/a.md', '---\nname: a\ndescription: one\n---\nagent'],
  ];
  const findAll = async (
    locator: Awaited<ReturnType<ReturnType<typeof createProject>['createLocator']>>,
    problems: string[],
  ) => {
    const skills = await findSkills(
      locator.reader,
      { folders: await locator.listDirectories('skills'), named: [] },
      problems,
    );
    const templates = await findTemplates(
      locator.reader,
      { folders: await locator.listDirectories('prompts'), named: [] },
      problems,
    );
    const rules = await findRules(locator.reader, await locator.listDirectories('rules'), problems);
    const folders = (await locator.listDirectories('agents')).map(({ path, level }) => ({ path, source: level }));
    const registry = await loadAgentRegistry(locator.reader, folders);
    problems.push(...registry.problems.map(({ reason }) => reason));
    const agents = [...registry.agents.values()].filter(({ source }) => source === 'project');
    return [...skills, ...templates, ...rules, ...agents].map(({ name }) => name);
  };

  test.each(['changed', 'new'])('%s files are not used, and each is reported once', async (change) => {
    const { cwd, reported, createLocator } = createProject();
    for (const [path, text] of TEXTS) writeProjectFile(cwd, `.pi/${path}`, text);
    const locator = await createLocator('saved decision');
    expect(await findAll(locator, [])).toEqual(['s', 'p', 'r', 'a']);
    const name = (path: string) => (change === 'new' ? path.replace(/\/(\w+)(?=\.md|\/SKILL)/, '/x$1') : path);
    for (const [path, text] of TEXTS)
      writeProjectFile(cwd, `.pi/${name(path)}`, text.replace('one', 'two').replace(/it|rule$/, 'at'));
    const problems: string[] = [];
    const remaining = await findAll(locator, problems);
    expect([await findAll(locator, problems), problems]).toEqual([remaining, []]);
    expect(remaining).toEqual(change === 'new' ? ['s', 'p', 'r', 'a'] : []);
    const reason = change === 'new' ? 'it was not there when' : 'it has changed since';
    expect(reported).toEqual(
      TEXTS.map(
        ([path]) =>
          `${cwd}/.pi/${name(path)} is not used: ${reason} the project was trusted. Run \`parley trust\` to accept the change.`,
      ),
    );
  });

  test('files that the user names are not checked against the inventory', async () => {
    const { cwd, reported, createLocator } = createProject();
    writeProjectFile(cwd, '.pi/prompts/p.md', 'x');
    const locator = await createLocator('saved decision');
    writeProjectFile(cwd, 'mine.md', 'mine');
    const templates = await findTemplates(locator.reader, { folders: [], named: [join(cwd, 'mine.md')] }, []);
    expect([templates.map(({ name }) => name), reported]).toEqual([['mine'], []]);
    await expect(locator.verifyCode(join(cwd, 'mine.ts'))).resolves.toBeUndefined();
  });
});

describe('code', () => {
  async function createTrustedProject() {
    const created = createProject();
    writeProjectFile(created.cwd, '.pi/extensions/a.ts', "import '../../lib/one';");
    writeProjectFile(created.cwd, '.pi/extensions/b/index.ts', 'b');
    writeProjectFile(created.cwd, '.pi/extensions/b/node_modules/c/index.js', 'c');
    writeProjectFile(created.cwd, 'lib/one.ts', 'one');
    return {
      ...created,
      locator: await created.createLocator('saved decision'),
      entry: join(created.cwd, '.pi/extensions/a.ts'),
    };
  }

  test('is loaded when it has not changed', async () => {
    const { locator, cwd, entry } = await createTrustedProject();
    writeProjectFile(cwd, 'lib/other.ts', 'not imported');
    await expect(locator.verifyCode(entry)).resolves.toBeUndefined();
  });

  test.each([
    ['.pi/extensions/a.ts', "import '../../lib/two';", 'has changed since'],
    ['.pi/extensions/b/node_modules/c/index.js', 'd', 'has changed since'],
    ['.pi/extensions/b/helper.js', 'd', 'was not there when'],
    ['lib/one.ts', 'two', 'has changed since'],
    ['lib/one.js', 'one', 'was not there when'],
  ])('is not loaded when %s is %s', async (path, text, reason) => {
    const { locator, cwd, entry } = await createTrustedProject();
    writeProjectFile(cwd, path, text);
    await expect(locator.verifyCode(entry)).rejects.toThrow(
      `${entry} is not loaded: ${join(cwd, path)} ${reason} the project was trusted. Run \`parley trust\``,
    );
  });

  test('in a folder that is new is not loaded', async () => {
    const { locator, cwd } = await createTrustedProject();
    writeProjectFile(cwd, '.omp/extensions/new.ts', 'x');
    await expect(locator.verifyCode(join(cwd, '.omp/extensions/new.ts'))).rejects.toThrow('was not there when');
  });

  test('is not checked when the project is trusted for this run', async () => {
    const { cwd, createLocator } = await createTrustedProject();
    const locator = await createLocator('flag');
    writeProjectFile(cwd, '.pi/extensions/a.ts', 'changed');
    await expect(locator.verifyCode(join(cwd, '.pi/extensions/a.ts'))).resolves.toBeUndefined();
  });
});

test('if the home directory is the project, files of the user are not checked against the inventory', async () => {
  const home = createTemporaryDirectory();
  const { createLocator, reported } = createProject({ home });
  writeProjectFile(home, '.agents/skills/s/SKILL.md', SKILL);
  writeProjectFile(home, '.parley/skills/t/SKILL.md', SKILL);
  const locator = await createLocator('saved decision', home);
  writeProjectFile(home, '.agents/skills/s/SKILL.md', SKILL.replace('one', 'two'));
  writeProjectFile(home, '.parley/skills/u/SKILL.md', SKILL);
  const skills = await findSkills(locator.reader, { folders: await locator.listDirectories('skills'), named: [] }, []);
  expect([skills.map(({ name }) => name).sort(), reported]).toEqual([['s', 't', 'u'], []]);
});
