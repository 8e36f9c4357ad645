import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { WireFrame } from '../support/frame-collector.ts';
import { createDirectories, readMemory, startRpc } from '../support/program.ts';
import { listSessionFiles } from '../support/session-files.ts';
import { waitUntil } from '../support/wait-until.ts';

const MiB = 1024 * 1024;
/** Allowed growth: V8 frees unused buffers only after 64 MiB. */
const MAX_GROWTH = 128 * MiB;

describe.each(['socket', 'pipe'] as const)('over a %s', (streams) => {
  test('a line above the limit causes one error and no memory growth, and the next line is processed', async () => {
    const directories = createDirectories();
    writeFileSync(join(directories.home, 'settings.json'), '{ "rpc": { "maxLineBytes": 1048576 } }');
    const program = startRpc([], { directories, streams });
    await program.call({ type: 'get_state' });
    const before = readMemory(program.pid, 'VmRSS');
    const piece = Buffer.alloc(MiB, 'x');
    for (let i = 0; i < 200; i++) if (!program.stdin.write(piece)) await once(program.stdin, 'drain');
    program.stdin.write('\n');
    expect(await program.call({ type: 'get_state' })).toMatchObject({ success: true });
    const errors = program.frames.filter(({ success }) => success === false);
    expect(errors).toEqual([
      {
        type: 'response',
        command: 'parse',
        success: false,
        error: 'Failed to parse command: line exceeds the limit of 1048576 bytes',
      },
    ]);
    expect(readMemory(program.pid, 'VmHWM') - before).toBeLessThan(MAX_GROWTH);
  });

  test('a host that pauses gets everything later, and memory does not grow in between', async () => {
    const program = startRpc(['--stream', 'full'], { streams });
    await program.call({ type: 'get_state' });
    const before = readMemory(program.pid, 'VmRSS');
    program.send({ type: 'prompt', message: 'count to 20000' });
    await program.nextFrame({ type: 'message_update' });
    program.stdout.pause();
    // The answer continues, and its updates are merged into one.
    await waitUntil(
      () => /"role":"assistant".*\n$/.test(readFileSync(listSessionFiles(program.home)[0]!, 'latin1')),
      60_000,
    );
    expect(readMemory(program.pid, 'VmHWM') - before).toBeLessThan(MAX_GROWTH);
    program.stdout.resume();
    const end = await program.nextFrame({ type: 'agent_end' });
    expect(program.frames.filter(({ type }) => type === 'unreadable')).toEqual([]);
    const numbers = Array.from({ length: 20_000 }, (_, n) => n + 1).join(' ');
    expect(textIn((end.messages as object[]).at(-1))).toBe(numbers);
    expect(program.frames.map(deltaOf).join('')).toBe(numbers);
  });
});

function textIn(message: object | undefined): string {
  const { content } = message as { content: { type: string; text: string }[] };
  return content.find(({ type }) => type === 'text')?.text ?? '';
}

function deltaOf(frame: WireFrame): string {
  const event = frame.assistantMessageEvent as { type: string; delta: string } | undefined;
  return event?.type === 'text_delta' ? event.delta : '';
}
