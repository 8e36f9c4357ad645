// Steering messages, follow-ups, prompts and aborts in any order: each message is delivered exactly once.
import fc from 'fast-check';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { Fault } from '../../src/base/index.ts';
import type * as store from '../../src/store/index.ts';
import { Gates } from './gates.ts';
import { type Answer, createHarness, type Frame, type Harness, settle } from './harness.ts';
import { findTimelineErrors } from './timeline-errors.ts';

const disk = vi.hoisted(() => ({ pass: () => Promise.resolve() as Promise<void> }));

vi.mock('../../src/store/index.ts', async (importOriginal) => {
  const original = await importOriginal<typeof store>();
  const createMemoryStore = () => {
    const inner = original.createMemoryStore();
    return {
      ...inner,
      create(...header: Parameters<typeof inner.create>) {
        const log = inner.create(...header);
        const append: typeof log.append = async (entries) => {
          await disk.pass();
          await log.append(entries);
        };
        return { ...log, append };
      },
    };
  };
  return { ...original, createMemoryStore };
});

type Command = { type: string; hasMessage?: true; mode?: string; streamingBehavior?: string };

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ type: 'steer', hasMessage: true as const }) },
  { weight: 4, arbitrary: fc.constant({ type: 'follow_up', hasMessage: true as const }) },
  { weight: 4, arbitrary: fc.constant({ type: 'prompt', hasMessage: true as const }) },
  { weight: 3, arbitrary: fc.constant({ type: 'prompt', hasMessage: true as const, streamingBehavior: 'steer' }) },
  { weight: 3, arbitrary: fc.constant({ type: 'prompt', hasMessage: true as const, streamingBehavior: 'followUp' }) },
  { weight: 3, arbitrary: fc.constant({ type: 'abort' }) },
  { weight: 1, arbitrary: fc.constant({ type: 'abort_and_prompt', hasMessage: true as const }) },
  { weight: 2, arbitrary: fc.constant({ type: 'clear_queue' }) },
  { weight: 1, arbitrary: fc.constant({ type: 'get_state' }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      { type: 'set_steering_mode', mode: 'all' },
      { type: 'set_steering_mode', mode: 'one-at-a-time' },
      { type: 'set_follow_up_mode', mode: 'all' },
      { type: 'set_interrupt_mode', mode: 'wait' },
      { type: 'set_interrupt_mode', mode: 'immediate' },
    ),
  },
);

/** More microtasks than there are between the last delta of a response and agent_settled. */
const MICROTASKS = 40;

/** Sends the next command or releases a gate, and then waits for some microtasks. */
const move = fc.record({
  send: fc.boolean(),
  which: fc.nat({ max: 5 }),
  pause: fc.constantFrom(0, 1, 2, 3, 5, 8, 13, 'all' as const),
});

interface Script {
  answers: Answer[];
  commands: Command[];
  moves: { send: boolean; which: number; pause: number | 'all' }[];
}

const scripts: fc.Arbitrary<Script> = fc.record({
  answers: fc.array(fc.constantFrom<Answer>('text', 'call', 'calls', 'error', 'length'), { maxLength: 6 }),
  commands: fc.array(command, { minLength: 2, maxLength: 14 }),
  moves: fc.array(move, { minLength: 10, maxLength: 80 }),
});

function createFrames(commands: readonly Command[]): Frame[] {
  return commands.map(({ hasMessage, type, ...rest }, index) => {
    return { id: `${index}`, type, ...rest, ...(hasMessage ? { message: `text ${index}` } : {}) };
  });
}

async function runScript({ answers, commands, moves }: Script): Promise<Harness> {
  const gates = new Gates();
  disk.pass = () => gates.pass();
  const harness = await createHarness(answers, gates);
  const frames = createFrames(commands);
  // Starts a run, so that the commands are sent during it.
  harness.send({ id: 'opening', type: 'prompt', message: 'opening' });
  for (const { send, which, pause } of moves) {
    const next = send ? frames.shift() : undefined;
    if (next) harness.send(next);
    else if (gates.waiting > 0) gates.release(which);
    if (pause === 'all') await settle();
    else await waitMicrotasks(pause);
  }
  return finish(harness);
}

/** Lets some microtasks run, so that the next command arrives in the middle of other work. */
async function waitMicrotasks(count: number): Promise<void> {
  for (let tick = 0; tick < count; tick++) await null;
}

