// Children with a stdin pipe, and their environment.
import { expect, test } from 'vitest';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import type { SpawnRequest } from '../../../src/contracts/ports.ts';

const ports = createSystemPorts({ env: { PATH: process.env.PATH } });

async function start(script: string, request: Partial<SpawnRequest> = {}) {
  let output = '';
  const child = await ports.processes.spawn({
    command: '/bin/sh',
    args: ['-c', script],
    cwd: '/',
    env: { PATH: process.env.PATH ?? '' },
    onOutput: (chunk) => {
      output += Buffer.from(chunk).toString();
    },
    ...request,
  });
  return { ...child, getOutput: () => output };
}

test('a child reads what is written to its input, and sees its end', async () => {
  const child = await start('cat', { stdin: 'pipe' });
  await child.input?.write(Buffer.from('one\n'));
  await child.input?.write(Buffer.from('two\n'));
  child.input?.end();
  expect(await child.finished).toEqual({ code: 0, signal: null });
  expect(child.getOutput()).toBe('one\ntwo\n');
});

test('without a pipe the input is empty', async () => {
  const child = await start('cat; echo end');
  expect(child.input).toBeUndefined();
  await child.finished;
  expect(child.getOutput()).toBe('end\n');
});

test('a write to a child that has ended fails', async () => {
  const child = await start('exit 0', { stdin: 'pipe' });
  await child.finished;
  await expect(child.input?.write(Buffer.from('x'))).rejects.toThrow('The process does not read');
});

test.each([
  [undefined, 'none\n'],
  [true, 'secret\n'],
])('keys of providers reach a child only when they are named for it: %s', async (shouldKeepKeys, expected) => {
  const env = { PATH: process.env.PATH ?? '', OPENAI_API_KEY: 'secret' };
  const child = await start(`echo \${OPENAI_API_KEY:-none}`, { env, shouldKeepKeys });
  await child.finished;
  expect(child.getOutput()).toBe(expected);
});
