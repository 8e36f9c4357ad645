// Steering, follow-ups, prompts and aborts in any order, around the ends of tools and runs: each message arrives once.
import fc from 'fast-check';
import { beforeAll, test, vi } from 'vitest';
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

async function perform({ answers, commands, moves }: Play): Promise<World> {
  const gates = new Gates();
  disk.pass = () => gates.pass();
  const world = await createWorld(answers, gates);
  const frames = commands.map(({ says, type, ...rest }, index): Frame => {
    return { id: `${index}`, type, ...rest, ...(says ? { message: `text ${index}` } : {}) };
  });
  // Something to talk about, for most of the time.
  world.send({ id: 'opening', type: 'prompt', message: 'opening' });
  for (const { speak, which, pause } of moves) {
    const next = speak ? frames.shift() : undefined;
    if (next) world.send(next);
    else if (gates.waiting > 0) gates.release(which);
    if (pause === 'all') await settle();
    else for (let turns = 0; turns < pause; turns++) await null;
  }
  gates.open();
  await quiet(world);
  world.send({ id: 'last', type: 'clear_queue' });
  await world.leave();
  return world;
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

// The first request would load it, which takes real time; without that everything happens in microtasks.
beforeAll(() => import('@valibot/to-json-schema'));

test('in any interleaving', async () => {
  await fc.assert(
    fc.asyncProperty(plays, async (play) => {
      const world = await perform(play);
      const faults = [...faultsIn(world.timeline), ...world.complaints];
      if (faults.length > 0) throw new Error(`${faults.join('\n')}\n${explain(world)}`);
    }),
    { numRuns: 1500 },
  );
}, 30_000);
