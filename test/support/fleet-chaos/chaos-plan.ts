// What a chaos test does, from its seed alone: what is sent, and what is disturbed in which order. Nothing in it depends on timing.
import { createRandom } from '../crashes.ts';

export const SESSIONS = 4;
export const NODES = 3;
export const DATABASE = 'database';

/** A prompt, which the model answers after some tool calls. */
export interface PlannedJob {
  readonly name: string;
  /** Tool calls. */
  readonly steps: number;
  /** The node that receives it first, also while it is disturbed. */
  readonly node: number;
  /** Another message is sent meanwhile. It may be refused. */
  readonly hasQueued: boolean;
}

export interface Disturbance {
  /** `suspend`: SIGSTOP. `cut`: the network transports nothing. */
  readonly kind: 'kill' | 'suspend' | 'cut';
  /** Names of processes, or `database`. */
  readonly targets: readonly string[];
  /** How long it lasts at least. It ends when others have taken over. */
  readonly holdMs: number;
  /** The database is killed meanwhile. */
  readonly killsDatabase: boolean;
  /** It begins after this step of all jobs. */
  readonly at: number;
  /** Steps between the end of the one before and the begin of this one, at least. */
  readonly delay: number;
}

export interface ChaosPlan {
  /** The jobs of each session. */
  readonly sessions: readonly (readonly PlannedJob[])[];
  readonly disturbances: readonly Disturbance[];
}

/** Numbers from 0 up to the limit, which is excluded. */
export type RandomNumbers = (limit: number) => number;

const KINDS = ['kill', 'suspend', 'cut'] as const;
const MAX_STEPS = 3;
/** Steps between two disturbances. */
const MIN_DISTANCE = 3;
const DISTANCES = 8;
const MAX_DELAY = 4;
/** Nodes are registered for three seconds. */
const MAX_HOLD_MS = 4000;

export function createChaosPlan(seed: number, runs: number): ChaosPlan {
  const sessions = Array.from({ length: SESSIONS }, (_, index) =>
    createJobs(`s${index}`, createRandomNumbers(seed, `session ${index}`), Math.ceil(runs / SESSIONS)),
  );
  const names = Array.from({ length: NODES }, (_, index) => `node-${index}`);
  return {
    sessions,
    disturbances: createDisturbances(createRandomNumbers(seed, 'nodes'), names, countSteps(sessions.flat())),
  };
}

/** A sequence for one purpose, so that what one part of the test does has no influence on the others. */
export function createRandomNumbers(seed: number, purpose: string): RandomNumbers {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(`${seed} ${purpose}`)) hash = Math.imul(hash ^ byte, 0x01000193);
  const next = createRandom(hash);
  return (limit) => Math.floor(next() * limit);
}

/** Each job has an answer after its tool calls. */
export function countSteps(jobs: readonly Pick<PlannedJob, 'steps'>[]): number {
  return jobs.reduce((sum, { steps }) => sum + steps + 1, 0);
}

export function describeDisturbance({ kind, targets, holdMs, killsDatabase }: Disturbance): string {
  return `${kind} ${targets.join('+')} ${holdMs}${killsDatabase ? '+kill database' : ''}`;
}

function createJobs(prefix: string, random: RandomNumbers, count: number): PlannedJob[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `${prefix}-${index}`,
    steps: 1 + random(MAX_STEPS),
    node: random(NODES),
    hasQueued: random(3) === 0,
  }));
}

function createDisturbances(random: RandomNumbers, names: readonly string[], steps: number): Disturbance[] {
  const created: Disturbance[] = [];
  for (let at = 1 + random(DISTANCES); at < steps; at += MIN_DISTANCE + random(DISTANCES)) {
    const isOfDatabase = random(5) === 0;
    const first = random(names.length);
    const hasSecond = random(5) === 0 && names.length > 2;
    const second = (first + 1 + random(names.length - 1)) % names.length;
    const targets = hasSecond ? [first, second] : [first];
    created.push({
      kind: KINDS[random(KINDS.length)] as Disturbance['kind'],
      targets: isOfDatabase ? [DATABASE] : targets.map((index) => names[index] as string),
      holdMs: random(MAX_HOLD_MS),
      killsDatabase: random(6) === 0 && !isOfDatabase,
      at,
      delay: random(MAX_DELAY),
    });
  }
  return created;
}
