// Resumes a long session of another program, with and without a digest. Hosts must get the same data.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDirectories, type ProgramDirectories, runProgram, startRpc } from '../support/program.ts';
import { readEntries, readFileMode } from '../support/session-files.ts';

const STAMP = '2026-01-02T03:04:05.000Z';

/** A session of another program that is long enough for a digest, with its name near the beginning. */
function longSession({ home, cwd }: ProgramDirectories, messages = 900): string {
  const file = join(home, 'foreign.jsonl');
  const id = (n: number) => n.toString(16).padStart(8, '0');
  const lines: object[] = [{ type: 'session', version: 3, id: 'foreign', timestamp: STAMP, cwd }];
  const add = (type: string, body: object) => {
    const n = lines.length;
    lines.push({ type, id: id(n), parentId: n === 1 ? null : id(n - 1), timestamp: STAMP, ...body });
  };
  add('model_change', { provider: 'parley', modelId: 'offline' });
  add('session_info', { name: 'a long session' });
  for (let n = 0; n < messages; n += 1)
    add('message', { message: { role: 'user', content: `question ${n} ${'and more '.repeat(40)}`, timestamp: n } });
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return file;
}

/** Starts the program, and returns its state and its messages. */
async function openSession(programDirectories: ProgramDirectories, file: string, prompt?: string) {
  const program = startRpc(['--session', file], { directories: programDirectories });
  const state = await program.call({ type: 'get_state' });
  if (prompt !== undefined) {
    program.send({ type: 'prompt', message: prompt });
    await program.nextFrame({ type: 'agent_settled' });
  }
  const messages = await program.call({ type: 'get_messages' });
  program.stdin.end();
  expect((await program.exited).code).toBe(0);
  return { state: state.data, messages: (messages.data as { messages: unknown[] }).messages };
}

test('state and messages are the same with and without a digest, also after new messages', async () => {
  const directories = createDirectories();
  const file = longSession(directories);
  const before = readFileSync(file);
  const first = await openSession(directories, file);
  expect(first.state).toMatchObject({ sessionName: 'a long session', messageCount: 900 });
  expect(readFileMode(`${file}.digest`)).toBe('600');
  expect(readFileSync(`${file}.digest`, 'utf8')).not.toContain('question');
  // Opening the file does not change it.
  expect(readFileSync(file).equals(before)).toBe(true);
  expect(await openSession(directories, file)).toEqual(first);
  const prompted = await openSession(directories, file, 'say `more`');
  expect(prompted.messages).toHaveLength(902);
  const after = await openSession(directories, file);
  expect(after.state).toMatchObject({ sessionName: 'a long session', messageCount: 902 });
  rmSync(`${file}.digest`);
  expect(await openSession(directories, file)).toEqual(after);
  expect(after.messages).toEqual(prompted.messages);
  const ids = readEntries(file).map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
}, 120_000);

test('a digest stays correct after kill -9 and after writes of another program', async () => {
  const directories = createDirectories();
  const file = longSession(directories);
  await openSession(directories, file);
  const program = startRpc(['--session', file], { directories });
  program.send({ type: 'prompt', message: 'say `more`' });
  await program.nextFrame({ type: 'agent_settled' });
  program.kill('SIGKILL');
  await program.exited;
  const after = await openSession(directories, file);
  expect(after.state).toMatchObject({ messageCount: 902 });
  const last = readEntries(file).at(-1) as { id: string };
  const foreignMessage = { role: 'user', content: 'from elsewhere', timestamp: 1 };
  const line = { type: 'message', id: 'ffffffff', parentId: last.id, timestamp: STAMP, message: foreignMessage };
  writeFileSync(file, `${JSON.stringify(line)}\n`, { flag: 'a' });
  const again = await openSession(directories, file);
  expect(again.state).toMatchObject({ messageCount: 903 });
  expect(again.messages.at(-1)).toEqual(foreignMessage);
}, 120_000);

test('--no-session writes no digest, and deleting a session removes its digest', async () => {
  const directories = createDirectories();
  const file = longSession(directories);
  const program = startRpc(['--no-session'], { directories });
  await program.call({ type: 'get_state' });
  program.stdin.end();
  await program.exited;
  expect(existsSync(`${file}.digest`)).toBe(false);
  await openSession(directories, file);
  expect(existsSync(`${file}.digest`)).toBe(true);
  // By its path, because it is not in a session directory.
  const { code } = await runProgram(['sessions', 'delete', file], '', { directories });
  expect([code, existsSync(file), existsSync(`${file}.digest`)]).toEqual([0, false, false]);
}, 120_000);
