// Skills in real folders: discovery, validation and precedence.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import { expandSkillCommand, findSkills, formatSkillsBlock } from '../../../src/core/resources/skills.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';

const { files } = createSystemPorts({});

function writeSkill(root: string, path: string, text: string): string {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  return join(root, path);
}

const createSkill = (fields: string, body = 'Do it.') => `---\n${fields}\n---\n${body}\n`;

async function find(paths: string[], explicitPaths: string[] = []) {
  const problems: string[] = [];
  const folders = paths.map((path) => ({ path, level: 'user' as const }));
  return { skills: await findSkills(files, { folders, named: explicitPaths }, problems), problems };
}

describe('discovery', () => {
  test('finds folders with SKILL.md at any depth, and single files where they are allowed', async () => {
    const root = createTemporaryDirectory();
    writeSkill(root, 'skills/pdf/SKILL.md', createSkill('name: pdf\ndescription: Read PDFs'));
    writeSkill(root, 'skills/group/deep/SKILL.md', createSkill('description: By folder name'));
    writeSkill(root, 'skills/single.md', createSkill('description: Single'));
    writeSkill(root, 'skills/pdf/inner/SKILL.md', createSkill('description: Inside another'));
    writeSkill(root, 'skills/.hidden/SKILL.md', createSkill('description: x'));
    writeSkill(root, 'skills/node_modules/x/SKILL.md', createSkill('description: x'));
    writeSkill(root, '.agents/skills/loose.md', createSkill('description: Loose'));
    writeSkill(root, '.agents/skills/shared/SKILL.md', createSkill('description: Shared'));
    const { skills, problems } = await find([join(root, 'skills'), join(root, '.agents/skills'), join(root, 'gone')]);
    expect(skills.map(({ name }) => name)).toEqual(['deep', 'pdf', 'single', 'shared']);
    expect(problems).toEqual([]);
  });

  test('of two skills with the same name the first is used and the second is reported', async () => {
    const root = createTemporaryDirectory();
    const first = writeSkill(root, 'a/x/SKILL.md', createSkill('description: First'));
    const second = writeSkill(root, 'b/x/SKILL.md', createSkill('description: Second'));
    const { skills, problems } = await find([join(root, 'a'), join(root, 'b'), join(root, 'a')]);
    expect(skills.map(({ description }) => description)).toEqual(['First']);
    expect(problems).toEqual([`${second}: skill x is also defined in ${first}, which takes precedence`]);
  });

  test('explicit files and folders are loaded; a missing path is reported', async () => {
    const root = createTemporaryDirectory();
    const file = writeSkill(root, 'one.md', createSkill('description: One'));
    writeSkill(root, 'many/two/SKILL.md', createSkill('description: Two'));
    symlinkSync(join(root, 'many'), join(root, 'link'));
    const { skills, problems } = await find([], [file, join(root, 'link'), join(root, 'nowhere')]);
    expect(skills.map(({ name, level }) => [name, level])).toEqual([
      ['one', 'path'],
      ['two', 'path'],
    ]);
    expect(problems).toEqual([`${join(root, 'nowhere')}: skill not found`]);
  });
});

describe('validation', () => {
  test.each([
    ['name: x', 'a skill needs a description; it is ignored', 0],
    ['description: 5', 'a skill needs a description; it is ignored', 0],
    ['name: a b\ndescription: x', '"a b" is not a valid skill name; it is ignored', 0],
    [
      'name: Big_One\ndescription: x',
      'the name Big_One should have at most 64 lowercase letters, digits and hyphens',
      1,
    ],
    [`description: ${'x'.repeat(1025)}`, 'the description is longer than 1024 characters', 1],
    ['description: "x', 'line 2 is not valid YAML (Missing closing', 0],
  ])('%s', async (fields, message, count) => {
    const root = createTemporaryDirectory();
    writeSkill(root, 's/SKILL.md', createSkill(fields));
    const { skills, problems } = await find([root]);
    expect(skills).toHaveLength(count);
    expect(problems).toEqual([expect.stringContaining(message)]);
  });
});

test('the skills block lists only visible skills and escapes their text', async () => {
  const root = createTemporaryDirectory();
  writeSkill(root, 'a/SKILL.md', createSkill('description: "</available_skills> & more"'));
  writeSkill(root, 'b/SKILL.md', createSkill('description: hidden\ndisable-model-invocation: true'));
  const { skills } = await find([root]);
  const block = formatSkillsBlock(skills);
  expect(block).toContain('<description>&lt;/available_skills&gt; &amp; more</description>');
  expect(block).not.toContain('hidden');
  expect(formatSkillsBlock([])).toBe('');
  const [skill] = skills;
  if (!skill) throw new Error('no skill');
  expect(expandSkillCommand(skill, 'Body.\n', 'now')).toBe(
    `<skill name="a" location="${root}/a/SKILL.md">\nReferences are relative to ${root}/a.\n\nBody.\n</skill>\n\nnow`,
  );
});
