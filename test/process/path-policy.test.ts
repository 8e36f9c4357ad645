// The path policy in the built program: tools, mentions, exports and session files.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { createDirectories, runProgram, startRpc } from '../support/program.ts';

const CANARY = 'canary-outside';
const enforcing = ['--set', 'paths=enforce'];

function createOutside() {
  const directories = createDirectories();
  const outside = realpathSync(mkdtempSync(join(dirname(directories.cwd), 'outside-')));
  writeFileSync(join(outside, 'canary.txt'), CANARY);
  symlinkSync(join(outside, 'canary.txt'), join(directories.cwd, 'link.txt'));
  writeFileSync(join(directories.cwd, 'a.txt'), 'inside');
  return { directories, outside };
}

test.each(['link.txt', '..', '/proc/self/root/etc/hostname'])('read refuses %s', async (path) => {
  const { directories } = createOutside();
  const program = startRpc([...enforcing, '--no-session'], { directories });
  program.send({ type: 'prompt', message: `Read \`${path}\`` });
  const { result } = await program.nextFrame({ type: 'tool_execution_end', toolName: 'read' });
  expect(JSON.stringify(result)).toContain('is outside the working directory');
  await program.nextFrame({ type: 'agent_settled' });
  expect(JSON.stringify(program.frames)).not.toContain(CANARY);
});

test.each(['serve/token', 'serve/tokens.json', 'serve/audit.jsonl'])(
  'read refuses %s of the user directory, also when the directory is allowed',
  async (name) => {
    const directories = createDirectories();
    mkdirSync(join(directories.home, 'serve'));
    writeFileSync(join(directories.home, name), JSON.stringify({ [CANARY]: { type: 'api_key', key: CANARY } }));
    writeFileSync(join(directories.home, 'notes.txt'), 'ordinary');
    const roots = ['--set', `paths.readRoots=${JSON.stringify([directories.home])}`];
    const program = startRpc([...enforcing, ...roots, '--no-session'], { directories });
    const read = async (path: string) => {
      program.send({ type: 'prompt', message: `Read \`${path}\`` });
      const { result } = await program.nextFrame({ type: 'tool_execution_end', toolName: 'read' });
      await program.nextFrame({ type: 'agent_settled' });
      return JSON.stringify(result);
    };
    expect(await read(join(directories.home, 'notes.txt'))).toContain('ordinary');
    expect(await read(join(directories.home, name))).toContain('denied');
    expect(JSON.stringify(program.frames)).not.toContain(CANARY);
  },
);

test('without a setting, a notice names each directory once', async () => {
  const { directories, outside } = createOutside();
  const program = startRpc(['--no-session'], { directories });
  for (let at = 0; at < 2; at++) {
    program.send({ type: 'prompt', message: `Read \`${outside}/canary.txt\`` });
    const { result } = await program.nextFrame({ type: 'tool_execution_end', toolName: 'read' });
    expect(JSON.stringify(result)).toContain(CANARY);
    await program.nextFrame({ type: 'agent_settled' });
  }
  const notices = program.frames.filter(({ type, source }) => type === 'notice' && source === 'paths');
  expect(notices).toEqual([
    {
      ...{ type: 'notice', level: 'warning', source: 'paths' },
      message: `read uses ${outside}, which is outside the working directory.`,
    },
  ]);
});

test('print mode shows the notice when stderr is not a terminal', async () => {
  const { directories, outside } = createOutside();
  const args = ['--no-session', '--model', 'parley/offline', `Read \`${outside}/canary.txt\``];
  const { code, stderr } = await runProgram(args, '', { directories });
  expect([code, stderr]).toEqual([0, `read uses ${outside}, which is outside the working directory.\n`]);
});

test('mentions, exports and sessions stay in the allowed directories', async () => {
  const { directories, outside } = createOutside();
  const program = startRpc(enforcing, { directories });
  program.send({ type: 'prompt', message: 'Say hello to @link.txt and @a.txt' });
  const { message } = await program.nextFrame({ type: 'message_end' });
  expect(JSON.stringify(message)).toContain('inside');
  await program.nextFrame({ type: 'agent_settled' });
  program.send({ id: 'e', type: 'export_html', outputPath: join(outside, 'page.html') });
  expect(await program.nextFrame({ id: 'e' })).toMatchObject({
    success: false,
    error: expect.stringContaining('sandbox.writableRoots'),
  });
  program.send({ id: 'f', type: 'export_html', outputPath: 'page.html' });
  expect(await program.nextFrame({ id: 'f' })).toMatchObject({ success: true });
  const header = { type: 'session', version: 3, id: 's', timestamp: '2026-01-01T00:00:00.000Z', cwd: directories.cwd };
  writeFileSync(join(outside, 's.jsonl'), `${JSON.stringify(header)}\n`);
  program.send({ id: 's', type: 'switch_session', sessionPath: join(outside, 's.jsonl') });
  expect(await program.nextFrame({ id: 's' })).toMatchObject({
    success: false,
    error: expect.stringContaining('is outside the working directory'),
  });
  expect(readdirSync(outside).sort()).toEqual(['canary.txt', 's.jsonl']);
  expect(existsSync(join(directories.cwd, 'page.html'))).toBe(true);
  expect(JSON.stringify(program.frames)).not.toContain(CANARY);
});

test('the output of a command is saved and can be read', async () => {
  const { directories } = createOutside();
  const program = startRpc(enforcing, { directories });
  program.send({ type: 'prompt', message: 'Run `seq 1 20000`' });
  const { result } = await program.nextFrame({ type: 'tool_execution_end', toolName: 'bash' });
  const { fullOutputPath } = (result as { details: { fullOutputPath: string } }).details;
  await program.nextFrame({ type: 'agent_settled' });
  program.send({ type: 'prompt', message: `Read \`${fullOutputPath}\`` });
  const read = await program.nextFrame({ type: 'tool_execution_end', toolName: 'read' });
  expect(JSON.stringify(read.result)).toContain('1\\n2\\n3');
});
