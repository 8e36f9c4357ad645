// Which call may run beside which: what each lane promises, by hand and for any order of events.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Deferred, deferred } from '../../src/base/index.ts';
import type { Lane } from '../../src/contracts/index.ts';
import { Lanes } from '../../src/server/lanes.ts';

const settle = () => new Promise((resolve) => setImmediate(resolve));

interface Work {
  readonly name: string;
  readonly lane: Lane;
  readonly long: boolean;
  started: boolean;
  accepted: boolean;
  finished: boolean;
  readonly end: Deferred<void>;
  accept(): void;
}

function createStage() {
  const lanes = new Lanes();
  const works: Work[] = [];
  const told: string[] = [];
  return {
    lanes,
    works,
    told,
    dispatch(name: string, lane: Lane, long = false): Work {
      const work: Work = {
        name,
        lane,
        long,
        started: false,
        accepted: false,
        finished: false,
        end: deferred(),
        accept: () => {},
      };
      works.push(work);
      lanes.dispatch({
        lane,
        long,
        async work(accept) {
          work.started = true;
          told.push(name);
          work.accept = () => {
            work.accepted = true;
            accept();
          };
          await work.end.promise;
          work.finished = true;
        },
      });
      return work;
    },
  };
}

test('ordered work runs one at a time, in the order it came', async () => {
  const { dispatch, told } = createStage();
  const [first] = [dispatch('a', 'ordered'), dispatch('b', 'ordered'), dispatch('c', 'ordered')];
  await settle();
  expect(told).toEqual(['a']);
  first.end.resolve();
  await settle();
  expect(told).toEqual(['a', 'b']);
});

test('after a run has begun the next one begins, before the run is over', async () => {
  const { dispatch, told } = createStage();
  const run = dispatch('run', 'run');
  dispatch('next', 'ordered');
  await settle();
  expect(told).toEqual(['run']);
  run.accept();
  await settle();
  expect(told).toEqual(['run', 'next']);
  expect(run.finished).toBe(false);
});

test('a run that ends without having been accepted lets go all the same', async () => {
  const { dispatch, told } = createStage();
  const run = dispatch('run', 'run');
  dispatch('next', 'ordered');
  run.end.resolve();
  await settle();
  expect(told).toEqual(['run', 'next']);
});

test('only runs let go early: what ordered work accepts changes nothing', async () => {
  const { dispatch, told } = createStage();
  const work = dispatch('a', 'ordered');
  dispatch('b', 'ordered');
  work.accept();
  await settle();
  expect(told).toEqual(['a']);
});

test('now waits for short work that came before, and for nothing else', async () => {
  const { dispatch, told } = createStage();
  const short = dispatch('short', 'ordered');
  dispatch('long', 'ordered', true);
  dispatch('behind', 'ordered');
  dispatch('now', 'now');
  await settle();
  expect(told).toEqual(['short']);
  short.end.resolve();
  await settle();
  expect(told.sort()).toEqual(['long', 'now', 'short']);
});

test('now starts at once beside a long one, a begun run, and other now', async () => {
  const { dispatch, told } = createStage();
  dispatch('run', 'run').accept();
  await settle();
  dispatch('long', 'ordered', true);
  dispatch('now', 'now');
  dispatch('again', 'now');
  await settle();
  expect(told).toEqual(['run', 'long', 'now', 'again']);
});

test('ordered work behind one that turned out to be slow still waits for its end; now work does not', async () => {
  const { lanes, dispatch, told } = createStage();
  const end = deferred();
  let slow = () => {};
  lanes.dispatch({
    lane: 'ordered',
    long: false,
    async work(_accept, _turn, isSlow) {
      slow = isSlow;
      await end.promise;
    },
  });
  dispatch('ordered', 'ordered');
  dispatch('run', 'run');
  dispatch('now', 'now').end.resolve();
  await settle();
  expect(told).toEqual([]);
  slow();
  await settle();
  dispatch('later', 'now').end.resolve();
  await settle();
  expect(told).toEqual(['later']);
  end.resolve();
  await settle();
  expect(told).toEqual(['later', 'ordered']);
});

