// Uses the features that need a terminal, in a terminal of `script`.
import { spawn } from 'node:child_process';
import { chmodSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { createTestDatabase } from '../../support/database.ts';
import { createDirectories, type ProgramDirectories } from '../../support/program.ts';
import { startServeProgram } from '../../support/serve-program.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { createSession, OFFLINE, runtimeOptions, writeFiles } from './feature-program.ts';

export function tryTerminal(): void {
  describe('terminal', () => {
    /** Runs the program in a terminal and types each input when its text has appeared. */
    async function atTerminal(
      args: string,
      steps: readonly (readonly [seen: string, typed: string])[],
      programDirectories: ProgramDirectories,
      env = {},
    ) {
      const command = `'${runtimeOptions.runtime ?? process.execPath}' '${inject('program')}' ${args}`;
      const child = spawn('script', ['-qec', command, '/dev/null'], {
        cwd: programDirectories.cwd,
        env: {
          PATH: process.env.PATH,
          HOME: programDirectories.home,
          PARLEY_DIR: programDirectories.home,
          TERM: 'xterm',
          ...runtimeOptions.env,
          ...env,
        },
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      let screen = '';
      child.stdout.on('data', (chunk: Buffer) => {
        screen += chunk;
      });
      for (const [seen, typed] of steps) {
        await waitUntil(() => screen.includes(seen)).catch((thrown: Error) => {
          throw new Error(`${thrown.message}; waiting for ${JSON.stringify(seen)} in ${JSON.stringify(screen)}`);
        });
        // Without input the next text can already be there: both can arrive in one chunk.
        screen = typed === '' ? screen.slice(screen.indexOf(seen) + seen.length) : '';
        child.stdin.write(typed);
      }
      await new Promise((resolve) => child.once('close', resolve));
      return screen;
    }

    test('a conversation with an external editor', async () => {
      const directories = createDirectories();
      writeFiles(directories.home, { 'editor.sh': '#!/bin/sh\necho "Say from-the-editor" > "$1"\n' });
      chmodSync(join(directories.home, 'editor.sh'), 0o755);
      await atTerminal(
        OFFLINE.join(' '),
        [
          ['›', '/edit\r'],
          ['from-the-editor', '\r'],
          ['from-the-editor', '/quit\r'],
        ],
        directories,
        { EDITOR: join(directories.home, 'editor.sh') },
      );
    });

    test('the history of a session, with highlighted code', async () => {
      const directories = createDirectories();
      writeFiles(directories.cwd, { 'a.ts': 'const answer = 42;\n' });
      await createSession(directories, 'read a.ts');
      const steps = [['\u001b[35mconst', '/quit\r']] as const;
      await atTerminal([...OFFLINE, '--continue'].join(' '), steps, directories);
    });

    test('attached to a server, over a WebSocket and over its socket', async () => {
      const directories = createDirectories();
      const socket = join(directories.home, 'server.sock');
      const { url } = await startServeProgram({ ...runtimeOptions, directories, args: ['--socket', socket] });
      const webSocketSteps = [
        ['Attached to http', 'Say over-the-web\r'],
        ['over-the-web', ''],
        ['›', '/name Kept\r'],
        ['name set to Kept', '/quit\r'],
      ] as const;
      expect(await atTerminal(`attach ${url} --new`, webSocketSteps, directories)).toContain('Detached.');
      const socketSteps = [
        ['Number, id, or n', '1\r'],
        // The address is wrapped, so each of its words is drawn alone.
        ['unix:/', ''],
        ['over-the-web', '/quit\r'],
      ] as const;
      expect(await atTerminal('attach', socketSteps, directories)).toContain('Detached.');
    });

    test('a session that other programs use over a socket', async () => {
      const directories = createDirectories();
      const args = [...OFFLINE, '--socket', join(directories.home, 'agent.sock')].join(' ');
      const steps = [
        ['›', 'What files are here?\r'],
        ['directory is empty', ''],
        ['›', '/quit\r'],
      ] as const;
      expect(await atTerminal(args, steps, directories)).toContain('Resume with:');
    });

    test('the branch in the footer and the menu of files', async () => {
      const directories = createDirectories();
      writeFiles(directories.cwd, { '.git/HEAD': 'ref: refs/heads/some-branch\n', 'a note.txt': 'x' });
      await atTerminal(
        OFFLINE.join(' '),
        [
          ['some-branch', 'Say @no'],
          ['a note.txt', '\t\r'],
          ['@"a note.txt"', '/quit\r'],
        ],
        directories,
      );
    });

    test('/cost, /context, /model, /login and /logout', async () => {
      const directories = createDirectories();
      await atTerminal(
        OFFLINE.join(' '),
        [
          ['›', '/cost\r'],
          ['cache write', '/context\r'],
          ['messages (0)', '/model\r'],
          ['type to filter', '\u001b'],
          ['›', '/login openai\r'],
          ['sign-in', 'key'],
          ['API key', '\r'],
          ['it is not shown', 'sk-secret\r'],
          ['is stored in auth.json', ''],
          ['Select a model', '\u001b'],
          ['›', '/logout openai\r'],
          ['Removed the credentials', '/login openrouter\r'],
          ['sign-in', '\r'],
          ['if it does not open', '\u001b'],
          ['Cancelled: Paste', '\u001b'],
          ['The login was cancelled', '/quit\r'],
        ],
        directories,
      );
      const path = join(directories.home, 'auth.json');
      expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['{}\n', 0o600]);
    });

    test('--resume in a conversation lists the sessions of a database', async () => {
      const { url } = await createTestDatabase();
      const directories = createDirectories();
      const env = { PARLEY_DATABASE_URL: url };
      await createSession(directories, 'Say stored-text', env);
      const steps = [
        ['Say stored-text', '\r'],
        ['stored-text', ''],
        ['›', '/quit\r'],
      ] as const;
      const screen = await atTerminal([...OFFLINE, '--resume'].join(' '), steps, directories, env);
      expect(screen).toContain('Resume with: parley --session');
    });

    test('--resume shows a list of sessions', async () => {
      const directories = createDirectories();
      await createSession(directories);
      const screen = await atTerminal('-p --resume "Say again"', [['Number or id', '1\r']], directories);
      expect(screen).toContain('again');
    });
  });
}
