// The program as Opal hosts start it: as `opal-server`, without flags, with many sessions in one process.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { startCopilot } from '../support/copilot.ts';
import { createDirectories, type Program, runProgram, startProgram, startRpc } from '../support/program.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

/** Sends requests with ids from 1, as Opal does. */
function createCaller(program: Program) {
  let count = 0;
  return async (method: string, params: Record<string, unknown> = {}) => {
    count += 1;
    const id = count;
    program.send({ jsonrpc: '2.0', id, method, params });
    const { result, error } = await program.nextFrame((frame) => frame.id === id && frame.method === undefined);
    return { result: result as Record<string, unknown>, error };
  };
}

const isEvent = (session: unknown, type: string) => (frame: Record<string, unknown>) => {
  const params = frame.params as Record<string, unknown> | undefined;
  return frame.method === 'agent/event' && params?.session_id === session && params?.type === type;
};

function startServer(): Program {
  const link = join(createTemporaryDirectory(), 'opal-server');
  symlinkSync(inject('program'), link);
  return startProgram([], { directories: createDirectories(), program: link });
}

test('opal-server uses the opal dialect, has many sessions, and exits with 0 at the end of input', async () => {
  const program = startServer();
  const call = createCaller(program);
  mkdirSync(join(program.cwd, 'other'));
  const first = await call('session/start', { working_dir: program.cwd, session: true });
  const second = await call('session/start', { working_dir: 'other', session_id: 'second' });
  const { session_id: one } = first.result;
  expect(second.result).toMatchObject({ session_id: 'second', resumed: false });
  expect(await call('agent/prompt', { session_id: one, text: 'hello' })).toEqual({ result: { queued: false } });
  await program.nextFrame(isEvent(one, 'agent_end'));
  await call('agent/prompt', { session_id: 'second', text: 'hello' });
  await program.nextFrame(isEvent('second', 'agent_end'));
  const { result } = await call('session/list');
  expect((result.sessions as { id: string }[]).map(({ id }) => id).sort()).toEqual([one, 'second'].sort());
  program.stdin.end();
  const { code, stdout, stderr } = await program.exited;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const line of stdout.trimEnd().split('\n')) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
});

test('a session can be resumed in another process', async () => {
  const directories = createDirectories();
  const before = startRpc(['--dialect', 'opal'], { directories });
  const call = createCaller(before);
  await call('session/start', { session_id: 'stored' });
  await call('agent/prompt', { session_id: 'stored', text: 'hello' });
  await before.nextFrame(isEvent('stored', 'agent_end'));
  before.stdin.end();
  await before.exited;
  const after = startRpc(['--dialect', 'opal'], { directories });
  const again = createCaller(after);
  expect((await again('session/start', { session_id: 'stored' })).result).toMatchObject({ resumed: true });
  await after.nextFrame(isEvent('stored', 'agent_recovered'));
  const { result } = await again('session/history', { session_id: 'stored' });
  expect(result.messages).toMatchObject([{ role: 'user', content: 'hello' }, { role: 'assistant' }]);
});

test('a flag that selects a session causes one warning, also with several sessions', async () => {
  const program = startRpc(['--dialect', 'opal', '--continue']);
  const call = createCaller(program);
  for (const id of ['a', 'b']) {
    await call('session/start', { session_id: id });
    await call('agent/prompt', { session_id: id, text: 'hello' });
    await program.nextFrame(isEvent(id, 'agent_end'));
  }
  program.stdin.end();
  const { code, stderr } = await program.exited;
  expect(code).toBe(0);
  expect(stderr).toBe('--continue has no effect when the host opens the sessions; ignored\n');
});

test('a flag that only an extension of one project registers: sessions in other directories are rejected', async () => {
  const directories = createDirectories();
  const elsewhere = createTemporaryDirectory();
  mkdirSync(join(directories.cwd, '.parley', 'extensions'), { recursive: true });
  writeFileSync(
    join(directories.cwd, '.parley', 'extensions', 'own.ts'),
    "export default (pi) => pi.registerFlag('guard', { type: 'boolean' });",
  );
  const program = startRpc(['--dialect', 'opal', '--trust', '--guard'], { directories });
  const call = createCaller(program);
  expect((await call('session/start', { session_id: 'a' })).result).toMatchObject({ session_id: 'a' });
  expect((await call('session/start', { session_id: 'b', working_dir: elsewhere })).error).toMatchObject({
    data: 'Unknown flag: --guard',
  });
  expect((await call('agent/state', { session_id: 'b' })).error).toMatchObject({ message: 'Session not found' });
});

test('login with Copilot, and an answer of its model', async () => {
  const copilot = await startCopilot();
  const program = startRpc(['--dialect', 'opal'], { env: { OPAL_COPILOT_DOMAIN: copilot.url } });
  const call = createCaller(program);
  expect((await call('auth/status')).result).toMatchObject({ authenticated: false });
  const { device_code, interval } = (await call('auth/login')).result;
  copilot.polls = [{ access_token: 'long-lived' }];
  expect((await call('auth/poll', { device_code, interval })).result).toEqual({ authenticated: true });
  const { session_id } = (await call('session/start', {})).result;
  expect((await call('agent/state', { session_id })).result).toMatchObject({
    model: { provider: 'copilot', id: 'claude-sonnet-4.6' },
  });
  await call('agent/prompt', { session_id, text: 'hello' });
  await program.nextFrame(isEvent(session_id, 'agent_end'));
  const deltas = program.frames.flatMap(({ params }) => (params as { delta?: string } | undefined)?.delta ?? []);
  expect(deltas.join('')).toBe('Hello from Copilot.');
  program.stdin.end();
  const { code, stdout, stderr } = await program.exited;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).not.toMatch(/long-lived|short-lived/);
});

test('skills of a project are used only in trusted directories', async () => {
  const directories = createDirectories();
  const skill = '---\nname: knit\ndescription: How to knit\n---\nKnit one.\n';
  for (const folder of ['open', 'closed']) {
    mkdirSync(join(directories.cwd, folder, '.parley/skills/knit'), { recursive: true });
    writeFileSync(join(directories.cwd, folder, '.parley/skills/knit/SKILL.md'), skill);
  }
  expect(await runProgram(['trust', join(directories.cwd, 'open')], '', { directories })).toMatchObject({ code: 0 });
  const program = startRpc(['--dialect', 'opal'], { directories });
  const call = createCaller(program);
  const found = async (working_dir: string) => (await call('session/start', { working_dir })).result.available_skills;
  expect(await found('open')).toEqual(['knit']);
  expect(await found('closed')).toEqual([]);
});

test('an extension of the command line is loaded in every session', async () => {
  const directories = createDirectories();
  const path = join(directories.home, 'own.ts');
  writeFileSync(
    path,
    `export default (pi) => pi.registerTool({ name: 'own', description: 'x', parameters: { type: 'object' }, execute() {} });`,
  );
  const program = startRpc(['--dialect', 'opal', '--extension', path], { directories });
  const call = createCaller(program);
  const { session_id } = (await call('session/start', {})).result;
  expect((await call('agent/state', { session_id })).result.tools).toContain('own');
});
