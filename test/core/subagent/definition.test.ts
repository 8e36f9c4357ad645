// Agents as Markdown files describe them: the bundled ones, and what users write.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import { parseAgent } from '../../../src/core/subagent/definition.ts';
import { readRoster } from '../../../src/core/subagent/roster.ts';

const head = (fields: string) => `---\nname: scout\ndescription: Looks around\n${fields}\n---\nLook.\n`;

test('the fields', () => {
  expect(parseAgent(head('tools: read, grep\nspawns: explore\nmodel: a/b, c\nthinking-level: high'), 'user')).toEqual({
    name: 'scout',
    description: 'Looks around',
    tools: ['read', 'grep'],
    spawns: ['explore'],
    models: ['a/b', 'c'],
    thinkingLevel: 'high',
    output: undefined,
    prompt: 'Look.',
    source: 'user',
  });
  expect(
    parseAgent(head('tools:\n  - read\nspawns: "*"\noutput:\n  properties:\n    ok: {"type": "boolean"}'), 'user'),
  ).toMatchObject({
    tools: ['read'],
    spawns: '*',
    output: { properties: { ok: { type: 'boolean' } } },
  });
  expect(parseAgent(head('spawns: ""'), 'user')).toMatchObject({ tools: undefined, spawns: [] });
});

test('what is missing or means nothing is named', () => {
  expect(() => parseAgent('---\nname: a\n---\nx', 'user')).toThrow('the field description is missing');
  expect(() => parseAgent('just text', 'user')).toThrow('the field name is missing');
  expect(() => parseAgent(head('thinking-level: enormous'), 'user')).toThrow('unknown thinking level: enormous');
});

test('of one name the first counts: the project, the user, the bundled', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'parley-agents-'));
  try {
    for (const [folder, file, text] of [
      ['project', 'a.md', '---\nname: scout\ndescription: of the project\n---\n'],
      ['user', 'b.md', '---\nname: scout\ndescription: of the user\n---\n'],
      ['user', 'c.md', '---\nname: explore\ndescription: mine\n---\n'],
      ['user', 'd.md', 'no head'],
      ['user', 'e.txt', '---\nname: not an agent\ndescription: no\n---\n'],
    ] as const) {
      await mkdir(join(directory, folder), { recursive: true });
      await writeFile(join(directory, folder, file), text);
    }
    const { agents, problems } = await readRoster(createSystemPorts({}).files, [
      { path: join(directory, 'missing'), source: 'project' },
      { path: join(directory, 'project'), source: 'project' },
      { path: join(directory, 'user'), source: 'user' },
    ]);
    expect([...agents.values()].map(({ name, source }) => `${name} ${source}`)).toEqual([
      'scout project',
      'explore user',
      'plan bundled',
      'reviewer bundled',
      'task bundled',
      'quick_task bundled',
    ]);
    expect(problems).toEqual([{ path: join(directory, 'user', 'd.md'), reason: 'the field name is missing' }]);
  } finally {
    await rm(directory, { recursive: true });
  }
});
