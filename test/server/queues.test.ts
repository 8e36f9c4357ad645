// Steering, follow-ups, prompts and aborts in any order, around the ends of tools and runs: each message arrives once.
import fc from 'fast-check';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { Fault } from '../../src/base/index.ts';
import type * as store from '../../src/store/index.ts';
import { Gates } from './gates.ts';
import { faultsIn } from './transcript.ts';
import { type Answer, createWorld, type Frame, settle, type World } from './world.ts';

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

type Command = { type: string; says?: true; mode?: string; streamingBehavior?: string };

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ type: 'steer', says: true as const }) },
  { weight: 4, arbitrary: fc.constant({ type: 'follow_up', says: true as const }) },
  { weight: 4, arbitrary: fc.constant({ type: 'prompt', says: true as const }) },
  { weight: 3, arbitrary: fc.constant({ type: 'prompt', says: true as const, streamingBehavior: 'steer' }) },
  { weight: 3, arbitrary: fc.constant({ type: 'prompt', says: true as const, streamingBehavior: 'followUp' }) },
  { weight: 3, arbitrary: fc.constant({ type: 'abort' }) },
  { weight: 1, arbitrary: fc.constant({ type: 'abort_and_prompt', says: true as const }) },
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

/** More promises than there are between the last piece of an answer and the rest that follows. */
const MOMENTS = 40;

/** Say the next thing or let something go on, and then look away for a moment, long or short. */
const move = fc.record({
  speak: fc.boolean(),
  which: fc.nat({ max: 5 }),
  pause: fc.constantFrom(0, 1, 2, 3, 5, 8, 13, 'all' as const),
});

interface Play {
  answers: Answer[];
  commands: Command[];
  moves: { speak: boolean; which: number; pause: number | 'all' }[];
}

const plays: fc.Arbitrary<Play> = fc.record({
  answers: fc.array(fc.constantFrom<Answer>('text', 'call', 'calls', 'error', 'length'), { maxLength: 6 }),
  commands: fc.array(command, { minLength: 2, maxLength: 14 }),
  moves: fc.array(move, { minLength: 10, maxLength: 80 }),
});

function framesOf(commands: readonly Command[]): Frame[] {
  return commands.map(({ says, type, ...rest }, index) => {
    return { id: `${index}`, type, ...rest, ...(says ? { message: `text ${index}` } : {}) };
  });
}

async function perform({ answers, commands, moves }: Play): Promise<World> {
  const gates = new Gates();
  disk.pass = () => gates.pass();
  const world = await createWorld(answers, gates);
  const frames = framesOf(commands);
  // Something to talk about, for most of the time.
  world.send({ id: 'opening', type: 'prompt', message: 'opening' });
  for (const { speak, which, pause } of moves) {
    const next = speak ? frames.shift() : undefined;
    if (next) world.send(next);
    else if (gates.waiting > 0) gates.release(which);
    if (pause === 'all') await settle();
    else await ticks(pause);
  }
  return finish(world);
}

/** Lets a few promises go on, so that the next thing happens in the midst of others. */
async function ticks(count: number): Promise<void> {
  for (let tick = 0; tick < count; tick++) await null;
}

async function finish(world: World): Promise<World> {
  world.gates.open();
  await quiet(world);
  world.send({ id: 'last', type: 'clear_queue' });
  await world.leave();
  return world;
}

function mustBeSound(world: World): void {
  const faults = [...faultsIn(world.timeline), ...world.complaints];
  if (faults.length > 0) throw new Error(`${faults.join('\n')}\n${explain(world)}`);
}

/** Everything was answered and nothing runs. */
async function quiet(world: World): Promise<void> {
  for (let turns = 0; turns < 2000; turns++) {
    await settle();
    const isAnswered = ({ direction, frame }: World['timeline'][number]) =>
      direction !== 'in' || world.timeline.some((step) => step.direction === 'out' && step.frame.id === frame.id);
    if (!world.isRunning && world.timeline.every(isAnswered)) return;
  }
  throw new Error('the agent does not come to rest');
}

function explain({ timeline }: World): string {
  return timeline
    .map(({ direction, frame }) => `${direction === 'in' ? '>' : '<'} ${JSON.stringify(frame).slice(0, 160)}`)
    .join('\n');
}

// The first request loads what requests are made with, which takes real time; after that everything happens in microtasks.
beforeAll(async () => {
  const world = await createWorld(['text']);
  world.gates.open();
  world.send({ id: 'warm', type: 'prompt', message: 'warm' });
  await vi.waitUntil(() => world.timeline.some(({ frame }) => frame.type === 'agent_settled'), { timeout: 60_000 });
  await world.leave();
});

test('in any interleaving', async () => {
  await fc.assert(
    fc.asyncProperty(plays, async (play) => {
      mustBeSound(await perform(play));
    }),
    { numRuns: 800 },
  );
});

describe('at every moment around the end of a run', () => {
  const [steer, followUp, prompt] = ['steer', 'follow_up', 'prompt'].map((type) => ({ type, says: true as const }));
  const words = [
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
    words.map((said) => ({ answer, said, name: said.map(({ type }) => type).join(', ') })),
  );

  test.each(cases)(
    '$answer: $name',
    async ({ answer, said }) => {
      disk.pass = () => Promise.resolve();
      for (let moment = 0; moment < MOMENTS; moment++) {
        const world = await createWorld([answer]);
        world.send({ id: 'opening', type: 'prompt', message: 'opening' });
        // Through the middle of the answer, up to its last piece.
        await settle();
        world.gates.release(0);
        await settle();
        world.gates.release(0);
        await ticks(moment);
        for (const frame of framesOf(said)) world.send(frame);
        mustBeSound(await finish(world));
      }
    },
    30_000,
  );
});

test('when the disk is full: what was not kept was not queued, and what was not taken back stays queued', async () => {
  const full = () => Promise.reject(new Fault('storage', 'The disk is full'));
  const say = async (frame: Frame, pass: () => Promise<void>) => {
    disk.pass = pass;
    world.send(frame);
    await settle();
    return world.timeline.findLast((step) => step.frame.id === frame.id)?.frame;
  };
  const world = await createWorld([]);
  const refused = { success: false, error: 'The disk is full' };
  await say({ id: '1', type: 'steer', message: 'kept' }, () => Promise.resolve());
  expect(await say({ id: '2', type: 'steer', message: 'lost' }, full)).toMatchObject(refused);
  expect(await say({ id: '3', type: 'clear_queue' }, full)).toMatchObject(refused);
  const last = await say({ id: '4', type: 'clear_queue' }, () => Promise.resolve());
  expect(last).toMatchObject({ success: true, data: { steering: ['kept'], followUp: [] } });
  await world.leave();
});
