// A host that sends calls and reads no replies: the calls are left in the pipe once much is waiting.
import { object } from 'valibot';
import { expect, test } from 'vitest';
import { deferred } from '../../src/base/index.ts';
import type { Codec, Command, SessionHub } from '../../src/contracts/index.ts';
import { serve } from '../../src/server/index.ts';
import { createCountingIds } from '../../src/testing/counting-ids.ts';
import { createFakeClock } from '../../src/testing/fake-clock.ts';

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
const CALLS = 200;
const MIB = 1024 * 1024;

test('not more than 32 MiB of replies wait, and everything is answered when the host reads again', async () => {
  let read = 0;
  async function* lines() {
    for (; read < CALLS; read += 1) {
      yield {} as never;
      // The reply is under way before the next line is asked for.
      await settle();
    }
  }
  const reader = deferred();
  let isReading = false;
  let written = 0;
  const never = new Promise<void>(() => {});
  // Long: replies to short ones wait for one another, so that only one of them is on its way.
  const look = { name: 'look', doc: '', lane: 'now', long: true, params: object({}), run: async () => ({}) };
  const commands = new Map([['look', look as unknown as Command]]);
  const codec: Partial<Codec> = {
    greeting: () => undefined,
    decode: () => ({ kind: 'call', command: 'look', params: {}, token: { name: 'look', id: undefined } }) as never,
    reply: () => ({ chunks: ['x'], bytes: MIB }),
    event: () => undefined,
  };
  const hub: Partial<SessionHub> = {
    connect: () => () => {},
    leaving: never,
    settled: async () => {},
    reportNotRun: () => {},
  };
  const served = serve({
    transport: {
      lines: lines(),
      write() {
        written += 1;
        return isReading;
      },
      drained: () => reader.promise,
      broken: never,
      flush: async () => {},
    },
    codec: codec as Codec,
    commands,
    hub: hub as SessionHub,
    ports: { clock: createFakeClock(), ids: createCountingIds(), log: () => {} },
    onEof: 'finish',
  });
  for (let n = 0; n < 3 * CALLS; n += 1) await settle();
  expect(written).toBe(1);
  expect(read).toBeGreaterThan(30);
  expect(read).toBeLessThan(40);
  isReading = true;
  reader.resolve();
  await served;
  expect([read, written]).toEqual([CALLS, CALLS]);
});
