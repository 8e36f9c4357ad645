// Agent definitions: parsing the Markdown files and their precedence over bundled agents.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import { parseAgentDefinition } from '../../../src/core/subagent/agent-definition.ts';
import { loadAgentRegistry } from '../../../src/core/subagent/agent-registry.ts';

const createFile = (fields: string) => `---\nname: scout\ndescription: Looks around\n${fields}\n---\nLook.\n`;

test('all fields are parsed', async () => {
  expect(
    await parseAgentDefinition(
      createFile('tools: read, grep\nspawns: explore\nmodel: a/b, c\nthinking-level: high'),
      'user',
    ),
  ).toEqual({
    name: 'scout',
    description: 'Looks around',
    tools: ['read', 'grep'],
    spawns: ['explore'],
    models: ['a/b', 'c'],
    thinkingLevel: 'high',
    outputSchema: undefined,
    prompt: 'Look.',
    source: 'user',
  });
  expect(
    await parseAgentDefinition(
      createFile('tools:\n  - read\nspawns: "*"\noutput:\n  properties:\n    ok: {"type": "boolean"}'),
      'user',
    ),
  ).toMatchObject({
    tools: ['read'],
    spawns: '*',
    outputSchema: { properties: { ok: { type: 'boolean' } } },
  });
  expect(await parseAgentDefinition(createFile('spawns: ""'), 'user')).toMatchObject({ tools: undefined, spawns: [] });
});

test('a missing field and an unknown thinking level are reported', async () => {
  await expect(parseAgentDefinition('---\nname: a\n---\nx', 'user')).rejects.toThrow(
    'the field description is missing',
  );
  await expect(parseAgentDefinition('just text', 'user')).rejects.toThrow('the field name is missing');
  await expect(parseAgentDefinition(createFile('thinking-level: enormous'), 'user')).rejects.toThrow(
    'unknown thinking level: enormous',
  );
});

test('for equal names the precedence is project, user, bundled', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'parley-agents-'));
  try {
    for (const [folder, file, text] of [
      ['project', 'a.md', '---\nname: scout\ndescription: of the project\n---\n'],
      ['user', 'b.md', '---\nname: scout\ndescription: of the user\n---\n'],
      ['user', 'c.md', '---\nname: explore\ndescription: mine\n---\n'],
      ['user', 'd.md', 'no frontmatter'],
      ['user', 'e.txt', '---\nname: not an agent\ndescription: no\n---\n'],
    ] as const) {
      await mkdir(join(directory, folder), { recursive: true });
      await writeFile(join(directory, folder, file), text);
    }
    const { agents, problems } = await loadAgentRegistry(createSystemPorts({}).files, [
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
