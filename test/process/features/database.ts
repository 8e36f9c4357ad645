// Stores sessions in PostgreSQL.
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../../support/database.ts';
import { createRepositoryWithRemote } from '../../support/git-remote.ts';
import { createDirectories } from '../../support/program.ts';
import { startServer, stopServer } from '../../support/server.ts';
import { waitUntil } from '../../support/wait-until.ts';
import {
  closeProgram,
  createSession,
  OFFLINE,
  promptAndSettle,
  runProgram,
  startRpc,
  withRuntime,
} from './feature-program.ts';

interface StateResponse {
  readonly data: { readonly sessionId: string; readonly sessionFile: string };
}

export function tryDatabase(): void {
  describe('sessions in PostgreSQL', () => {
    test('a session is stored, continued, searched and listed', async () => {
      const { url } = await createTestDatabase();
      const options = { directories: createDirectories(), env: { PARLEY_DATABASE_URL: url } };
      const first = startRpc(OFFLINE, options);
      await promptAndSettle(first, 'say hello');
      const { data } = (await first.call({ type: 'get_state' })) as unknown as StateResponse;
      expect(data.sessionFile).toBe(`postgres:${data.sessionId}`);
      expect(await first.call({ type: 'list_sessions', query: 'hello' })).toMatchObject({
        data: { sessions: [{ id: data.sessionId, path: data.sessionFile }] },
      });
      await closeProgram(first);
      const second = startRpc([...OFFLINE, '--continue'], options);
      expect(await second.call({ type: 'get_last_assistant_text' })).toMatchObject({ data: { text: 'hello' } });
      await closeProgram(second);
    });

    test('a server with a database is a node of a fleet', async () => {
      const { url } = await createTestDatabase();
      const env = { PARLEY_DATABASE_URL: url };
      const server = await startServer(OFFLINE, withRuntime({ env }));
      const id = await server.createSession();
      expect(
        await server.request(`/v1/sessions/${id}/commands/prompt?wait=settled`, {
          method: 'POST',
          body: { message: 'say hello' },
        }),
      ).toMatchObject({ status: 200 });
      expect(await stopServer(server)).toMatchObject({ code: 143, stderr: '' });
      const listed = await runProgram([...OFFLINE, '--continue', '-p', 'say bye'], '', {
        env,
        directories: server.program,
      });
      expect(listed.stdout).toBe('bye\n');
    });

    test('a server serves the session of another one', async () => {
      const env = { PARLEY_DATABASE_URL: (await createTestDatabase()).url };
      const start = () => startServer(OFFLINE, withRuntime({ env }));
      const [first, second] = [await start(), await start()];
      const id = await first.createSession();
      expect(await second.call(id, 'prompt', { message: 'say hello' })).toMatchObject({ success: true });
      for (const server of [second, first]) expect(await stopServer(server)).toMatchObject({ code: 143 });
    });

    test('a token gives access to the sessions of its tenant', async () => {
      const env = { PARLEY_DATABASE_URL: (await createTestDatabase()).url };
      const tokens = await runProgram(['serve', 'tokens', 'add', 'bot', '--tenant', 'team'], '', { env });
      const token = tokens.stdout.trim();
      const server = await startServer(OFFLINE, withRuntime({ env }));
      const created = await server.request('/v1/sessions', { method: 'POST', body: {}, token });
      expect(created.status).toBe(201);
      expect((await server.request('/v1/sessions', { token })).json).toMatchObject({ data: { sessions: [{}] } });
      expect((await server.request('/v1/sessions')).json).toMatchObject({ data: { sessions: [] } });
      expect(await stopServer(server)).toMatchObject({ code: 143 });
      const removed = await runProgram(['serve', 'tokens', 'remove', 'bot', '--tenant', 'team'], '', { env });
      expect(removed.stdout).toBe('Removed bot. Its connections are ended.\n');
    });

    test('a fleet without nodes', async () => {
      const { code, stderr } = await runProgram(['serve', '--demo-fleet', '0']);
      expect(code).toBe(2);
      expect(stderr).toContain('--demo-fleet must be a number');
    });

    test('subcommands use the database', async () => {
      const { url } = await createTestDatabase();
      const env = { PARLEY_DATABASE_URL: url };
      const directories = createDirectories();
      const { id, file } = await createSession(directories, 'Say hello', env);
      const run = (...args: string[]) => runProgram(args, '', { directories, env });
      const listed = await run('sessions', '--json');
      expect(JSON.parse(listed.stdout)).toMatchObject({ id, path: file, messages: 2, opening: 'Say hello' });
      const elsewhere = await runProgram(['sessions', 'list', '--all', '--store', url, '--tenant', 'b'], '', {
        directories,
      });
      expect(elsewhere.stdout).toContain('No sessions here');
      expect(await run('export', id.slice(0, 8))).toMatchObject({ code: 0, stderr: '' });
      expect(readFileSync(join(directories.cwd, `${id}.html`), 'utf8')).toContain('Say hello');
      expect((await run('sessions', 'prune', '--older-than', '0.0000001', '--dry-run')).stdout).toBe(
        `Would delete ${file}\n`,
      );
      expect((await run('sessions', 'delete', id.slice(0, 8))).stdout).toBe(`Deleted ${file}\n`);
      await createSession(directories, 'Say more', env);
      const unconfirmed = await run('sessions', 'delete', '--all', '--tenant', 'default');
      expect(unconfirmed).toMatchObject({ code: 2, stdout: '' });
      expect(unconfirmed.stderr).toContain('would delete all 1 sessions of tenant default');
      expect((await run('sessions', 'delete', '--all', '--tenant', 'default', '--yes')).stdout).toBe(
        'Deleted 1 sessions of tenant default.\n',
      );
    });

    test('sessions are imported, exported, encrypted and decrypted', async () => {
      const { url } = await createTestDatabase();
      const key = `new:${Buffer.alloc(32, 5).toString('base64')}`;
      const directories = createDirectories();
      const { id, file } = await createSession(directories);
      const log = readFileSync(file);
      const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
        runProgram(['sessions', ...args, '--store', url], '', { directories, env });
      expect((await run(['import', '--all', '--dry-run'])).stdout).toBe(`Would import ${file}\n`);
      expect((await run(['import', file])).stdout).toMatch(/^Imported \S+ \(.* kB\)\n$/);
      expect((await run(['import', id.slice(0, 8)])).stdout).toBe(`Skipped, because it exists: ${file}\n`);
      const replaced = await run(['import', dirname(file), '--replace', '--json']);
      expect(JSON.parse(replaced.stdout)).toMatchObject({ outcome: 'replaced', id, path: file });
      expect(await run(['rekey'])).toMatchObject({ code: 2, stderr: expect.stringContaining('is not set') });
      const env = { PARLEY_DATABASE_KEY: key };
      expect((await run(['rekey'], env)).stdout).toBe('Encrypted with the key new: 1 sessions.\n');
      expect((await run(['rekey'], env)).stdout).toBe('Encrypted with the key new: 0 sessions.\n');
      expect(await run(['export', '--all', '--to', 'x'])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('encrypted with the key new. Add this key to PARLEY_DATABASE_KEY'),
      });
      const target = join(directories.cwd, 'backup');
      const { stdout } = await run(['export', id.slice(0, 8), '--to', 'backup'], env);
      const exported = /^Exported (\S+)/.exec(stdout)?.[1] ?? '';
      expect(exported.startsWith(`${target}/sessions/`)).toBe(true);
      expect(basename(exported)).toBe(basename(file));
      expect(readFileSync(exported).equals(log)).toBe(true);
      expect((await run(['rekey', '--decrypt', '--json'], env)).stdout).toBe(
        `{"outcome":"changed","path":"postgres:${id}"}\n`,
      );
      expect((await run(['list', '--json'])).stdout).toContain('Say hello');
    });

    test('doctor checks the database and shows no password', async () => {
      const { url } = await createTestDatabase();
      const check = async (address: string) => {
        const { stdout } = await runProgram(['doctor', '--json'], '', { env: { PARLEY_DATABASE_URL: address } });
        const { findings } = JSON.parse(stdout) as { findings: { check: string; status: string; found: string }[] };
        return { findings: findings.filter((finding) => finding.check === 'database'), stdout };
      };
      expect((await check(url)).findings).toMatchObject([
        { status: 'ok', found: expect.stringContaining('can be reached; the tables are created') },
      ]);
      await createSession(createDirectories(), 'Say hello', { PARLEY_DATABASE_URL: url });
      expect((await check(url)).findings).toMatchObject([
        { status: 'ok', found: expect.stringMatching(/tables of version \d+; tenant default, 1 sessions/) },
      ]);
      const refused = await check('postgres://parley:pass-word@127.0.0.1:1/none');
      expect(refused.findings).toMatchObject([{ status: 'error', found: expect.stringContaining('127.0.0.1:1/none') }]);
      expect(refused.stdout).not.toContain('pass-word');
    });

    test('the files of a session are saved on a remote', async () => {
      const [{ url }, repository] = [await createTestDatabase(), createRepositoryWithRemote({ file: 'x\n' })];
      const directories = { ...createDirectories(), cwd: repository.source };
      const args = [...OFFLINE, '--set', 'workspace.remote=origin'];
      const server = await startServer(args, withRuntime({ directories, env: { PARLEY_DATABASE_URL: url } }));
      await server.createSession();
      await waitUntil(() => repository.listRemoteRefs().length === 1);
      expect(await stopServer(server)).toMatchObject({ code: 143, stderr: '' });
    });

    test('an address that is not valid', async () => {
      const { code, stderr } = await runProgram(['--store', 'mysql://x', '-p', 'hello']);
      expect(code).toBe(2);
      expect(stderr).toContain('store must have the form postgres://USER:PASSWORD@HOST:PORT/NAME');
    });
  });
}
