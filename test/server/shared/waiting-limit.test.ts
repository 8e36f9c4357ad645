// When a client counts as one that reads too slowly.
import { expect, test } from 'vitest';
import { createDeferred } from '../../../src/base/index.ts';
import type { Transport } from '../../../src/contracts/index.ts';
import { Outbox } from '../../../src/server/outbox.ts';
import { WaitingLimit } from '../../../src/server/shared/waiting-limit.ts';
import { createFakeClock } from '../../../src/testing/index.ts';

/** A client that reads one frame when it is asked to. */
function createClient() {
  let drained = createDeferred();
  const transport = { write: () => false, waitForDrain: () => drained.promise } as unknown as Transport;
  const outbox = new Outbox(transport);
  const clock = createFakeClock();
  let exceeded = 0;
  const onExceeded = () => {
    exceeded += 1;
  };
  const limit = new WaitingLimit({ outbox, clock, maxBytes: 1000, onExceeded });
  const push = (bytes: number) => {
    void outbox.push({ bytes, chunks: ['x'.repeat(bytes)] });
    limit.check();
  };
  // The first frame is written at once.
  push(1000);
  return {
    ...{ clock, limit, outbox, push },
    get exceeded() {
      return exceeded;
    },
    async readOne() {
      const { resolve } = drained;
      drained = createDeferred();
      resolve();
      await new Promise<void>((done) => setImmediate(done));
    },
  };
}

test('frames that come at once do not count, unless they are four times the limit', () => {
  const client = createClient();
  for (let i = 0; i < 4; i++) client.push(1000);
  expect(client.outbox.waitingBytes).toBe(4000);
  expect(client.exceeded).toBe(0);
  client.push(1);
  expect(client.exceeded).toBe(1);
});

test('a client that reads nothing for ten seconds is too slow', async () => {
  const client = createClient();
  client.push(1001);
  await client.clock.advance(9_999);
  expect(client.exceeded).toBe(0);
  await client.clock.advance(1);
  expect(client.exceeded).toBe(1);
});

test('a client that reads is not too slow, and is when it stops', async () => {
  const client = createClient();
  for (let i = 0; i < 3; i++) client.push(1000);
  for (let i = 0; i < 5; i++) {
    await client.clock.advance(9_000);
    await client.readOne();
    client.push(1000);
  }
  expect(client.outbox.waitingBytes).toBe(3000);
  expect(client.exceeded).toBe(0);
  await client.clock.advance(20_000);
  expect(client.exceeded).toBe(1);
});

test('a client that has read what waited is not too slow', async () => {
  const client = createClient();
  client.push(1500);
  await client.readOne();
  await client.clock.advance(60_000);
  client.push(1000);
  await client.clock.advance(60_000);
  expect(client.exceeded).toBe(0);
});

test('what is exempt does not count until the rest exceeds the limit', async () => {
  const client = createClient();
  void client.outbox.push({ bytes: 6000, chunks: ['x'.repeat(6000)] });
  client.limit.exemptWaiting();
  client.push(1000);
  await client.clock.advance(60_000);
  expect(client.exceeded).toBe(0);
  client.push(1);
  await client.clock.advance(10_000);
  expect(client.exceeded).toBe(1);
});

test('a closed limit has no timer', async () => {
  const client = createClient();
  client.push(1001);
  client.limit.close();
  await client.clock.advance(60_000);
  expect(client.exceeded).toBe(0);
});
