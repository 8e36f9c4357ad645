// The connection of the page: reconnecting, its delays, and calls that wait for a reply. Time and sockets are fakes.
import { describe, expect, test } from 'vitest';
import { computeDelay } from '../../web/src/wire/backoff.ts';
import { Connection, type ConnectionState, type Socket } from '../../web/src/wire/connection.ts';
import { CallError } from '../../web/src/wire/pending-calls.ts';
import { attached } from './frames.ts';

class FakeSocket implements Socket {
  readonly sent: { id?: string; type: string }[] = [];
  isClosed = false;
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: ((event: { code: number; reason: string }) => void) | null = null;
  send(text: string) {
    this.sent.push(JSON.parse(text));
  }
  close() {
    this.isClosed = true;
  }
  receive(frame: object) {
    this.onmessage?.({ data: JSON.stringify(frame) });
  }
}

function connect() {
  const sockets: FakeSocket[] = [];
  const urls: string[] = [];
  const states: ConnectionState[] = [];
  const frames: { type: string }[] = [];
  let time = 1000;
  let timers: { at: number; run: () => void }[] = [];
  let seq = 0;
  const ports = {
    openSocket(url: string) {
      urls.push(url);
      const socket = new FakeSocket();
      sockets.push(socket);
      return socket;
    },
    startTimer(delayMs: number, run: () => void) {
      const timer = { at: time + delayMs, run };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    random: () => 1,
    now: () => time,
  };
  const connection = new Connection(ports, {
    buildUrl: () => `ws://x/ws?after=${seq}`,
    onState: (state) => states.push(state),
    onFrame: (frame) => {
      frames.push(frame as { type: string });
      seq = (frame as { seq?: number }).seq ?? seq;
    },
    onSent: () => {},
    onAttached: () => {},
  });
  const advance = (ms: number) => {
    const end = time + ms;
    for (let due = findDue(timers, end); due; due = findDue(timers, end)) {
      const next = due;
      time = next.at;
      timers = timers.filter((other) => other !== next);
      next.run();
    }
    time = end;
  };
  return { connection, sockets, urls, states, frames, advance, last: () => sockets.at(-1) as FakeSocket };
}

function findDue(timers: readonly { at: number; run: () => void }[], end: number) {
  return [...timers].sort((a, b) => a.at - b.at).find(({ at }) => at <= end);
}

describe('delays', () => {
  test('grow exponentially up to 30 seconds, and have a random part', () => {
    expect([0, 1, 2, 3, 10, 1000].map((attempt) => computeDelay(attempt, () => 1))).toEqual([
      ...[500, 1000, 2000, 4000, 30_000, 30_000],
    ]);
    expect(computeDelay(3, () => 0)).toBe(2000);
  });
});

describe('reconnecting', () => {
  test('a lost connection is opened again after a delay, with the number of the last event', () => {
    const { sockets, urls, states, advance, last } = connect();
    last().onopen?.();
    last().receive(attached());
    last().receive({ type: 'agent_start', seq: 11 });
    last().onclose?.({ code: 1006, reason: '' });
    expect(states.at(-1)).toMatchObject({ kind: 'waiting', attempt: 1, retryAt: 1500 });
    advance(499);
    expect(sockets).toHaveLength(1);
    advance(1);
    expect(urls.at(-1)).toBe('ws://x/ws?after=11');
    expect(states.at(-1)).toEqual({ kind: 'connecting', attempt: 1, closeCode: 1006 });
  });

  test('the delay grows until a session is attached', () => {
    const { states, advance, last } = connect();
    const fail = () => {
      last().onclose?.({ code: 1006, reason: '' });
      const state = states.at(-1);
      const delay = state?.kind === 'waiting' ? state.attempt : undefined;
      advance(30_000);
      return delay;
    };
    expect([fail(), fail(), fail()]).toEqual([1, 2, 3]);
    last().onopen?.();
    last().receive(attached());
    expect(fail()).toBe(1);
  });

  test('it connects at once when the network is back', () => {
    const { connection, sockets, last } = connect();
    last().onclose?.({ code: 1006, reason: '' });
    connection.retryNow();
    expect(sockets).toHaveLength(2);
  });

  test.each([4400, 4404])('the code %i is final', (code) => {
    const { sockets, states, advance, last } = connect();
    last().onclose?.({ code, reason: 'Session not found' });
    expect(states.at(-1)).toEqual({ kind: 'refused', code, reason: 'Session not found' });
    advance(1_000_000);
    expect(sockets).toHaveLength(1);
  });

  test('a server that does not reply any more is noticed', () => {
    const { sockets, states, advance, last } = connect();
    last().onopen?.();
    last().receive(attached());
    advance(20_000);
    expect(last().sent).toEqual([expect.objectContaining({ type: 'get_state' })]);
    advance(10_000);
    expect(sockets[0]?.isClosed).toBe(true);
    expect(states.at(-1)).toMatchObject({ kind: 'waiting', reason: 'The server does not reply' });
  });

  test('a server that replies is not asked more often than necessary', () => {
    const { sockets, advance, last } = connect();
    last().onopen?.();
    for (let step = 0; step < 10; step++) {
      advance(15_000);
      last().receive({ type: 'agent_start' });
    }
    expect(last().sent).toEqual([]);
    advance(20_000);
    const [probe] = last().sent;
    last().receive({ type: 'response', id: probe?.id, command: 'get_state', success: true });
    advance(15_000);
    expect(sockets).toHaveLength(1);
  });

  test('frames of an old socket are ignored', () => {
    const { connection, frames, sockets } = connect();
    sockets[0]?.onopen?.();
    connection.restart();
    sockets[0]?.receive({ type: 'agent_start' });
    sockets[0]?.onclose?.({ code: 1000, reason: '' });
    expect(frames).toEqual([]);
    expect(sockets).toHaveLength(2);
  });

  test('a closed connection stays closed', () => {
    const { connection, sockets, advance, last } = connect();
    connection.close();
    last().onclose?.({ code: 1000, reason: '' });
    advance(100_000);
    expect(sockets).toHaveLength(1);
  });
});

describe('calls', () => {
  test('resolve with the data of their reply, in any order', async () => {
    const { connection, last } = connect();
    last().onopen?.();
    const [one, two] = [connection.call('get_state'), connection.call('get_tree', { a: 1 })];
    const [first, second] = last().sent;
    expect(second).toEqual({ id: 'page_2', type: 'get_tree', a: 1 });
    last().receive({ type: 'response', id: second?.id, command: 'get_tree', success: true, data: 2 });
    last().receive({ type: 'response', id: first?.id, command: 'get_state', success: true, data: 1 });
    expect(await Promise.all([one, two])).toEqual([1, 2]);
  });

  test('reject with the reason of the server; an unknown command is refused without an id', async () => {
    const { connection, last } = connect();
    last().onopen?.();
    const refused = connection.call('get_queue');
    last().receive({ type: 'response', command: 'get_queue', success: false, error: 'Unknown command: get_queue' });
    await expect(refused).rejects.toMatchObject({ command: 'get_queue', isUnknownCommand: true, isLost: false });
  });

  test('reject when the connection is lost or not open', async () => {
    const { connection, last } = connect();
    await expect(connection.call('abort')).rejects.toThrow(CallError);
    last().onopen?.();
    const waiting = connection.call('compact');
    last().onclose?.({ code: 1006, reason: '' });
    await expect(waiting).rejects.toMatchObject({ isLost: true });
  });
});
