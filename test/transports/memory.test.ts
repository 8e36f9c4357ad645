import { describe, expect, test } from 'vitest';
import { createChannel } from '../../src/base/index.ts';
import { createMemoryTransport } from '../../src/transports/memory-transport.ts';
import { type Host, transportContract } from './contract.ts';
import { runScriptedAgent } from './fixtures/scripted-agent.ts';

transportContract('memory transport', (options): Host => {
  const { transport, host } = createMemoryTransport(options);
  const reports = createChannel<string>();
  const reportIterator = reports[Symbol.asyncIterator]();
  const done = runScriptedAgent(transport, (text) => reports.push(text));
  return {
    ...host,
    report: async () => (await reportIterator.next()).value as string,
    finished: () => done,
    dispose: () => host.close(),
  };
});

describe('memory transport: the host’s end', () => {
  test('a string may contain several lines, with or without the last newline', async () => {
    const { transport, host } = createMemoryTransport();
    host.send('a\nb');
    host.send('c\n');
    host.end();
    const texts: unknown[] = [];
    for await (const line of transport.lines) texts.push(line);
    expect(texts).toEqual([{ text: 'a' }, { text: 'b' }, { text: 'c' }]);
  });

  test('leaving a loop over the frames does not end them for the next reader', async () => {
    const { transport, host } = createMemoryTransport();
    for (const frame of ['1\n', '2\n', '3\n']) transport.write([frame]);
    transport.close();
    for await (const frame of host.frames()) {
      expect(frame).toBe('1');
      break;
    }
    expect(await host.next()).toBe('2');
    const rest: string[] = [];
    for await (const frame of host.frames()) rest.push(frame);
    expect(rest).toEqual(['3']);
    await expect(host.next()).rejects.toThrow('No frame will come: the transport is closed');
  });

  test('flush waits for a paused host, and frames written before close arrive', async () => {
    const { transport, host } = createMemoryTransport({ highWaterMark: 10 });
    host.pause();
    expect(transport.write(['12345\n'])).toBe(true);
    expect(transport.write(['12345\n'])).toBe(false);
    let flushed = false;
    const flush = transport.flush().then(() => {
      flushed = true;
    });
    transport.close();
    transport.write(['dropped\n']);
    await Promise.resolve();
    expect(flushed).toBe(false);
    host.resume();
    await flush;
    const frames: string[] = [];
    for await (const frame of host.frames()) frames.push(frame);
    expect(frames).toEqual(['12345', '12345']);
  });
});
