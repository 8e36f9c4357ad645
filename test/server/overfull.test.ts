// A host that sends calls and reads no replies: its calls are not read any more when too many replies are queued.
import { object } from 'valibot';
import { expect, test } from 'vitest';
import { createDeferred } from '../../src/base/index.ts';
import type { Codec, Command, SessionHub } from '../../src/contracts/index.ts';
import { serve } from '../../src/server/index.ts';
import { createCountingIds } from '../../src/testing/counting-ids.ts';
import { createFakeClock } from '../../src/testing/fake-clock.ts';

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
const CALLS = 200;
const MIB = 1024 * 1024;

test('at most 32 MiB of replies are queued, and all calls are answered when the host reads again', async () => {
  let read = 0;
  async function* lines() {
    for (; read < CALLS; read += 1) {
      yield {} as never;
      // The reply is queued before the next line is read.
      await settle();
    }
  }
  const reader = createDeferred();
  let isReading = false;
  let written = 0;
  const never = new Promise<void>(() => {});
  // `long`, because replies to short commands wait for one another, so that only one is queued at a time.
  const look = { name: 'look', doc: '', lane: 'now', long: true, params: object({}), run: async () => ({}) };
  const commands = new Map([['look', look as unknown as Command]]);
  const codec: Partial<Codec> = {
    encodeReadyFrame: () => undefined,
    decode: () => ({ kind: 'call', command: 'look', params: {}, token: { name: 'look', id: undefined } }) as never,
    encodeReply: () => ({ chunks: ['x'], bytes: MIB }),
    encodeEvent: () => undefined,
  };
  const hub: Partial<SessionHub> = {
    connect: () => () => {},
    exitRequested: never,
    waitUntilSettled: async () => {},
    reportNotRun: () => {},
  };
  const served = serve({
    transport: {
      lines: lines(),
      write() {
        written += 1;
        return isReading;
      },
      waitForDrain: () => reader.promise,
      readerClosed: never,
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
