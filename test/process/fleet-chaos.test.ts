// Kills, suspends and cuts off the nodes and the database of a fleet while runs go on. Nothing that was acknowledged may be lost, and no
// tool call may run twice. `npm run soak:fleet` does it with 300 runs. SEED repeats a sequence of disturbances.
import { expect, test, vi } from 'vitest';
import { createChaosPlan, createRandomNumbers } from '../support/fleet-chaos/chaos-plan.ts';
import { checkFollower } from '../support/fleet-chaos/check-follower.ts';
import { checkJobs, findRepeated, readEffects } from '../support/fleet-chaos/check-session.ts';
import { disturbFleet } from '../support/fleet-chaos/disturb-fleet.ts';
import { type DisturbedFleet, startDisturbedFleet } from '../support/fleet-chaos/disturbed-fleet.ts';
import { Disturber } from '../support/fleet-chaos/disturber.ts';
import { FleetObserver } from '../support/fleet-chaos/fleet-observer.ts';
import { JobProgress } from '../support/fleet-chaos/job-progress.ts';
import { listenForNodes, type NodeBalancer } from '../support/fleet-chaos/node-balancer.ts';
import {
  type FollowerOptions,
  followByAgent,
  type SessionFollower,
  WireFollower,
} from '../support/fleet-chaos/session-follower.ts';
import { repeat, SessionWork, type WorkContext } from '../support/fleet-chaos/session-work.ts';
import type { Server } from '../support/server.ts';
import { waitUntil } from '../support/wait-until.ts';

const RUNS = Number(process.env.RUNS ?? 12);
const SEED = Number(process.env.SEED ?? 1);
const MAX_TAKEOVER_MS = 15_000;
const LAST_EVENTS_MS = 120_000;

vi.setConfig({ testTimeout: 300_000 + 20_000 * RUNS });

test('nodes and the database end and come back, and every acknowledged run is executed once', async () => {
  const plan = createChaosPlan(SEED, RUNS);
  const progress = new JobProgress(plan.sessions.flat());
  const balancers = await Promise.all([listenForNodes(), listenForNodes()]);
  const fleet = await startDisturbedFleet({
    onStep: (name, step) => progress.reach(name, step),
    hosts: balancers.map(({ host }) => host),
  });
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
    const followers = await Promise.all(sessions.map(({ id }, index) => follow(fleet, id, index, balancers)));
    await Promise.all([disturber.run(), ...sessions.map((session) => session.run())]);
    await waitUntil(async () => (await observer.countOpenRuns()) === 0, 120_000);
    await waitForLastEvents(context, sessions, followers);
    expect(fleet.crashes).toEqual([]);
    const effects = readEffects(fleet.effectsFile);
    expect(findRepeated(effects)).toEqual([]);
    for (const [index, { id, acknowledged }] of sessions.entries()) {
      const messages = await observer.readMessages(id);
      checkJobs(messages, acknowledged, effects);
      checkFollower(followers[index] as SessionFollower, messages, acknowledged);
    }
    const takeoverP95Ms = findPercentile(takeovers, 0.95);
    const acknowledged = sessions.reduce((sum, session) => sum + session.acknowledged.length, 0);
    const figures = { acknowledged, ...context.counts, takeovers: takeovers.length, takeoverP95Ms };
    const clients = countEvents(followers);
    process.stderr.write(`${describe({ ...figures, ...clients })}\n`);
    expect(takeoverP95Ms).toBeLessThanOrEqual(MAX_TAKEOVER_MS);
  } catch (problem) {
    disturber.stop();
    throw new Error(`${describe()}: ${problem instanceof Error ? problem.message : problem}`, { cause: problem });
  }
});

/** The kinds of clients alternate. */
async function follow(
  { nodes }: DisturbedFleet,
  sessionId: string,
  index: number,
  balancers: readonly NodeBalancer[],
): Promise<SessionFollower> {
  const options: FollowerOptions = { sessionId, nodes, random: createRandomNumbers(SEED, `client ${index}`) };
  const balancer = index % 2 === 0 ? balancers[index / 2] : undefined;
  if (balancer) return followByAgent(options, balancer);
  const follower = new WireFollower(index === 1 ? 'events' : 'web-socket', options);
  await follower.start();
  return follower;
}

/** Until each client has received the last event of its session. */
async function waitForLastEvents(
  context: WorkContext,
  sessions: readonly SessionWork[],
  followers: readonly SessionFollower[],
): Promise<void> {
  for (const [index, { id }] of sessions.entries()) {
    const follower = followers[index] as SessionFollower;
    let seq: number | undefined;
    const isComplete = async () => {
      seq = await repeat(context, index, (server) => readLastSeq(server, id));
      return follower.failure !== undefined || follower.lastSeq === seq;
    };
    await waitUntil(isComplete, LAST_EVENTS_MS).catch(() => {
      throw new Error(`${follower.name} is at ${follower.lastSeq}, and the session at ${seq}`);
    });
  }
}

async function readLastSeq(server: Server, sessionId: string): Promise<number> {
  const { json, text } = await server.request(`/v1/sessions/${sessionId}`);
  const { data } = (json ?? {}) as { data?: { seq: number } };
  if (!data) throw new Error(text);
  return data.seq;
}

function countEvents(followers: readonly SessionFollower[]) {
  const sum = (count: (follower: SessionFollower) => number) =>
    followers.reduce((total, follower) => total + count(follower), 0);
  return {
    reconnects: sum(({ connections }) => connections - 1),
    snapshots: sum(({ segments }) => segments.length - 1),
    events: sum(({ segments }) => segments.reduce((total, { records }) => total + records.length, 0)),
  };
}

function findPercentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
}
