// Sends the jobs of one session to any node, one after the other, and waits for their answers.
import { setTimeout } from 'node:timers/promises';
import type { Server } from '../server.ts';
import { waitUntil } from '../wait-until.ts';
import type { PlannedJob } from './chaos-plan.ts';
import type { DisturbedFleet } from './disturbed-fleet.ts';
import type { Disturber } from './disturber.ts';
import type { FleetObserver } from './fleet-observer.ts';
import { type Job, toAnswer, toPrompt } from './job-model.ts';

export interface WorkContext {
  readonly fleet: DisturbedFleet;
  readonly observer: FleetObserver;
  readonly disturber: Disturber;
  /** Requests that were refused or not answered. */
  readonly counts: { refused: number };
}

/** A node that is suspended or cut off does not answer. */
const REQUEST_MS = 20_000;
const REPEAT_MS = 50;
/** Disturbances can follow one another until an answer is there. */
const LIMIT_MS = 240_000;

export class SessionWork {
  id = '';
  readonly acknowledged: Job[] = [];
  readonly #context: WorkContext;
  readonly #jobs: readonly PlannedJob[];

  constructor(context: WorkContext, jobs: readonly PlannedJob[]) {
    this.#context = context;
    this.#jobs = jobs;
  }

  async open(): Promise<void> {
    this.id = await repeat(this.#context, this.#jobs[0]?.node ?? 0, (server) => server.createSession());
  }

  async run(): Promise<void> {
    const { disturber } = this.#context;
    for (const job of this.#jobs) {
      await disturber.waitForTurn();
      await repeat(this.#context, job.node, (server, attempt) =>
        this.#send(server, { name: `${job.name}.${attempt}`, steps: job.steps }),
      );
      if (job.hasQueued) await this.#sendQueued(job);
      await this.#waitForAnswers();
    }
  }

  /** Starts a run, or queues the message while one is in progress. */
  async #send(server: Server, job: Job): Promise<void> {
    const params = { message: toPrompt(job), streamingBehavior: 'followUp' };
    const reply = await server.call(this.id, 'prompt', params);
    if (reply?.success !== true) throw new Error(JSON.stringify(reply));
    this.acknowledged.push(job);
  }

  async #sendQueued({ name, node }: PlannedJob): Promise<void> {
    const { running } = chooseNode(this.#context.fleet, node, 1);
    await atMost(this.#send(running, { name: `${name}q.0`, steps: 1 })).catch(() => {});
  }

  async #waitForAnswers(): Promise<void> {
    const { observer, fleet } = this.#context;
    // A job and the one that was queued.
    const last = this.acknowledged.slice(-2);
    const isFinished = async () => {
      const text = await observer.readEnd(this.id);
      return last.every(({ name }) => text.includes(`${toAnswer(name)}"`));
    };
    await waitUntil(isFinished, LIMIT_MS).catch(async (problem: unknown) => {
      const state = await observer.describe(this.id);
      throw new Error(`${this.id} does not end: ${state} ${fleet.crashes}`, { cause: problem });
    });
  }
}

/** Repeats until an attempt has been acknowledged. The first one is made at the node that is planned, whatever its state is. */
export async function repeat<T>(
  { fleet, counts }: Pick<WorkContext, 'fleet' | 'counts'>,
  node: number,
  act: (server: Server, attempt: number) => Promise<T>,
): Promise<T> {
  const endMs = Date.now() + LIMIT_MS;
  for (let attempt = 0; ; attempt++) {
    try {
      return await atMost(act(chooseNode(fleet, node, attempt).running, attempt));
    } catch (problem) {
      counts.refused += 1;
      if (Date.now() > endMs)
        throw new Error(`All nodes refuse. Crashes: ${fleet.crashes.join('\n')}`, { cause: problem });
      await setTimeout(REPEAT_MS);
    }
  }
}

function chooseNode({ nodes }: DisturbedFleet, planned: number, attempt: number) {
  const inOrder = nodes.map((_, index) => nodes[(planned + attempt + index) % nodes.length] as (typeof nodes)[number]);
  return (attempt === 0 ? undefined : inOrder.find(({ isDisturbed }) => !isDisturbed)) ?? inOrder[0]!;
}

function atMost<T>(work: Promise<T>): Promise<T> {
  const control = new AbortController();
  const limit = setTimeout(REQUEST_MS, undefined, { signal: control.signal }).then(() => {
    throw new Error('no answer');
  });
  limit.catch(() => {});
  return Promise.race([work, limit]).finally(() => control.abort());
}
