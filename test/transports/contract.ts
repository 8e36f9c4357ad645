// What every transport promises, asked from the host's end.
import { afterEach, describe, expect, test } from 'vitest';
import type { Act } from './fixtures/puppet.ts';

export interface Host {
  send(input: string | Uint8Array): void;
  end(): void;
  next(): Promise<string>;
  pause(): void;
  resume(): void;
  /** Reads and says nothing more. */
  close(): void;
  /** The puppet's next news beside the transport. */
  report(): Promise<string>;
  /** Waits until the puppet has nothing left to do, and fails when it came to a bad end. */
  finished(): Promise<void>;
  /** Lets go of everything, whatever happened. */
  dispose(): void;
}

export type OpenHost = (options: { lineLimit?: number }) => Host;

export function transportContract(name: string, open: OpenHost): void {
  describe(name, () => promises(open));
}

function promises(open: OpenHost): void {
  let host: Host;
  afterEach(() => host.dispose());
  const start = async (options: { lineLimit?: number } = {}) => {
    host = open(options);
    expect(await host.report()).toBe('started');
  };
  const act = (what: Act) => host.send(JSON.stringify(what));
  const nextJson = async () => JSON.parse(await host.next()) as Record<string, unknown>;
  const finish = async () => {
    expect(await host.report()).toBe('ended');
    expect(await host.report()).toBe('flushed');
    await host.finished();
  };

  describe('input', () => {
    test('lines come in order, whatever their ends, and blank ones do not come at all', async () => {
      await start();
      const bytes = new TextEncoder().encode('\uFEFFfirst\n\n  \r\nzweité\r\n😀\rsame line\nlast without newline');
      for (const byte of bytes) host.send(Uint8Array.of(byte));
      host.end();
      const texts = ['first', 'zweité', '😀\rsame line', 'last without newline'];
      for (const text of texts) expect(await nextJson()).toEqual({ text });
      await finish();
    });

    test('a small, a huge and a small line in one write', async () => {
      await start();
      const huge = 'h'.repeat(10 * 1024 * 1024);
      host.send(`one\n${huge}\nthree\n`);
      expect(await nextJson()).toEqual({ text: 'one' });
      expect((await nextJson()).text === huge).toBe(true);
      expect(await nextJson()).toEqual({ text: 'three' });
      host.end();
      await finish();
    });

    test('a line beyond the limit is told once, and the next one is whole', async () => {
      await start({ lineLimit: 100 });
      host.send(`${'a'.repeat(100)}\n${'b'.repeat(1_000_000)}\nnext\n`);
      expect(await nextJson()).toEqual({ text: 'a'.repeat(100) });
      expect(await nextJson()).toEqual({ problem: 'line exceeds the limit of 100 bytes' });
      expect(await nextJson()).toEqual({ text: 'next' });
      host.end();
      await finish();
    });

    test('nothing said at all', async () => {
      await start();
      host.end();
      await finish();
    });

    test('closing the agent’s end ends its lines though the host says no end', async () => {
      await start();
      act({ act: 'close' });
      host.send('never seen');
      await finish();
    });
  });

  describe('output', () => {
    test('a frame of texts and bytes, small and large, arrives as one line in order', async () => {
      await start();
      const small = { letter: 'é', times: 100 };
      const large = { letter: 'L', times: 100_000 };
      act({ act: 'chunks', chunks: ['<', small, '|', large, '|', small, small, '😀>', '\n'] });
      act({ act: 'chunks', chunks: [large, '\n'] });
      act({ act: 'chunks', chunks: ['', small, '\n'] });
      const [e, l] = ['é'.repeat(100), 'L'.repeat(100_000)];
      expect((await host.next()) === `<${e}|${l}|${e}${e}😀>`).toBe(true);
      expect((await host.next()) === l).toBe(true);
      expect(await host.next()).toBe(e);
      host.end();
      await finish();
    });

    test('ten thousand frames of one tick keep their order', async () => {
      await start();
      act({ act: 'burst', count: 10_000, size: 40 });
      for (let i = 0; i < 10_000; i++) expect((await nextJson()).i).toBe(i);
      host.end();
      await finish();
    });

    test('a host that stops reading makes the writer hold back until it reads again', async () => {
      await start();
      host.pause();
      act({ act: 'stream', count: 4000, size: 1000 });
      expect(await host.report()).toBe('holding back');
      host.resume();
      for (let i = 0; i < 4000; i++) expect((await nextJson()).i).toBe(i);
      expect((await nextJson()).waits).toBeGreaterThan(0);
      host.end();
      await finish();
    });

    test('a host that goes away is noticed, and nobody waits for it', async () => {
      await start();
      act({ act: 'untilBroken' });
      expect((await nextJson()).i).toBe(0);
      host.close();
      expect(await host.report()).toBe('broken');
      expect(await host.report()).toBe('0 refusals after that');
      await finish();
    });
  });
}
