// Asking whether a project may count, with real files: what is shown is what is trusted, or nothing is.
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import { decideTrust } from '../../../src/app/trust/decide.ts';
import { introduceProject } from '../../../src/app/trust/introduce.ts';
import { createPlaces } from '../../../src/app/trust/places.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

const ports = createSystemPorts({});

function put(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function putTooMuch(cwd: string): void {
  put(cwd, '.pi/prompts/a.md', '');
  truncateSync(join(cwd, '.pi/prompts/a.md'), 2 ** 28);
}

/** The host says yes, after something has happened. */
function asked(meanwhile: (cwd: string) => void) {
  const agentDirectory = temporaryDirectory();
  const cwd = temporaryDirectory();
  put(cwd, '.parley/settings.json', '{}');
  put(cwd, '.parley/skills/a/SKILL.md', '---\ndescription: one\n---\n');
  const places = createPlaces({ files: ports.files, cwd, agentDirectory, home: '/home/me', trusted: false });
  const told: string[] = [];
  let questions = 0;
  const calls: string[] = [];
  const introduce = () =>
    introduceProject({
      ...{ ports, agentDirectory, cwd, places, found: ['.parley/skills'], because: 'open' },
      takeSettings: async ({ digest }) => void calls.push(digest),
      tell: ({ message }) => void told.push(message),
      ui: {
        async ask() {
          questions += 1;
          meanwhile(cwd);
          return { confirmed: true };
        },
      },
    });
  return { agentDirectory, cwd, places, told, calls, introduce, questions: () => questions };
}

test('a yes counts for what was there when the question was asked', async () => {
  const { introduce, places, calls, told, cwd, agentDirectory } = asked(() => {});
  await introduce();
  expect([places.trusted, calls.length, told.at(-1)]).toEqual([
    true,
    1,
    expect.stringMatching(/^This project is trusted/),
  ]);
  expect(await decideTrust({ files: ports.files, agentDirectory, cwd })).toMatchObject({ because: 'remembered' });
  const kept = JSON.parse(readFileSync(join(agentDirectory, 'trust.json'), 'utf8'));
  expect(kept.projects[cwd].digest).toBe(calls[0]);
});

test.each([
  ['a file changes', (cwd: string) => put(cwd, '.parley/skills/a/SKILL.md', '---\ndescription: two\n---\n')],
  ['a file is added', (cwd: string) => put(cwd, '.parley/extensions/new.ts', 'x')],
  ['there is too much', putTooMuch],
])('when %s before the answer, nothing counts, now or later', async (_, meanwhile) => {
  const { introduce, places, calls, told, cwd, agentDirectory } = asked(meanwhile);
  await introduce();
  expect([places.trusted, calls, told.at(-1)]).toEqual([
    false,
    [],
    'The project has changed while you were asked. It stays untrusted; start again to be asked anew.',
  ]);
  expect(await decideTrust({ files: ports.files, agentDirectory, cwd })).toMatchObject({ trusted: false });
});

test('what is too much to be trusted for good is not asked about; the notice gives the limit', async () => {
  const { introduce, told, cwd, questions } = asked(() => {});
  putTooMuch(cwd);
  await introduce();
  expect([questions(), told.at(-1)]).toEqual([0, expect.stringContaining('more than 128 MB')]);
});
