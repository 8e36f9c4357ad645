// Selects dialects by flag, setting and program name, and prints their schemas.
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { createDirectories, runProgram, startRpc } from '../support/program.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

test('pi by flag: no ready frame, and the error of an unknown command has its id', async () => {
  const program = startRpc(['--dialect', 'pi', '--no-session']);
  expect(await program.call({ type: 'fly' })).toEqual({
    id: 'ask-1',
    type: 'response',
    command: 'fly',
    success: false,
    error: 'Unknown command: fly',
  });
  expect(program.frames).toHaveLength(1);
});

test('pi-legacy by setting: only events are sent', async () => {
  const program = startRpc(['--set', 'dialect=pi-legacy', '--no-session']);
  program.send({ type: 'prompt', message: 'hello' });
  await program.nextFrame({ type: 'agent_end' });
  program.stdin.end();
  const { code, stdout } = await program.exited;
  expect(code).toBe(0);
  const types = new Set(program.frames.map(({ type }) => type));
  expect([...types].sort()).toEqual(
    ['agent_end', 'agent_start', 'message_end', 'message_start', 'message_update', 'turn_end', 'turn_start'].sort(),
  );
  expect(stdout).not.toContain('willRetry');
});

test.each([['--mode', 'rpc'], ['schema']])('an unknown dialect is rejected: %s', async (...args) => {
  const { code, stdout, stderr } = await runProgram([...args, '--dialect', 'klingon']);
  const message = 'Error: Unknown dialect: klingon. Available: omp, pi, pi-legacy, acp, opal\n';
  expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: message });
});

test.each(['omp', 'pi', 'pisces'])('the default dialect is used under the name %s', async (name) => {
  const link = join(createTemporaryDirectory(), name);
  symlinkSync(inject('program'), link);
  const program = startRpc(['--no-session'], { directories: createDirectories(), program: link });
  expect(await program.nextFrame({ type: 'ready' })).toMatchObject({ dialect: 'omp' });
});

test.each(['omp', 'pi', 'pi-legacy'])('prints the schema of %s', async (name) => {
  const { code, stdout } = await runProgram(['schema', '--dialect', name]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ title: `The ${name} dialect of Parley` });
  const types = await runProgram(['schema', '--dialect', name, '--types']);
  expect(types.stdout).toContain('export type HostFrame = ');
});

test('prints opal as OpenRPC, as JSON Schema and as types', async () => {
  const document = await runProgram(['schema', '--dialect', 'opal']);
  expect(JSON.parse(document.stdout)).toMatchObject({ openrpc: '1.3.2', 'x-notifications': [{ name: 'agent/event' }] });
  const schema = await runProgram(['schema', '--dialect', 'opal', '--json-schema']);
  expect(JSON.parse(schema.stdout)).toMatchObject({
    title: 'The opal dialect of Parley',
    definitions: { HostFrame: {} },
  });
  const types = await runProgram(['schema', '--dialect', 'opal', '--types']);
  expect(types.stdout).toContain('export type Questions = ');
});
