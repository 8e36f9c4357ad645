// Kills, suspends and cuts off the nodes and the database of a fleet while runs go on. Nothing that was acknowledged may be lost, and no
// tool call may run twice. `npm run soak:fleet` does it with 300 runs. SEED repeats a sequence of disturbances.
import { expect, test, vi } from 'vitest';
import { createChaosPlan } from '../support/fleet-chaos/chaos-plan.ts';
import { checkJobs, findRepeated, readEffects } from '../support/fleet-chaos/check-session.ts';
import { disturbFleet } from '../support/fleet-chaos/disturb-fleet.ts';
import { startDisturbedFleet } from '../support/fleet-chaos/disturbed-fleet.ts';
import { Disturber } from '../support/fleet-chaos/disturber.ts';
import { FleetObserver } from '../support/fleet-chaos/fleet-observer.ts';
import { JobProgress } from '../support/fleet-chaos/job-progress.ts';
import { SessionWork, type WorkContext } from '../support/fleet-chaos/session-work.ts';
import { waitUntil } from '../support/wait-until.ts';

const RUNS = Number(process.env.RUNS ?? 12);
const SEED = Number(process.env.SEED ?? 1);
const MAX_TAKEOVER_MS = 15_000;

vi.setConfig({ testTimeout: 300_000 + 20_000 * RUNS });

test('nodes and the database end and come back, and every acknowledged run is executed once', async () => {
  const plan = createChaosPlan(SEED, RUNS);
  const progress = new JobProgress(plan.sessions.flat());
  const fleet = await startDisturbedFleet({ onStep: (name, step) => progress.reach(name, step), hosts: [] });
  const observer = new FleetObserver(fleet.superuserUrl);
  const takeovers: number[] = [];
  const disturber = new Disturber({
    ...{ plan: plan.disturbances, progress },
    act: (disturbance) => disturbFleet({ fleet, observer, takeovers }, disturbance),
  });
  const context: WorkContext = { fleet, observer, disturber, counts: { refused: 0 } };
  const sessions = plan.sessions.map((jobs) => new SessionWork(context, jobs));
  const describe = (facts: object = {}) =>
    JSON.stringify({ seed: SEED, runs: RUNS, network: fleet.network, ...facts, disturbances: disturber.describe() });
  try {
    await Promise.all(sessions.map((session) => session.open()));
    await Promise.all([disturber.run(), ...sessions.map((session) => session.run())]);
    await waitUntil(async () => (await observer.countOpenRuns()) === 0, 120_000);
    expect(fleet.crashes).toEqual([]);
    const effects = readEffects(fleet.effectsFile);
    expect(findRepeated(effects)).toEqual([]);
    for (const { id, acknowledged } of sessions) checkJobs(await observer.readMessages(id), acknowledged, effects);
    const takeoverP95Ms = findPercentile(takeovers, 0.95);
    const acknowledged = sessions.reduce((sum, session) => sum + session.acknowledged.length, 0);
    const figures = { acknowledged, ...context.counts, takeovers: takeovers.length, takeoverP95Ms };
    process.stderr.write(`${describe(figures)}\n`);
    expect(takeoverP95Ms).toBeLessThanOrEqual(MAX_TAKEOVER_MS);
  } catch (problem) {
    disturber.stop();
    throw new Error(`${describe()}: ${problem instanceof Error ? problem.message : problem}`, { cause: problem });
  }
});

function findPercentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
}
