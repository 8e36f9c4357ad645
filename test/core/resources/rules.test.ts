// Rules in real folders: which count, and what is said of those that cannot.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import { findRules } from '../../../src/core/resources/rules.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

const { files } = createSystemPorts({});

test('those with a trigger, from .md and .mdc, strongest first', async () => {
  const root = temporaryDirectory();
  const put = (folder: string, name: string, text: string) => {
    mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, folder, name), text);
  };
  put('p', 'a.mdc', '---\nttsr_trigger: x+\nglobs: "*.ts"\nalwaysApply: true\n---\nProject.\n');
  put('p', 'plain.md', '---\ndescription: no trigger\n---\nx\n');
  put('p', 'bad.md', '---\nttsr_trigger: "("\n---\nx\n');
  put('p', 'broken.md', '---\nttsr_trigger: "x\n---\nx\n');
  put('p', 'a.txt', 'x');
  put('u', 'a.md', '---\nttsr_trigger: y\n---\nUser.\n');
  put('u', 'b.md', '---\ncondition: z\n---\nNewer spelling.\n');
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
