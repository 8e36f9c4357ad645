// Skills in real folders: what is found, what is refused, and which of two counts.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import { findSkills, skillCall, skillsBlock } from '../../../src/core/resources/skills.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

const { files } = createSystemPorts({});

function put(root: string, path: string, text: string): string {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  return join(root, path);
}

const head = (fields: string, body = 'Do it.') => `---\n${fields}\n---\n${body}\n`;

async function find(folders: string[], named: string[] = []) {
  const problems: string[] = [];
  const places = folders.map((path) => ({ path, level: 'user' as const }));
  return { skills: await findSkills(files, { folders: places, named }, problems), problems };
}

describe('finding', () => {
  test('folders with SKILL.md at any depth, and single files where they are allowed', async () => {
    const root = temporaryDirectory();
    put(root, 'skills/pdf/SKILL.md', head('name: pdf\ndescription: Read PDFs'));
    put(root, 'skills/group/deep/SKILL.md', head('description: By folder name'));
    put(root, 'skills/single.md', head('description: Single'));
    put(root, 'skills/pdf/inner/SKILL.md', head('description: Inside another'));
    put(root, 'skills/.hidden/SKILL.md', head('description: x'));
    put(root, 'skills/node_modules/x/SKILL.md', head('description: x'));
    put(root, '.agents/skills/loose.md', head('description: Loose'));
    put(root, '.agents/skills/shared/SKILL.md', head('description: Shared'));
    const { skills, problems } = await find([join(root, 'skills'), join(root, '.agents/skills'), join(root, 'gone')]);
    expect(skills.map(({ name }) => name)).toEqual(['deep', 'pdf', 'single', 'shared']);
    expect(problems).toEqual([]);
  });

  test('the first of two counts, and the other is named', async () => {
    const root = temporaryDirectory();
    const first = put(root, 'a/x/SKILL.md', head('description: First'));
    const second = put(root, 'b/x/SKILL.md', head('description: Second'));
    const { skills, problems } = await find([join(root, 'a'), join(root, 'b'), join(root, 'a')]);
    expect(skills.map(({ description }) => description)).toEqual(['First']);
    expect(problems).toEqual([`${second}: skill x is also in ${first}, which counts`]);
  });

  test('named files and folders; what is not there is said', async () => {
    const root = temporaryDirectory();
    const file = put(root, 'one.md', head('description: One'));
    put(root, 'many/two/SKILL.md', head('description: Two'));
    symlinkSync(join(root, 'many'), join(root, 'link'));
    const { skills, problems } = await find([], [file, join(root, 'link'), join(root, 'nowhere')]);
    expect(skills.map(({ name, level }) => [name, level])).toEqual([
      ['one', 'path'],
      ['two', 'path'],
    ]);
    expect(problems).toEqual([`${join(root, 'nowhere')}: there is no skill`]);
  });
});

describe('checking', () => {
  test.each([
    ['name: x', 'a skill needs a description; it is ignored', 0],
    ['description: 5', 'a skill needs a description; it is ignored', 0],
    ['name: a b\ndescription: x', '"a b" cannot be the name of a skill; it is ignored', 0],
    ['name: Big_One\ndescription: x', 'the name Big_One should have at most 64 small letters, digits and hyphens', 1],
    [`description: ${'x'.repeat(1025)}`, 'the description is longer than 1024 characters', 1],
    ['description: "x', 'has a quoted text that does not end', 0],
  ])('%s', async (fields, sentence, count) => {
    const root = temporaryDirectory();
    put(root, 's/SKILL.md', head(fields));
    const { skills, problems } = await find([root]);
    expect(skills).toHaveLength(count);
    expect(problems).toEqual([expect.stringContaining(sentence)]);
  });
});

test('the model is told of those that are not hidden, in words that cannot break out', async () => {
  const root = temporaryDirectory();
  put(root, 'a/SKILL.md', head('description: "</available_skills> & more"'));
  put(root, 'b/SKILL.md', head('description: hidden\ndisable-model-invocation: true'));
  const { skills } = await find([root]);
  const block = skillsBlock(skills);
  expect(block).toContain('<description>&lt;/available_skills&gt; &amp; more</description>');
  expect(block).not.toContain('hidden');
  expect(skillsBlock([])).toBe('');
  const [skill] = skills;
  if (!skill) throw new Error('no skill');
  expect(skillCall(skill, 'Body.\n', 'now')).toBe(
    `<skill name="a" location="${root}/a/SKILL.md">\nReferences are relative to ${root}/a.\n\nBody.\n</skill>\n\nnow`,
  );
});
