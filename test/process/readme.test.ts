// Runs the conversation at the beginning of the README.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { createDirectories, runProgram } from '../support/program.ts';

const [, conversation = ''] = /```\n(> .*?)```/s.exec(readFileSync('README.md', 'utf8')) ?? [];
const lines = (mark: string) =>
  conversation
    .split('\n')
    .filter((line) => line.startsWith(mark))
    .map((line) => line.slice(mark.length));

/** Replaces values that differ between runs. */
function normalize(frame: Record<string, unknown>): Record<string, unknown> {
  const { toolCallId, messages, ...rest } = frame;
  return { ...rest, ...(toolCallId ? { toolCallId: 'call_1' } : {}), ...(messages ? { messages: [] } : {}) };
}

test('every line of the README is sent, in this order', async () => {
  const directories = createDirectories();
  writeFileSync(join(directories.cwd, 'README.md'), '# A project\n');
  mkdirSync(join(directories.cwd, 'src'));
  const args = ['--mode', 'rpc', '--stream', 'delta', '--no-session'];
  const { stdout } = await runProgram(args, `${lines('> ').join('\n')}\n`, { directories });
  const sent = stdout.trimEnd().split('\n');
  const frames = sent.map((line) => normalize(JSON.parse(line)));
  const expected = lines('< ').map((line) => JSON.parse(line.replace('[…]', '[]')) as Record<string, unknown>);
  expect(expected).toHaveLength(4);
  let at = -1;
  for (const frame of expected) {
    const rest = frames.slice(at + 1);
    expect(rest).toContainEqual(frame);
    at += 1 + rest.findIndex((one) => isDeepStrictEqual(one, frame));
  }
});
