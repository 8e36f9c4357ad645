// Rule files in real folders: which are used and which problems are reported.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import { findRules } from '../../../src/core/resources/rules.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';

const { files } = createSystemPorts({});

test('rules with a trigger are loaded from .md and .mdc files in order of precedence', async () => {
  const root = createTemporaryDirectory();
  const writeRule = (folder: string, name: string, text: string) => {
    mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, folder, name), text);
  };
  writeRule('p', 'a.mdc', '---\nttsr_trigger: x+\nglobs: "*.ts"\nalwaysApply: true\n---\nProject.\n');
  writeRule('p', 'plain.md', '---\ndescription: no trigger\n---\nx\n');
  writeRule('p', 'bad.md', '---\nttsr_trigger: "("\n---\nx\n');
  writeRule('p', 'broken.md', '---\nttsr_trigger: "x\n---\nx\n');
  writeRule('p', 'a.txt', 'x');
  writeRule('u', 'a.md', '---\nttsr_trigger: y\n---\nUser.\n');
  writeRule('u', 'b.md', '---\ncondition: z\n---\nNewer spelling.\n');
  const problems: string[] = [];
  const folders = [
    { path: join(root, 'p'), level: 'project' as const },
    { path: join(root, 'u'), level: 'user' as const },
    { path: join(root, 'gone'), level: 'user' as const },
  ];
  const rules = await findRules(files, folders, problems);
  expect(rules.map(({ name, ttsrTrigger, content }) => [name, ttsrTrigger, content])).toEqual([
    ['a', 'x+', 'Project.'],
    ['b', 'z', 'Newer spelling.'],
  ]);
  expect(rules[0]).toMatchObject({ globs: ['*.ts'], alwaysApply: true, _source: { level: 'project' } });
  expect(problems).toEqual([
    `${root}/p/bad.md: ttsr_trigger is not a regular expression: (; it is ignored`,
    expect.stringContaining(`${root}/p/broken.md: line 2`),
  ]);
});
