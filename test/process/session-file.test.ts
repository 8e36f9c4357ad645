// `--session` with an empty or missing file starts a new session in it, as hosts of pi expect.
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createDirectories, runProgram, startRpc } from '../support/program.ts';
import { listSessionFiles, readEntries } from '../support/session-files.ts';

describe.each([
  [
    'an empty file',
    (path: string) => {
      writeFileSync(path, '');
      chmodSync(path, 0o644);
    },
  ],
  ['a missing file', () => {}],
])('%s', (_, prepare) => {
  test('becomes the file of a new session, which can be resumed', async () => {
    const directories = createDirectories();
    const file = join(directories.cwd, 'chosen.jsonl');
    prepare(file);
    const program = startRpc(['--session', file], { directories });
    expect(await program.call({ type: 'get_state' })).toMatchObject({ data: { sessionFile: file, messageCount: 0 } });
    program.send({ id: '1', type: 'prompt', message: 'say `hello`' });
    await program.nextFrame({ type: 'agent_settled' });
    program.stdin.end();
    expect(await program.exited).toMatchObject({ code: 0, stderr: '' });
    expect(readEntries(file)[0]).toMatchObject({ type: 'session', version: 3, cwd: directories.cwd });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(listSessionFiles(directories.home)).toEqual([]);
    const next = startRpc(['--session', file], { directories });
    expect(await next.call({ type: 'get_state' })).toMatchObject({ data: { sessionFile: file, messageCount: 2 } });
  });

  test('works in print mode and with a relative path', async () => {
    const directories = createDirectories();
    prepare(join(directories.cwd, 'e.jsonl'));
    const printed = await runProgram(['--session', 'e.jsonl', '--model', 'parley/offline', 'say `hello`'], '', {
      directories,
    });
    expect(printed).toMatchObject({ code: 0, stdout: 'hello\n', stderr: '' });
    expect(readEntries(join(directories.cwd, 'e.jsonl'))[0]).toMatchObject({ type: 'session' });
    const again = await runProgram(['--session', 'e.jsonl', '--mode', 'json', 'say `more`'], '', { directories });
    expect(again.code).toBe(0);
    expect(readEntries(join(directories.cwd, 'e.jsonl')).filter(({ type }) => type === 'session')).toHaveLength(1);
  });
});

test('an empty file stays empty if nothing is written', async () => {
  const directories = createDirectories();
  const file = join(directories.cwd, 'e.jsonl');
  writeFileSync(file, '');
  const program = startRpc(['--session', file], { directories });
  await program.call({ type: 'get_state' });
  program.stdin.end();
  await program.exited;
  expect(readFileSync(file, 'utf8')).toBe('');
});

test('only one of two programs with the same empty file writes to it', async () => {
  const directories = createDirectories();
  const file = join(directories.cwd, 'e.jsonl');
  writeFileSync(file, '');
  const [one, two] = [startRpc(['--session', file], { directories }), startRpc(['--session', file], { directories })];
  await two.call({ type: 'get_state' });
  expect(await one.call({ type: 'bash', command: 'true' })).toMatchObject({ success: true });
  expect(await two.call({ type: 'prompt', message: 'hello' })).toMatchObject({ success: false });
  one.stdin.end();
  await one.exited;
  expect(await two.call({ type: 'prompt', message: 'hello' })).toMatchObject({
    success: false,
    error: `Session file ${file} is no longer empty. Open it again to continue that session.`,
  });
  expect(readEntries(file).filter(({ type }) => type === 'session')).toHaveLength(1);
});

test('switch_session accepts an empty file and rejects a missing one', async () => {
  const directories = createDirectories();
  const file = join(directories.cwd, 'e.jsonl');
  writeFileSync(file, '');
  const program = startRpc([], { directories });
  const absent = join(directories.cwd, 'absent.jsonl');
  expect(await program.call({ type: 'switch_session', sessionPath: absent })).toMatchObject({
    success: false,
    error: `Session not found: ${absent}`,
  });
  expect(await program.call({ type: 'switch_session', sessionPath: file })).toMatchObject({ success: true });
  expect(await program.call({ type: 'get_state' })).toMatchObject({ data: { sessionFile: file, messageCount: 0 } });
  await program.call({ type: 'bash', command: 'true' });
  expect(readEntries(file)[0]).toMatchObject({ type: 'session' });
  expect(existsSync(absent)).toBe(false);
});

test.each([
  [
    'a directory that does not exist',
    'no/such/e.jsonl',
    'Session not found: no/such/e.jsonl. To start one there, create the directory CWD/no/such first.',
  ],
  ['a directory', 'folder.jsonl', 'Not a session: folder.jsonl is a directory'],
  [
    'a file that is not a session',
    'notes.jsonl',
    'Not a session: CWD/notes.jsonl does not begin with a session header',
  ],
  ['the beginning of an id that is unknown', 'zzz', 'Session not found: zzz'],
])('rejected with the reason: %s', async (_, path, reason) => {
  const directories = createDirectories();
  mkdirSync(join(directories.cwd, 'folder.jsonl'));
  writeFileSync(join(directories.cwd, 'notes.jsonl'), 'shopping list\n');
  const { code, stdout, stderr } = await runProgram(['--session', path, 'hello'], '', { directories });
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining(reason.replace('CWD', directories.cwd)),
  });
  expect(readFileSync(join(directories.cwd, 'notes.jsonl'), 'utf8')).toBe('shopping list\n');
});

test('garbage after the header is reported, and the session can be resumed', async () => {
  const directories = createDirectories();
  const file = join(directories.cwd, 'e.jsonl');
  await runProgram(['--session', file, 'say `hello`'], '', { directories });
  const [header, ...rest] = readFileSync(file, 'utf8').split('\n');
  writeFileSync(file, [header, 'garbage', ...rest].join('\n'));
  const program = startRpc(['--session', file], { directories });
  expect(await program.nextFrame({ type: 'notice' })).toMatchObject({
    level: 'warning',
    source: 'storage',
    message: '7 unreadable bytes were skipped',
    offset: `${header}\n`.length,
  });
  expect(await program.call({ type: 'get_state' })).toMatchObject({ data: { messageCount: 2 } });
});
