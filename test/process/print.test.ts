import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createDirectories, runProgram, startProgram } from '../support/program.ts';
import { listPaths, listSessionFiles, readEntries } from '../support/session-files.ts';

/** One pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe('a message on the command line', () => {
  test('is answered as text, and the session is stored', async () => {
    const directories = createDirectories();
    const outcome = await runProgram(['--model', 'parley/offline', 'say `hello there`'], '', { directories });
    expect(outcome).toEqual({ code: 0, signal: null, stdout: 'hello there\n', stderr: '' });
    expect(listSessionFiles(directories.home)).toHaveLength(1);
  });

  test('is answered with tools', async () => {
    const directories = createDirectories();
    writeFileSync(join(directories.cwd, 'plan.md'), '# The plan\n');
    const { code, stdout } = await runProgram(['--no-session', 'What', 'files', 'are', 'here?'], '', { directories });
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('plan.md') });
    expect(listPaths(directories.home)).toEqual([]);
  });

  test('is combined with piped text', async () => {
    const { code, stdout } = await runProgram(['-p', '--mode', 'json', 'hello'], 'some lines\nof a log\n');
    // The offline model does not understand the piped text.
    expect(code).toBe(1);
    expect(userMessageIn(stdout)).toMatchObject([{ type: 'text', text: 'some lines\nof a log\n\nhello' }]);
  });

  test('does not wait for an open pipe without data', async () => {
    const program = startProgram(['--model', 'parley/offline', 'say `hello`']);
    const { code, stdout, stderr } = await program.exited;
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'hello\n' });
    expect(stderr).toBe('stdin is open but sends no data; continuing without it\n');
  });

  test('is required: without one there is an error with a hint', async () => {
    const { code, stdout, stderr } = await runProgram([]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^Error: No message: .*--mode rpc.*--help\.\n$/);
  });
});

test('a failed run prints the reason and exits with code 1', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":{"message":"no such key"}}');
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const env = { ANTHROPIC_API_KEY: 'canary-4f81', ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}` };
  const { code, stdout, stderr } = await runProgram(['--provider', 'anthropic', 'hello'], '', { env });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^Error: .*no such key.*\n$/s);
  expect(stderr).not.toContain('canary');
});

describe('@file arguments', () => {
  test('are added to the message as text or image', async () => {
    const directories = createDirectories();
    writeFileSync(join(directories.cwd, 'note.txt'), 'buy milk\n');
    writeFileSync(join(directories.cwd, 'dot.png'), Buffer.from(PNG, 'base64'));
    const args = ['--mode', 'json', '@note.txt', '@dot.png', 'hello'];
    const { code, stdout } = await runProgram(args, '', { directories });
    expect(code).toBe(1);
    const [text, image] = userMessageIn(stdout) as [{ text: string }, object];
    expect(text.text).toMatch(/<file name=".*note\.txt">\nbuy milk\n\n?<\/file>/);
    expect(text.text).toMatch(/hello$/);
    expect(image).toEqual({ type: 'image', data: PNG, mimeType: 'image/png' });
  });

  test('may have text after the path', async () => {
    const directories = createDirectories();
    writeFileSync(join(directories.cwd, 'dot.png'), Buffer.from(PNG, 'base64'));
    const { stdout } = await runProgram(['--mode', 'json', '@dot.png what is this', 'please'], '', { directories });
    const [text, image] = userMessageIn(stdout) as [{ text: string }, object];
    expect(text.text).toMatch(/what is this please$/);
    expect(image).toEqual({ type: 'image', data: PNG, mimeType: 'image/png' });
    const missing = await runProgram(['@pic.png what is this'], '', { directories });
    expect(missing.code).toBe(2);
    expect(missing.stderr).toMatch(/^Error: File not found: .*pic\.png\. No longer .*"@pic\.png what is this".*\n$/);
  });

  test('must exist', async () => {
    const { code, stdout, stderr } = await runProgram(['@nowhere.txt', 'hello']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^Error: File not found: .*nowhere\.txt\n$/);
  });

  test('are rejected in RPC mode before any frame', async () => {
    const outcome = await runProgram(['--mode', 'rpc', '@note.txt']);
    expect(outcome.code).not.toBe(0);
    expect(outcome).toMatchObject({ stdout: '', stderr: 'Error: @file arguments are not supported in RPC mode\n' });
  });
});

describe('--mode json', () => {
  test('prints the session header and then every event, one JSON object per line', async () => {
    const directories = createDirectories();
    const { code, stdout, stderr } = await runProgram(
      ['--mode', 'json', '--model', 'parley/offline', 'run `echo hi`'],
      '',
      { directories },
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const [file] = listSessionFiles(directories.home);
    expect(readEntries(file!)[0]).toMatchObject(lines[0]);
    expect(lines[0]).toMatchObject({ type: 'session', cwd: directories.cwd });
    expect(lines[1]).toEqual({ type: 'agent_start' });
    expect(lines.at(-1)).toEqual({ type: 'agent_settled', aborted: false });
    expect(lines.map(({ type }) => type)).toContain('tool_execution_end');
  });

  test('sends only deltas with --stream delta', async () => {
    const { stdout } = await runProgram(['--mode', 'json', '--stream', 'delta', 'say `hello`']);
    const updates = stdout.split('\n').filter((line) => line.includes('message_update'));
    expect(updates.length).toBeGreaterThan(0);
    expect(updates.filter((line) => line.includes('"message":'))).toEqual([]);
  });
});

function userMessageIn(stdout: string): unknown {
  const frames = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  return frames.find(({ type, message }) => type === 'message_end' && message.role === 'user').message.content;
}