async function finish(harness: Harness): Promise<Harness> {
  harness.gates.open();
  await waitUntilIdle(harness);
  harness.send({ id: 'last', type: 'clear_queue' });
  await harness.close();
  return harness;
}

function expectNoErrors(harness: Harness): void {
  const errors = [...findTimelineErrors(harness.timeline), ...harness.complaints];
  if (errors.length > 0) throw new Error(`${errors.join('\n')}\n${formatTimeline(harness)}`);
}

/** Resolves when all commands are answered and no run is in progress. */
async function waitUntilIdle(harness: Harness): Promise<void> {
  for (let turns = 0; turns < 2000; turns++) {
    await settle();
    const isAnswered = ({ direction, frame }: Harness['timeline'][number]) =>
      direction !== 'in' || harness.timeline.some((step) => step.direction === 'out' && step.frame.id === frame.id);
    if (!harness.isRunning && harness.timeline.every(isAnswered)) return;
  }
  throw new Error('the agent does not settle');
}

function formatTimeline({ timeline }: Harness): string {
  return timeline
    .map(({ direction, frame }) => `${direction === 'in' ? '>' : '<'} ${JSON.stringify(frame).slice(0, 160)}`)
    .join('\n');
}

// The first request loads modules, which takes real time. After that everything happens in microtasks.
beforeAll(async () => {
  const harness = await createHarness(['text']);
  harness.gates.open();
  harness.send({ id: 'warm', type: 'prompt', message: 'warm' });
  await vi.waitUntil(() => harness.timeline.some(({ frame }) => frame.type === 'agent_settled'), { timeout: 60_000 });
  await harness.close();
});

test('the timeline is correct for any interleaving', async () => {
  await fc.assert(
    fc.asyncProperty(scripts, async (script) => {
      expectNoErrors(await runScript(script));
    }),
    { numRuns: 800 },
  );
});

describe('commands at every microtask around the end of a run', () => {
  const [steer, followUp, prompt] = ['steer', 'follow_up', 'prompt'].map((type) => ({
    type,
    hasMessage: true as const,
  }));
  const sequences = [
    [{ ...prompt, streamingBehavior: 'steer' }],
    [{ ...prompt, streamingBehavior: 'followUp' }],
    [steer, steer],
    [followUp, steer],
    [
      { ...prompt, streamingBehavior: 'steer' },
      { ...prompt, streamingBehavior: 'steer' },
    ],
    [{ ...prompt, streamingBehavior: 'followUp' }, prompt],
    [steer, { type: 'abort' }],
    [{ type: 'abort' }, { ...prompt, streamingBehavior: 'steer' }],
  ] as Command[][];
  const cases = (['text', 'error', 'call'] as const).flatMap((answer) =>
    sequences.map((sequence) => ({ answer, sequence, name: sequence.map(({ type }) => type).join(', ') })),
  );

  test.each(cases)(
    '$answer: $name',
    async ({ answer, sequence }) => {
      disk.pass = () => Promise.resolve();
      for (let delay = 0; delay < MICROTASKS; delay++) {
        const harness = await createHarness([answer]);
        harness.send({ id: 'opening', type: 'prompt', message: 'opening' });
        // Runs the response up to its last delta.
        await settle();
        harness.gates.release(0);
        await settle();
        harness.gates.release(0);
        await waitMicrotasks(delay);
        for (const frame of createFrames(sequence)) harness.send(frame);
        expectNoErrors(await finish(harness));
      }
    },
    30_000,
  );
});

test('a full disk: a message that cannot be stored is refused, and clear_queue fails without changing the queue', async () => {
  const full = () => Promise.reject(new Fault('storage', 'The disk is full'));
  const send = async (frame: Frame, pass: () => Promise<void>) => {
    disk.pass = pass;
    harness.send(frame);
    await settle();
    return harness.timeline.findLast((step) => step.frame.id === frame.id)?.frame;
  };
  const harness = await createHarness([]);
  const refused = { success: false, error: 'The disk is full' };
  await send({ id: '1', type: 'steer', message: 'kept' }, () => Promise.resolve());
  expect(await send({ id: '2', type: 'steer', message: 'lost' }, full)).toMatchObject(refused);
  expect(await send({ id: '3', type: 'clear_queue' }, full)).toMatchObject(refused);
  const last = await send({ id: '4', type: 'clear_queue' }, () => Promise.resolve());
  expect(last).toMatchObject({ success: true, data: { steering: ['kept'], followUp: [] } });
  await harness.close();
});
