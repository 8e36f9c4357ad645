// The end of all processes of a sandboxed command, with faked files of /proc.
import { expect, test } from 'vitest';
import { watchNamespaceEnd } from '../../src/sandbox/namespace-end.ts';

/** `states`: the content of /proc/77/stat at each reading; `undefined` when the process is gone. */
function createWatch(states: readonly (string | undefined)[]) {
  const seen = { reads: 0, now: 0 };
  const files = {
    read: async (path: string) => {
      expect(path).toBe('/proc/77/stat');
      const state = states[Math.min(seen.reads, states.length - 1)];
      seen.reads += 1;
      if (state === undefined) throw new Error('ENOENT');
      return Buffer.from(`77 (a) Z (b)) ${state} 1 77 77 0`);
    },
  };
  const clock = {
    now: () => seen.now,
    sleep: async (ms: number) => {
      seen.now += ms;
    },
  };
  return { ...watchNamespaceEnd(files, clock), seen };
}

const INFO = '{\n    "child-pid": 77,\n    "mnt-namespace": 4026532178\n}\n';

test.each([
  ['ended', ['S', 'R', 'Z'], 3],
  ['being removed', ['X'], 1],
  ['gone', ['S', undefined], 2],
])('waits until the first process is %s', async (_, states, reads) => {
  const { onInfo, wait, seen } = createWatch(states);
  for (const part of [INFO.slice(0, 12), INFO.slice(12)]) onInfo(Buffer.from(part));
  await wait();
  expect(seen.reads).toBe(reads);
});

test('does not wait when nothing was started, and not without end', async () => {
  const idle = createWatch(['S']);
  await idle.wait();
  expect(idle.seen.reads).toBe(0);
  const stuck = createWatch(['D']);
  stuck.onInfo(Buffer.from(INFO));
  await stuck.wait();
  expect(stuck.seen.now).toBe(5000);
});