test('idle waits for everything, also for what comes while it waits', async () => {
  const { lanes, dispatch } = createStage();
  await lanes.idle();
  const first = dispatch('a', 'now');
  let isIdle = false;
  const idle = lanes.idle().then(() => {
    isIdle = true;
  });
  const second = dispatch('b', 'ordered');
  first.end.resolve();
  await settle();
  expect(isIdle).toBe(false);
  second.end.resolve();
  await idle;
});

test('short ones may reply in the order they came; those behind a long one need not wait for it', async () => {
  const lanes = new Lanes();
  const told: string[] = [];
  const slow = deferred();
  const replying = (name: string, ready: Promise<void> = Promise.resolve()) => ({
    work: async (_: unknown, turn: Promise<void>) => {
      await ready;
      await turn;
      told.push(name);
    },
  });
  const now = { lane: 'now', long: false } as const;
  lanes.dispatch({ ...now, ...replying('a', slow.promise) });
  lanes.dispatch({ ...now, ...replying('b') });
  lanes.dispatch({ lane: 'ordered', long: false, ...replying('c') });
  lanes.dispatch({ ...now, ...replying('d') });
  await settle();
  expect(told).toEqual([]);
  slow.resolve();
  await lanes.idle();
  expect(told).toEqual(['a', 'b', 'c', 'd']);

  const never = deferred();
  lanes.dispatch({ lane: 'now', long: true, ...replying('long', never.promise) });
  lanes.dispatch({ lane: 'ordered', long: true, ...replying('longer', never.promise) });
  lanes.dispatch({ lane: 'ordered', long: false, ...replying('behind') });
  lanes.dispatch({ ...now, ...replying('e') });
  await settle();
  expect(told).toEqual(['a', 'b', 'c', 'd', 'e']);
  never.resolve();
  await lanes.idle();
});

type Step = { lane: Lane; long: boolean } | { end: number } | { accept: number } | 'settle';

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ lane: fc.constantFrom<Lane>('now', 'ordered', 'run'), long: fc.boolean() }),
  fc.record({ end: fc.nat({ max: 9 }) }),
  fc.record({ accept: fc.nat({ max: 9 }) }),
  fc.constant('settle' as const),
);

/** It no longer holds up those behind it. */
const hasLetGo = (work: Work) => work.finished || (work.lane === 'run' && work.accepted);

test('in any order of events nothing overtakes, and nothing waits that need not', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const { lanes, dispatch, works } = createStage();
      const check = () => {
        const inTurn = works.filter(({ lane }) => lane !== 'now');
        const begun = inTurn.filter(({ started }) => started);
        expect(begun).toEqual(inTurn.slice(0, begun.length));
        expect(begun.slice(0, -1).every(hasLetGo)).toBe(true);
        if (begun.every(hasLetGo)) expect(begun).toHaveLength(inTurn.length);
        for (const [index, work] of works.entries()) {
          if (work.lane !== 'now') continue;
          const before = works.slice(0, index).filter(({ lane }) => lane !== 'now');
          const waiting = before.filter((earlier) => !hasLetGo(earlier));
          if (waiting.every(({ long }) => long)) expect(work.started).toBe(true);
        }
      };
      for (const next of steps) {
        if (next === 'settle') {
          await settle();
          check();
        } else if ('lane' in next) dispatch(`${works.length}`, next.lane, next.long && next.lane === 'ordered');
        else if ('end' in next) works[next.end]?.end.resolve();
        else works[next.accept]?.accept();
      }
      await settle();
      check();
      for (const work of works) work.end.resolve();
      await lanes.idle();
      expect(works.every(({ finished }) => finished)).toBe(true);
    }),
    { numRuns: 500 },
  );
});
