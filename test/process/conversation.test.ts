import { existsSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startRpc } from '../support/program.ts';
import { listPaths, listSessionFiles, readEntries, readFileMode } from '../support/session-files.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

describe('the program in RPC mode', () => {
  test('sends ready with its version first', async () => {
    const program = startRpc();
    await program.nextFrame({ type: 'ready' });
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(program.frames[0]).toEqual({
      ...{ type: 'ready', version, protocolVersion: 1, dialect: 'omp' },
      ...{ supportedProtocolVersions: [1, 2], maxFrameBytes: 2 ** 20, maxReassembledFrameBytes: 2 ** 26 },
    });
  });

  test.each(['socket', 'pipe'] as const)('answers a prompt with a real tool over a %s', async (streams) => {
    const program = startRpc([], { streams });
    writeFileSync(join(program.cwd, 'shopping.txt'), 'milk\nbread\n');
    program.send({ id: '1', type: 'prompt', message: 'What files are here?' });
    await program.nextFrame({ type: 'response', id: '1', command: 'prompt', success: true });
    await program.nextFrame({ type: 'agent_start' });
    const tool = await program.nextFrame({ type: 'tool_execution_end', isError: false });
    expect(tool).toMatchObject({
      toolName: 'ls',
      result: { content: [{ text: expect.stringContaining('shopping.txt') }] },
    });
    const end = await program.nextFrame({ type: 'agent_end' });
    expect(end).toMatchObject({
      messages: [{ role: 'user' }, { role: 'assistant' }, { role: 'toolResult' }, { role: 'assistant' }],
    });
    const last = await program.call({ type: 'get_last_assistant_text' });
    expect(last).toMatchObject({ data: { text: expect.stringContaining('shopping.txt') } });
    program.stdin.end();
    expect(await program.exited).toMatchObject({ code: 0, stderr: '' });
    expect(program.frames.filter(({ type }) => type === 'unreadable')).toEqual([]);
  });

  test('creates and edits a file', async () => {
    const program = startRpc(['--no-session']);
    const file = join(program.cwd, 'note.txt');
    program.send({ type: 'prompt', message: 'create note.txt with `one two`' });
    await program.nextFrame({ type: 'agent_settled' });
    program.send({ type: 'prompt', message: 'replace `two` with `three` in note.txt' });
    await program.nextFrame({ type: 'agent_settled' });
    expect(readFileSync(file, 'utf8')).toContain('one three');
  });
});

describe('files that the program creates', () => {
  test('none without a prompt', async () => {
    const program = startRpc();
    expect(await program.call({ type: 'get_state' })).toMatchObject({ success: true });
    program.stdin.end();
    expect(await program.exited).toMatchObject({ code: 0 });
    expect(listPaths(program.home)).toEqual([]);
    expect(listPaths(program.cwd)).toEqual([]);
  });

  test('none with --no-session', async () => {
    const program = startRpc(['--no-session']);
    program.send({ type: 'prompt', message: 'run `echo hello`' });
    await program.nextFrame({ type: 'agent_settled' });
    const { data } = await program.call({ type: 'get_state' });
    expect(data).not.toHaveProperty('sessionFile');
    program.stdin.end();
    await program.exited;
    expect(listPaths(program.home)).toEqual([]);
  });

  test('a session file with mode 0600 in directories with mode 0700', async () => {
    const home = join(createTemporaryDirectory(), 'not', 'there', 'yet');
    const program = startRpc([], { env: { PARLEY_DIR: home } });
    program.send({ type: 'prompt', message: 'hello' });
    await program.nextFrame({ type: 'agent_settled' });
    const [file] = listSessionFiles(home);
    expect(readFileMode(file!)).toBe('600');
    for (let folder = dirname(file!); folder.startsWith(home); folder = dirname(folder))
      expect(readFileMode(folder)).toBe('700');
    expect(readEntries(file!)[0]).toMatchObject({ type: 'session', cwd: program.cwd });
  });

  test('the session file is created with the first prompt, at the path that get_state reports', async () => {
    const directory = join(createTemporaryDirectory(), 'sessions');
    const program = startRpc(['--session-dir', directory]);
    const { data } = (await program.call({ type: 'get_state' })) as unknown as { data: { sessionFile: string } };
    expect(dirname(data.sessionFile)).toBe(directory);
    expect(existsSync(directory)).toBe(false);
    await program.call({ type: 'prompt', message: 'hello' });
    expect(listSessionFiles(directory)).toEqual([data.sessionFile]);
    await program.nextFrame({ type: 'agent_settled' });
    expect(listPaths(program.home)).toEqual([]);
  });
});

test('the program opens no internet socket', async () => {
  const program = startRpc();
  await program.call({ type: 'get_state' });
  program.send({ type: 'prompt', message: 'run `sleep 100`' });
  await program.nextFrame({ type: 'tool_execution_start' });
  expect(inetSocketsOf(program.pid)).toEqual([]);
});

/** The lines of /proc/PID/net/* for sockets of the process. */
function inetSocketsOf(pid: number): string[] {
  const inodes = new Set(
    [...Array(64).keys()].flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
      } catch {
        return [];
      }
    }),
  );
  expect(inodes.size).toBeGreaterThan(0);
  return (
    ['tcp', 'tcp6', 'udp', 'udp6', 'raw']
      .map((table) => `/proc/${pid}/net/${table}`)
      // Without IPv6, tcp6 and udp6 do not exist.
      .filter((path) => existsSync(path))
      .flatMap((path) => readFileSync(path, 'latin1').split('\n').slice(1))
      .filter((line) => inodes.has(line.trim().split(/\s+/)[9] ?? ''))
  );
}
