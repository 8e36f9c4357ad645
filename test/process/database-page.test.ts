// Runs the command lines of docs/database.md with a database of the test.
import { randomBytes } from 'node:crypto';
import { chmodSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { fencesOf } from '../support/pages.ts';
import { createDirectories, runProgram } from '../support/program.ts';

const lines = fencesOf('docs/database.md')
  .filter(([, language]) => language === 'bash')
  .flatMap(([, , , code = '']) => code.trim().split('\n'));
/** Names and addresses of the page, which the test replaces. */
const OTHERS = ['npm install postgres', 'createdb parley'];
const EXAMPLE_ID = '3f2a';

test('every command line of the page succeeds', async () => {
  const { url } = await createTestDatabase();
  const directories = createDirectories();
  // The mode with which Parley creates the user directory.
  chmodSync(directories.home, 0o700);
  const env: Record<string, string> = {};
  let id = '';
  const ran: string[] = [];
  for (const line of lines.filter((each) => !OTHERS.includes(each))) {
    if (line.startsWith('export PARLEY_DATABASE_URL=')) env.PARLEY_DATABASE_URL = url;
    else if (line.startsWith('export PARLEY_DATABASE_KEY='))
      env.PARLEY_DATABASE_KEY = `k1:${randomBytes(32).toString('base64')}`;
    else {
      const [program, ...words] = (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''));
      expect(program).toBe('parley');
      const args = words.map((word) => (word === EXAMPLE_ID ? id : word));
      const { code, stdout, stderr } = await runProgram(args, '', { directories, env });
      expect({ line, code, stdout, stderr }).toEqual({ line, code: 0, stdout, stderr });
      ran.push(words.slice(0, 2).join(' '));
      if (line === 'parley "say hello"') {
        const { stdout: listed } = await runProgram(['sessions', '--json'], '', { directories, env });
        id = (JSON.parse(listed) as { id: string }).id;
      }
    }
  }
  const verbs = ['list', 'delete', 'prune', 'import', 'export', 'rekey'];
  expect(ran).toEqual(expect.arrayContaining(verbs.map((verb) => `sessions ${verb}`)));
}, 60_000);
