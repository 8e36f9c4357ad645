// pi.exec: an abort stops the program, also while it is being started.
import { expect, test } from 'vitest';
import { createDeferred } from '../../../src/base/index.ts';
import type { RunningProcess } from '../../../src/contracts/index.ts';
import { exec } from '../../../src/core/extension/exec.ts';
import { createFakeClock } from '../../../src/testing/index.ts';

test('a program that is aborted while it is being started is killed', async () => {
  const started = createDeferred<RunningProcess>();
  const finished = createDeferred<{ code: number | null; signal: string | null }>();
  const processes = { spawn: () => started.promise, killAll: async () => {} };
  const controller = new AbortController();
  const result = exec({ clock: createFakeClock(), processes, toolEnv: {} }, 'make', [], {
    cwd: '/',
    signal: controller.signal,
  });
  controller.abort();
  started.resolve({
    pid: 1,
    finished: finished.promise,
    kill: () => finished.resolve({ code: null, signal: 'SIGKILL' }),
  });
  expect(await result).toEqual({ stdout: '', stderr: '', code: 1, killed: true });
});
