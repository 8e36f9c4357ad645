import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, inject, test } from 'vitest';
import { createDirectories, startProgram, startRpc } from '../support/program.ts';
import { readRoles } from '../support/session-files.ts';

describe.each(['socket', 'pipe'] as const)('when stdin, a %s, ends', (streams) => {
  test('an idle program exits', async () => {
    const program = startRpc(['--model', 'parley/offline'], { streams });
    await program.nextFrame({ type: 'ready' });
    program.stdin.end();
    expect(await program.exited).toMatchObject({ code: 0, stderr: '' });
    expect(program.frames).toHaveLength(1);
  });

  test('accepted work is finished, and its events are sent', async () => {
    const program = startRpc([], { streams });
    program.send({ id: '1', type: 'prompt', message: 'run `echo done`' });
    program.stdin.end();
    expect(await program.exited).toMatchObject({ code: 0, stderr: '' });
    const types = program.frames.map(({ type }) => type);
    expect(types.slice(-4)).toEqual(['agent_end', 'agent_settled', 'prompt_result', 'session_settled']);
    expect(types).toContain('tool_execution_end');
    expect(readRoles(program.home)).toEqual(['user', 'assistant', 'toolResult', 'assistant']);
  });

  test('queued messages are run', async () => {
    const program = startRpc(['--no-session'], { streams });
    program.send(
      { id: '1', type: 'prompt', message: 'run `echo one`' },
      { id: '2', type: 'prompt', message: 'run `echo two`', streamingBehavior: 'followUp' },
    );
    program.stdin.end();
    expect(await program.exited).toMatchObject({ code: 0 });
    const tools = program.frames.filter(({ type }) => type === 'tool_execution_end');
    expect(tools.map((frame) => JSON.stringify(frame.result))).toEqual([
      expect.stringContaining('one'),
      expect.stringContaining('two'),
    ]);
  });

  test('with --on-eof abort the run is aborted', async () => {
    const program = startRpc(['--on-eof', 'abort'], { streams });
    program.send({ id: '1', type: 'prompt', message: 'run `sleep 1000`' });
    await program.nextFrame({ type: 'tool_execution_start' });
    program.stdin.end();
    expect(await program.exited).toMatchObject({ code: 0, stderr: '' });
    expect(program.frames.at(-3)).toEqual({ type: 'agent_settled', aborted: true });
    expect(program.frames.at(-2)).toMatchObject({ type: 'prompt_result', id: '1', status: 'aborted' });
  });

  test('a last line without a newline is processed', async () => {
    const program = startRpc(['--model', 'parley/offline'], { streams });
    program.stdin.end('{"id":"last","type":"get_state"}');
    expect(await program.exited).toMatchObject({ code: 0 });
    expect(program.frames.at(-1)).toMatchObject({ id: 'last', success: true });
  });
});

test.each([
  ['closed from the start', '<&-'],
  ['/dev/null', '</dev/null'],
  ['a directory', '</'],
])('a program whose stdin is %s sends ready and exits', async (_kind, redirection) => {
  const directories = createDirectories();
  const script = `exec "$0" "$1" --mode rpc --model parley/offline ${redirection}`;
  const child = spawn('sh', ['-c', script, process.execPath, inject('program')], {
    cwd: directories.cwd,
    env: { PATH: process.env.PATH, HOME: directories.home, PARLEY_DIR: directories.home },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  const [code] = await once(child, 'close');
  expect({ code, lines: out.trim().split('\n').length }).toEqual({ code: 0, lines: 1 });
  expect(JSON.parse(out)).toMatchObject({ type: 'ready' });
});

test('in print mode the end of stdin is the end of the message', async () => {
  const program = startProgram(['-p', '--model', 'parley/offline']);
  program.stdin.write('say `');
  program.stdin.end('hello`');
  expect(await program.exited).toMatchObject({ code: 0, stdout: 'hello\n', stderr: '' });
});
