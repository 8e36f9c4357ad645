// Uses the features that need a terminal, in a terminal of `script`.
import { spawn } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { newPlace, type Place } from '../../support/program.ts';
import { until } from '../../support/until.ts';
import { chosen, OFFLINE, withSession, write } from './started.ts';

export function tryTerminal(): void {
  describe('terminal', () => {
    /** Runs the program in a terminal and types each input when its text has appeared. */
    async function atTerminal(
      args: string,
      steps: readonly (readonly [seen: string, typed: string])[],
      place: Place,
      env = {},
    ) {
      const command = `'${chosen.runtime ?? process.execPath}' '${inject('program')}' ${args}`;
      const child = spawn('script', ['-qec', command, '/dev/null'], {
        cwd: place.cwd,
        env: { PATH: process.env.PATH, HOME: place.home, PARLEY_DIR: place.home, TERM: 'xterm', ...chosen.env, ...env },
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      let screen = '';
      child.stdout.on('data', (chunk: Buffer) => {
        screen += chunk;
      });
      for (const [seen, typed] of steps) {
        await until(() => screen.includes(seen));
        screen = '';
        child.stdin.write(typed);
      }
      await new Promise((resolve) => child.once('close', resolve));
      return screen;
    }

    test('a conversation with an external editor', async () => {
      const place = newPlace();
      write(place.home, { 'editor.sh': '#!/bin/sh\necho "Say from-the-editor" > "$1"\n' });
      chmodSync(join(place.home, 'editor.sh'), 0o755);
      await atTerminal(
        OFFLINE.join(' '),
        [
          ['›', '/edit\r'],
          ['from-the-editor', '\r'],
          ['from-the-editor', '/quit\r'],
        ],
        place,
        { EDITOR: join(place.home, 'editor.sh') },
      );
    });

    test('--resume shows a list of sessions', async () => {
      const place = newPlace();
      await withSession(place);
      const screen = await atTerminal('-p --resume "Say again"', [['Number or id', '1\r']], place);
      expect(screen).toContain('again');
    });
  });
}
