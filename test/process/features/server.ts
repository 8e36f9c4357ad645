// Uses the server with the built program: the page, a WebSocket, the socket of a host, tokens and the browser.
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { createDirectories, startProgram } from '../../support/program.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { closeProgram, OFFLINE, runProgram, startRpc, withRuntime, writeFiles } from './feature-program.ts';

export function tryServer(): void {
  describe('the server', () => {
    test('tokens are added, listed and removed', async () => {
      const directories = createDirectories();
      const run = (...args: string[]) => runProgram(['serve', 'tokens', ...args], '', { directories });
      expect((await run('add', 'screen', '--read-only')).stdout).toMatch(/^[0-9a-f]{64}\n$/);
      expect((await run()).stdout).toMatch(/^screen +read /m);
      expect(await run('add', 'screen')).toMatchObject({ code: 2, stderr: expect.stringContaining('screen already') });
      expect(await run('remove', 'screen')).toMatchObject({ code: 0 });
      expect((await run('list')).stdout).toContain('There are no named tokens');
    });

    test('it opens the browser, and serves HTTP and a WebSocket', async () => {
      const directories = createDirectories();
      writeFiles(directories.home, {
        'bin/xdg-open': '#!/bin/sh\nprintf %s "$1" > "$HOME/opened.part" && mv "$HOME/opened.part" "$HOME/opened"\n',
      });
      chmodSync(join(directories.home, 'bin/xdg-open'), 0o755);
      const env = { PATH: `${join(directories.home, 'bin')}:${process.env.PATH}`, HOME: directories.home };
      const program = startProgram(
        ['serve', '--port', '0', '--json', '--open', ...OFFLINE],
        withRuntime({ directories, env }),
      );
      const started = await program.nextFrame({ type: 'unreadable' });
      const { url, token } = JSON.parse(String(started.text));
      const opened = join(directories.home, 'opened');
      await waitUntil(() => existsSync(opened));
      expect(readFileSync(opened, 'utf8')).toContain(url);
      expect(await (await fetch(`${url}healthz`)).json()).toMatchObject({ status: 'ok' });
      const socket = new WebSocket(`${url.replace('http', 'ws')}ws?token=${token}`);
      const frames: string[] = [];
      socket.on('message', (data) => void frames.push(String(data)));
      await waitUntil(() => frames.some((frame) => frame.includes('"session_attached"')));
      socket.close();
      program.kill('SIGTERM');
      expect((await program.exited).code).toBe(143);
    });

    test('a session that is opened again has its settings', async () => {
      const program = startProgram(['serve', '--port', '0', '--json', ...OFFLINE], withRuntime({}));
      const { url, token } = JSON.parse(String((await program.nextFrame({ type: 'unreadable' })).text));
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const post = async (path: string, body = {}) => {
        const response = await fetch(`${url}v1/sessions${path}`, {
          method: 'POST',
          headers,
          body: JSON.stringify(body),
        });
        return ((await response.json()) as { data?: unknown }).data as Record<string, string>;
      };
      const { sessionId } = await post('');
      await post(`/${sessionId}/commands/set_settings`, { scope: 'session', settings: { steeringMode: 'all' } });
      await post(`/${sessionId}/close`);
      expect(await post(`/${sessionId}/commands/get_state`)).toMatchObject({ sessionId, steeringMode: 'all' });
      program.kill('SIGTERM');
      expect((await program.exited).code).toBe(143);
    });

    test('programs on a socket use the session of the host', async () => {
      const directories = createDirectories();
      const path = join(directories.home, 'agent.sock');
      const program = startRpc([...OFFLINE, '--socket', path], { directories });
      await program.nextFrame({ type: 'session_attached' });
      const socket = connect(path);
      socket.end('{"type":"connect","client":"voice"}\n{"id":1,"type":"set_session_name","name":"spoken"}\n');
      const { client } = await program.nextFrame({ type: 'session_info_changed' });
      expect(client).toBe('voice');
      await closeProgram(program);
      expect(existsSync(path)).toBe(false);
    });
  });
}
