// Contract tests for transports, run from the host's end.
import { afterEach, describe, expect, test } from 'vitest';
import type { Instruction } from './fixtures/scripted-agent.ts';

export interface Host {
  send(input: string | Uint8Array): void;
  end(): void;
  next(): Promise<string>;
  pause(): void;
  resume(): void;
  /** Disconnects: ends the input and stops reading. */
  close(): void;
  /** The next report of the scripted agent, sent outside the transport. */
  report(): Promise<string>;
  /** Resolves when the scripted agent has ended, and fails when it ended with an error. */
  finished(): Promise<void>;
  /** Releases all resources, also after a failed test. */
  dispose(): void;
}

export type OpenHost = (options: { lineLimit?: number }) => Host;

export function transportContract(name: string, open: OpenHost): void {
  describe(name, () => defineTests(open));
}

function defineTests(open: OpenHost): void {
  let host: Host;
  afterEach(() => host.dispose());
  const start = async (options: { lineLimit?: number } = {}) => {
    host = open(options);
    expect(await host.report()).toBe('started');
  };
  const instruct = (instruction: Instruction) => host.send(JSON.stringify(instruction));
  const nextJson = async () => JSON.parse(await host.next()) as Record<string, unknown>;
  const finish = async () => {
    expect(await host.report()).toBe('ended');
    expect(await host.report()).toBe('flushed');
    await host.finished();
  };

  describe('input', () => {
    test('lines arrive in order with any line end, and blank lines are skipped', async () => {
      await start();
      const bytes = new TextEncoder().encode('\uFEFFfirst\n\n  \r\nzweité\r\n😀\rsame line\nlast without newline');
      for (const byte of bytes) host.send(Uint8Array.of(byte));
      host.end();
      const texts = ['first', 'zweité', '😀\rsame line', 'last without newline'];
      for (const text of texts) expect(await nextJson()).toEqual({ text });
      await finish();
    });

    test('a small, a huge and a small line in one write arrive in order', async () => {
      await start();
      const huge = 'h'.repeat(10 * 1024 * 1024);
      host.send(`one\n${huge}\nthree\n`);
      expect(await nextJson()).toEqual({ text: 'one' });
      expect((await nextJson()).text === huge).toBe(true);
      expect(await nextJson()).toEqual({ text: 'three' });
      host.end();
      await finish();
    });

    test('a line over the limit is reported once, and the next line is complete', async () => {
      await start({ lineLimit: 100 });
      host.send(`${'a'.repeat(100)}\n${'b'.repeat(1_000_000)}\nnext\n`);
      expect(await nextJson()).toEqual({ text: 'a'.repeat(100) });
      expect(await nextJson()).toEqual({ problem: 'line exceeds the limit of 100 bytes' });
      expect(await nextJson()).toEqual({ text: 'next' });
      host.end();
      await finish();
    });

    test('input without any line ends normally', async () => {
      await start();
      host.end();
      await finish();
    });

    test('closing the agent’s end also ends its lines while the host’s end is open', async () => {
      await start();
      instruct({ act: 'close' });
      host.send('never received');
      await finish();
    });
  });

  describe('output', () => {
    test('a frame of texts and bytes, small and large, arrives as one line in order', async () => {
      await start();
      const small = { letter: 'é', times: 100 };
      const large = { letter: 'L', times: 100_000 };
      instruct({ act: 'chunks', chunks: ['<', small, '|', large, '|', small, small, '😀>', '\n'] });
      instruct({ act: 'chunks', chunks: [large, '\n'] });
      instruct({ act: 'chunks', chunks: ['', small, '\n'] });
      const [e, l] = ['é'.repeat(100), 'L'.repeat(100_000)];
      expect((await host.next()) === `<${e}|${l}|${e}${e}😀>`).toBe(true);
      expect((await host.next()) === l).toBe(true);
      expect(await host.next()).toBe(e);
      host.end();
      await finish();
    });

    test('10,000 frames of one tick keep their order', async () => {
      await start();
      instruct({ act: 'burst', count: 10_000, size: 40 });
      for (let i = 0; i < 10_000; i++) expect((await nextJson()).i).toBe(i);
      host.end();
      await finish();
    });

    test('the writer pauses when the host stops reading, and continues when it reads again', async () => {
      await start();
      host.pause();
      instruct({ act: 'stream', count: 4000, size: 1000 });
      expect(await host.report()).toBe('paused');
      host.resume();
      for (let i = 0; i < 4000; i++) expect((await nextJson()).i).toBe(i);
      expect((await nextJson()).waits).toBeGreaterThan(0);
      host.end();
      await finish();
    });

    test('a disconnected host is detected, and later writes and waits return at once', async () => {
      await start();
      instruct({ act: 'untilReaderClosed' });
      expect((await nextJson()).i).toBe(0);
      host.close();
      expect(await host.report()).toBe('reader closed');
      expect(await host.report()).toBe('0 refused writes after that');
      await finish();
    });
  });
}
