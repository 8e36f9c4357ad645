// Invalid and unusual input lines, split anywhere: exactly the replies that the protocol defines, in order, and the server continues.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Gates } from './gates.ts';
import { createHarness, type Frame, type Harness } from './harness.ts';
import { ODD_FRAMES, type OddFrame } from './odd-frames.ts';

const LF = Uint8Array.of(0x0a);

function encodeLine({ line }: OddFrame): Uint8Array {
  return Buffer.concat([Buffer.from(line as string), LF]);
}

async function openHarness(): Promise<Harness> {
  const gates = new Gates();
  gates.open();
  return createHarness([], gates);
}

/** The frames that were sent, without the ready frame. */
function getSentFrames({ timeline }: Harness): Frame[] {
  return timeline
    .filter(({ direction }) => direction === 'out')
    .map(({ frame }) => frame)
    .slice(1);
}

function expectReply(frame: Frame | undefined, { reply, name }: OddFrame): void {
  if (!reply) throw new Error(`${name} gets no reply`);
  const { error, ...rest } = reply;
  expect(frame, name).toMatchObject({ type: 'response', ...rest });
  expect(frame && 'id' in frame, name).toBe('id' in rest);
  expect(
    Object.keys(frame ?? {}).filter((key) => !['id', 'type', 'command', 'success', 'data', 'error'].includes(key)),
  ).toEqual([]);
  if (error) expect(frame?.error, name).toMatch(error);
}

describe('each line gets the defined reply', () => {
  test.each(ODD_FRAMES.map((odd) => [odd.name, odd] as const))('%s', async (_, odd) => {
    const harness = await openHarness();
    harness.sendRaw(encodeLine(odd));
    harness.sendRaw(Buffer.from('{"id":"alive","type":"get_last_assistant_text"}\n'));
    await harness.close();
    const frames = getSentFrames(harness);
    expect(frames.at(-1)).toMatchObject({ id: 'alive', success: true });
    expect(frames).toHaveLength(odd.reply ? 2 : 1);
    if (odd.reply) expectReply(frames[0], odd);
  });

  test('the list has at least 40 lines with distinct names', () => {
    expect(ODD_FRAMES.length).toBeGreaterThanOrEqual(40);
    expect(new Set(ODD_FRAMES.map(({ name }) => name)).size).toBe(ODD_FRAMES.length);
  });
});

/** Commands that only wait for earlier commands and always succeed. */
const SHORT_COMMANDS: OddFrame[] = [
  { type: 'get_state' },
  { type: 'get_messages' },
  { type: 'get_session_stats' },
  { type: 'get_last_assistant_text' },
  { type: 'set_steering_mode', mode: 'all' },
  { type: 'set_follow_up_mode', mode: 'all' },
  { type: 'set_interrupt_mode', mode: 'wait' },
  { type: 'steer', message: 'a' },
  { type: 'follow_up', message: 'é\u2028😀' },
  { type: 'clear_queue' },
  { type: 'set_session_name', name: 'b' },
].map((frame, index) => ({
  name: frame.type,
  line: JSON.stringify({ id: index, ...frame }),
  reply: { id: index, command: frame.type, success: true },
}));

const INVALID_ID_FRAMES = SHORT_COMMANDS.map(
  ({ name }, index): OddFrame => ({
    name: `${name} with a wrong id`,
    line: JSON.stringify({ id: [index], type: name }),
    reply: { command: name, success: false },
  }),
);

const smallOddFrames = ODD_FRAMES.filter(({ line, name }) => line.length < 1000 && name !== 'a blank shell command');
const anyFrame = fc.oneof(fc.constantFrom(...SHORT_COMMANDS), fc.constantFrom(...INVALID_ID_FRAMES, ...smallOddFrames));

test('any sequence of lines, split anywhere, is answered in order', async () => {
  const chunkSizes = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyFrame, { maxLength: 20 }),
      chunkSizes,
      fc.boolean(),
      async (sequence, sizes, isEnded) => {
        const harness = await openHarness();
        const whole = Buffer.concat(sequence.map(encodeLine));
        // The last line is also valid without its newline.
        const input = isEnded ? whole : whole.subarray(0, -1);
        for (let at = 0, count = 0; at < input.length; count++) {
          const size = sizes[count % sizes.length] ?? 1;
          harness.sendRaw(input.subarray(at, at + size));
          at += size;
          if (count % 3 === 0) await null;
        }
        await harness.close();
        const withReply = sequence.filter(({ reply }) => reply);
        // Queued messages that were not run are reported after everything else.
        const isNotRun = ({ error }: Frame) => String(error).includes('was not run: the program is exiting');
        const frames = getSentFrames(harness).filter((frame) => !isNotRun(frame));
        expect(frames.map(({ command }) => command)).toEqual(withReply.map(({ reply }) => reply?.command));
        frames.forEach((frame, index) => {
          expectReply(frame, withReply[index] as OddFrame);
        });
      },
    ),
    { numRuns: 300 },
  );
});
