// Tests of continuing the run of a process that has ended.
import { expect, test } from 'vitest';
import { continueRun } from '../../../src/app/fleet/continue-run.ts';
import { isContinuedAlready } from '../../../src/app/fleet/is-continued-already.ts';
import { RunTracker } from '../../../src/app/fleet/run-tracker.ts';
import { Fault } from '../../../src/base/index.ts';

const RUN = { tenant: 'team', sessionId: 'abc' };

test.each([
  ['busy', undefined, true],
  ['refused', undefined, true],
  ['busy', { reason: 'unavailable' }, false],
  ['refused', { reason: 'in_use' }, false],
  ['storage', undefined, false],
] as const)('a refusal with %s and %j: the run is continued already: %s', (code, details, expected) => {
  expect(isContinuedAlready(new Fault(code, 'refused', { details }))).toBe(expected);
});

test('a run whose session is open on a node that does not answer is tried again', async () => {
  const answers = [new Fault('busy', 'The node does not answer', { details: { reason: 'unavailable' } }), undefined];
  const sleeps: number[] = [];
  const clock = { sleep: async (ms: number) => void sleeps.push(ms) };
  await continueRun(
    {
      tracker: new RunTracker({ start: async () => {}, onLost: () => {} }),
      clock: clock as never,
      log: () => {},
      findSession: async () => {
        throw new Fault('refused', 'Session is in use', { details: { reason: 'in_use' } });
      },
      async continueElsewhere() {
        const fault = answers.shift();
        if (fault) throw fault;
      },
    },
    RUN,
  );
  expect(answers).toEqual([]);
  expect(sleeps).toEqual([1000]);
});
