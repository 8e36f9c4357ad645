import { expect, test } from 'vitest';
import { resolveSessionStart } from '../../src/app/session-start.ts';
import { Fault } from '../../src/base/index.ts';
import { createMemoryStore } from '../../src/store/index.ts';
import { createCountingIds, createFakeClock } from '../../src/testing/index.ts';

test('a session that the user has chosen from the list or typed is checked before it is opened', async () => {
  const opened: string[] = [];
  const store = {
    ...createMemoryStore(),
    resume: async (path: string) => Promise.reject(new Error(`opened ${opened.push(path)}`)),
  };
  const starting = resolveSessionStart(
    {
      cwd: '/work',
      ports: { clock: createFakeClock(), ids: createCountingIds() },
      chooseSession: async () => '/outside/s.jsonl',
      checkFile: async (file) => Promise.reject(new Fault('refused', `${file} is outside`)),
    },
    store,
  );
  await expect(starting).rejects.toThrow('/outside/s.jsonl is outside');
  expect(opened).toEqual([]);
});
