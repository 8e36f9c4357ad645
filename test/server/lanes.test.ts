// The rules of the lanes: single cases, and properties for any order of events.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createDeferred, type Deferred } from '../../src/base/index.ts';
import type { Lane } from '../../src/contracts/index.ts';
import { SessionLanes } from '../../src/server/lanes.ts';

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

function createRecordedLanes() {
  const lanes = new SessionLanes();
  const works: Work[] = [];
  const started: string[] = [];
  return {
    lanes,
    works,
    started,
    dispatch(name: string, lane: Lane, long = false): Work {
      const work: Work = {
        name,
        lane,
        long,
        started: false,
        accepted: false,
        finished: false,
        end: createDeferred(),
        accept: () => {},
      };
      works.push(work);
      lanes.dispatch({
        lane,
        long,
        async execute(accept) {
          work.started = true;
          started.push(name);
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

test('ordered work runs one at a time, in order of arrival', async () => {
  const { dispatch, started } = createRecordedLanes();
  const [first] = [dispatch('a', 'ordered'), dispatch('b', 'ordered'), dispatch('c', 'ordered')];
  await settle();
  expect(started).toEqual(['a']);
  first.end.resolve();
  await settle();
  expect(started).toEqual(['a', 'b']);
});

test('the next work starts when a run is accepted, before the run has ended', async () => {
  const { dispatch, started } = createRecordedLanes();
  const run = dispatch('run', 'run');
  dispatch('next', 'ordered');
  await settle();
  expect(started).toEqual(['run']);
  run.accept();
  await settle();
  expect(started).toEqual(['run', 'next']);
  expect(run.finished).toBe(false);
});

test('the next work starts when a run ends without being accepted', async () => {
  const { dispatch, started } = createRecordedLanes();
  const run = dispatch('run', 'run');
  dispatch('next', 'ordered');
  run.end.resolve();
  await settle();
  expect(started).toEqual(['run', 'next']);
});

test('accept of ordered work has no effect', async () => {
  const { dispatch, started } = createRecordedLanes();
  const work = dispatch('a', 'ordered');
  dispatch('b', 'ordered');
  work.accept();
  await settle();
  expect(started).toEqual(['a']);
});

test('now work waits only for earlier short work', async () => {
  const { dispatch, started } = createRecordedLanes();
  const short = dispatch('short', 'ordered');
  dispatch('long', 'ordered', true);
  dispatch('after', 'ordered');
  dispatch('now', 'now');
  await settle();
  expect(started).toEqual(['short']);
  short.end.resolve();
  await settle();
  expect(started.sort()).toEqual(['long', 'now', 'short']);
});

test('now work starts at once during long work, accepted runs and other now work', async () => {
  const { dispatch, started } = createRecordedLanes();
  dispatch('run', 'run').accept();
  await settle();
  dispatch('long', 'ordered', true);
  dispatch('now', 'now');
  dispatch('again', 'now');
  await settle();
  expect(started).toEqual(['run', 'long', 'now', 'again']);
});

test('ordered work waits for the end of earlier work that was marked slow; now work does not', async () => {
  const { lanes, dispatch, started } = createRecordedLanes();
  const end = createDeferred();
  let markSlow = () => {};
  lanes.dispatch({
    lane: 'ordered',
    long: false,
    async execute(_accept, _replyTurn, callMarkSlow) {
      markSlow = callMarkSlow;
      await end.promise;
    },
  });
  dispatch('ordered', 'ordered');
  dispatch('run', 'run');
  dispatch('now', 'now').end.resolve();
  await settle();
  expect(started).toEqual([]);
  markSlow();
  await settle();
  dispatch('later', 'now').end.resolve();
  await settle();
  expect(started).toEqual(['later']);
  end.resolve();
  await settle();
  expect(started).toEqual(['later', 'ordered']);
});

test('waitUntilIdle waits for all work, also for work dispatched during the wait', async () => {
  const { lanes, dispatch } = createRecordedLanes();
  await lanes.waitUntilIdle();
  const first = dispatch('a', 'now');
  let isIdle = false;
  const idle = lanes.waitUntilIdle().then(() => {
    isIdle = true;
  });
  const second = dispatch('b', 'ordered');
  first.end.resolve();
  await settle();
  expect(isIdle).toBe(false);
  second.end.resolve();
  await idle;
});

test('short work replies in order of arrival; work after a long one does not wait for it', async () => {
  const lanes = new SessionLanes();
  const replied: string[] = [];
  const slow = createDeferred();
  const replyWhen = (name: string, ready: Promise<void> = Promise.resolve()) => ({
    execute: async (_: unknown, replyTurn: Promise<void>) => {
      await ready;
      await replyTurn;
      replied.push(name);
    },
  });
  const now = { lane: 'now', long: false } as const;
  lanes.dispatch({ ...now, ...replyWhen('a', slow.promise) });
  lanes.dispatch({ ...now, ...replyWhen('b') });
  lanes.dispatch({ lane: 'ordered', long: false, ...replyWhen('c') });
  lanes.dispatch({ ...now, ...replyWhen('d') });
  await settle();
  expect(replied).toEqual([]);
  slow.resolve();
  await lanes.waitUntilIdle();
  expect(replied).toEqual(['a', 'b', 'c', 'd']);

  const never = createDeferred();
  lanes.dispatch({ lane: 'now', long: true, ...replyWhen('long', never.promise) });
  lanes.dispatch({ lane: 'ordered', long: true, ...replyWhen('longer', never.promise) });
  lanes.dispatch({ lane: 'ordered', long: false, ...replyWhen('after') });
  lanes.dispatch({ ...now, ...replyWhen('e') });
  await settle();
  expect(replied).toEqual(['a', 'b', 'c', 'd', 'e']);
  never.resolve();
  await lanes.waitUntilIdle();
});

type Step = { lane: Lane; long: boolean } | { end: number } | { accept: number } | 'settle';

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ lane: fc.constantFrom<Lane>('now', 'ordered', 'run'), long: fc.boolean() }),
  fc.record({ end: fc.nat({ max: 9 }) }),
  fc.record({ accept: fc.nat({ max: 9 }) }),
  fc.constant('settle' as const),
);

/** The work no longer blocks the work after it. */
const isReleased = (work: Work) => work.finished || (work.lane === 'run' && work.accepted);

test('in any order of events the order is kept and no work waits unnecessarily', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const { lanes, dispatch, works } = createRecordedLanes();
      const check = () => {
        const ordered = works.filter(({ lane }) => lane !== 'now');
        const startedWorks = ordered.filter(({ started }) => started);
        expect(startedWorks).toEqual(ordered.slice(0, startedWorks.length));
        expect(startedWorks.slice(0, -1).every(isReleased)).toBe(true);
        if (startedWorks.every(isReleased)) expect(startedWorks).toHaveLength(ordered.length);
        for (const [index, work] of works.entries()) {
          if (work.lane !== 'now') continue;
          const before = works.slice(0, index).filter(({ lane }) => lane !== 'now');
          const waiting = before.filter((earlier) => !isReleased(earlier));
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
      await lanes.waitUntilIdle();
      expect(works.every(({ finished }) => finished)).toBe(true);
    }),
    { numRuns: 500 },
  );
});
