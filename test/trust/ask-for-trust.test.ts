// Asking whether to trust a project, with real files: only the state that the user was asked about is trusted.
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { createSystemPorts } from '../../src/app/system-ports/index.ts';
import { askForTrust } from '../../src/trust/ask-for-trust.ts';
import { decideTrust } from '../../src/trust/decide-trust.ts';
import { createResourceLocator } from '../../src/trust/resource-locator.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

const ports = createSystemPorts({});

function writeProjectFile(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function writeHugeFile(cwd: string): void {
  writeProjectFile(cwd, '.pi/prompts/a.md', '');
  truncateSync(join(cwd, '.pi/prompts/a.md'), 2 ** 28);
}

/** A host that confirms, after `meanwhile` has run. */
function createConfirmingHost(meanwhile: (cwd: string) => void) {
  const agentDirectory = createTemporaryDirectory();
  const cwd = createTemporaryDirectory();
  writeProjectFile(cwd, '.parley/settings.json', '{}');
  writeProjectFile(cwd, '.parley/skills/a/SKILL.md', '---\ndescription: one\n---\n');
  const locator = createResourceLocator({ files: ports.files, cwd, agentDirectory, home: '/home/me', trusted: false });
  const notices: string[] = [];
  let questions = 0;
  const calls: string[] = [];
  const ask = () =>
    askForTrust({
      ...{ ports, agentDirectory, cwd, resourceLocator: locator, found: ['.parley/skills'], reason: 'undecided' },
      applySettings: async ({ digest }) => void calls.push(digest),
      notify: ({ message }) => void notices.push(message),
      ui: {
        async ask() {
          questions += 1;
          meanwhile(cwd);
          return { confirmed: true };
        },
      },
    });
  return { agentDirectory, cwd, locator, notices, calls, ask, questions: () => questions };
}

test('a confirmation trusts the state at the time of the question', async () => {
  const { ask, locator, calls, notices, cwd, agentDirectory } = createConfirmingHost(() => {});
  await ask();
  expect([locator.isTrusted, calls.length, notices.at(-1)]).toEqual([
    true,
    1,
    expect.stringMatching(/^This project is trusted/),
  ]);
  expect(await decideTrust({ files: ports.files, agentDirectory, cwd })).toMatchObject({ reason: 'saved' });
  const saved = JSON.parse(readFileSync(join(agentDirectory, 'trust.json'), 'utf8'));
  expect(saved.projects[cwd].digest).toBe(calls[0]);
});

test.each([
  [
    'a file changes',
    (cwd: string) => writeProjectFile(cwd, '.parley/skills/a/SKILL.md', '---\ndescription: two\n---\n'),
  ],
  ['a file is added', (cwd: string) => writeProjectFile(cwd, '.parley/extensions/new.ts', 'x')],
  ['the project becomes too large', writeHugeFile],
])('when %s before the answer, the project is not trusted, now or later', async (_, meanwhile) => {
  const { ask, locator, calls, notices, cwd, agentDirectory } = createConfirmingHost(meanwhile);
  await ask();
  expect([locator.isTrusted, calls, notices.at(-1)]).toEqual([
    false,
    [],
    'The project changed while you were being asked. It stays untrusted; restart to be asked again.',
  ]);
  expect(await decideTrust({ files: ports.files, agentDirectory, cwd })).toMatchObject({ trusted: false });
});

test('the user is not asked about a project that is too large; the notice contains the limit', async () => {
  const { ask, notices, cwd, questions } = createConfirmingHost(() => {});
  writeHugeFile(cwd);
  await ask();
  expect([questions(), notices.at(-1)]).toEqual([0, expect.stringContaining('more than 128 MB')]);
});
