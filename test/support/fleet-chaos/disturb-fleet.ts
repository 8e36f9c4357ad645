// Kills, suspends and cuts off processes and the database, until others have taken over.
import { setTimeout } from 'node:timers/promises';
import { DATABASE, type Disturbance } from './chaos-plan.ts';
import type { DisturbedFleet } from './disturbed-fleet.ts';
import type { FleetObserver } from './fleet-observer.ts';
import type { FleetProcess } from './fleet-process.ts';

export interface DisturbContext {
  readonly fleet: DisturbedFleet;
  readonly observer: FleetObserver;
  /** Milliseconds until a run was executed by another process. While the database is down, that is not possible: then since it is back. */
  readonly takeovers: number[];
}

export async function disturbFleet(context: DisturbContext, disturbance: Disturbance): Promise<void> {
  const { fleet } = context;
  if (disturbance.targets.includes(DATABASE)) return disturbDatabase(fleet, disturbance);
  const processes = fleet.nodes.filter(({ name }) => disturbance.targets.includes(name));
  for (const one of processes) one.isDisturbed = true;
  const pids = processes.map(({ pid }) => pid);
  await Promise.all(processes.map((one) => begin(one, disturbance)));
  const held = setTimeout(disturbance.holdMs);
  if (disturbance.killsDatabase) await disturbDatabase(fleet, { ...disturbance, kind: 'kill' });
  await Promise.all([measureTakeovers(context, pids), held]);
  await Promise.all(processes.map((one) => end(one, disturbance)));
}

async function begin(one: FleetProcess, { kind }: Disturbance): Promise<void> {
  if (kind === 'kill') await one.kill();
  else if (kind === 'suspend') one.suspend();
  else one.link.cut();
}

async function end(one: FleetProcess, { kind }: Disturbance): Promise<void> {
  if (kind === 'kill') await one.start();
  else if (kind === 'suspend') one.resume();
  else one.link.restore();
  one.isDisturbed = false;
}

/** A database that is cut off cannot be reached by any process. */
async function disturbDatabase({ database, nodes }: DisturbedFleet, { kind, holdMs }: Disturbance): Promise<void> {
  if (kind === 'kill') await database.kill();
  else if (kind === 'suspend') database.pause();
  else for (const { link } of nodes) link.cut();
  await setTimeout(holdMs);
  if (kind === 'kill') await database.restart();
  else if (kind === 'suspend') database.resume();
  else for (const { link } of nodes) link.restore();
}

async function measureTakeovers({ observer, takeovers }: DisturbContext, pids: readonly number[]): Promise<void> {
  const running = await observer.listRunning(pids);
  takeovers.push(...(await Promise.all(running.map((id) => observer.waitForTakeover(id, pids)))));
}
