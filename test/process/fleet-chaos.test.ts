// Kills, suspends and cuts off the nodes and the database of a fleet while runs go on. Nothing that was acknowledged may be lost, and no
// tool call may run twice. `npm run soak:fleet` does it with 300 runs. SEED repeats a sequence of disturbances.
import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { createRandom } from '../support/crashes.ts';
import { type DisturbedFleet, type FleetNode, startDisturbedFleet } from '../support/fleet-chaos/disturbed-fleet.ts';
import { FleetObserver } from '../support/fleet-chaos/fleet-observer.ts';
import { type Job, toAnswer, toPrompt } from '../support/fleet-chaos/job-model.ts';
import { waitUntil } from '../support/wait-until.ts';

const RUNS = Number(process.env.RUNS ?? 12);
const SEED = Number(process.env.SEED ?? 1);
/** Sessions that work at the same time. */
const SESSIONS = 4;
const REQUEST_MS = 20_000;

vi.setConfig({ testTimeout: 300_000 + 20_000 * RUNS });

interface SessionWork {
  id: string;
  readonly acknowledged: Job[];
}

interface Chaos {
  readonly fleet: DisturbedFleet;
  readonly observer: FleetObserver;
  readonly random: (limit: number) => number;
  readonly takeovers: number[];
  readonly counts: Record<string, number>;
  isOver: boolean;
}

test('nodes and the database end and come back, and every acknowledged run is executed once', async () => {
  const fleet = await startDisturbedFleet();
  const next = createRandom(SEED);
  const random = (limit: number) => Math.floor(next() * limit);
  const observer = new FleetObserver(fleet.superuserUrl);
  const chaos: Chaos = { fleet, observer, random, takeovers: [], counts: {}, isOver: false };
  const work = Array.from({ length: SESSIONS }, (): SessionWork => ({ id: '', acknowledged: [] }));
  const disturbing = disturb(chaos);
  await Promise.all(work.map((session, index) => runJobs(chaos, session, index)));
  chaos.isOver = true;
  await disturbing;
  await waitUntil(async () => (await observer.countOpenRuns()) === 0, 120_000);
  expect(fleet.crashes).toEqual([]);
  const effects = readEffects(fleet);
  for (const session of work) await checkSession(chaos, session, effects);
  // A number belongs to one call.
  expect(effects.filter((line, index) => effects.indexOf(line) !== index)).toEqual([]);
  const sorted = chaos.takeovers.sort((a, b) => a - b);
  const p95 = sorted[Math.ceil(sorted.length * 0.95) - 1] ?? 0;
  const acknowledged = work.reduce((sum, session) => sum + session.acknowledged.length, 0);
  process.stderr.write(
    `${JSON.stringify({ seed: SEED, acknowledged, ...chaos.counts, takeovers: sorted.length, takeoverP95Ms: p95 })}\n`,
  );
  expect(p95).toBeLessThanOrEqual(15_000);
});

/** Sends one job after another, to any node. Some get a second job that is queued while the first one runs. */
async function runJobs(chaos: Chaos, session: SessionWork, index: number): Promise<void> {
  for (let n = 0; n < RUNS / SESSIONS; n++) {
    session.id ||= await repeat(chaos, () => createSession(chaos));
    await repeat(chaos, async (attempt) => {
      const job = { name: `s${index}-${n}-${attempt}`, steps: 1 + chaos.random(3) };
      return sendJob(chaos, session, job);
    });
    if (chaos.random(3) === 0)
      await sendJob(chaos, session, { name: `s${index}-${n}-queued`, steps: 1 }).catch(() => {});
    await waitUntil(async () => isFinished(chaos, session), 60_000).catch(async (problem: unknown) => {
      throw new Error(
        `${session.id} does not end: ${await chaos.observer.describe(session.id)} ${chaos.fleet.crashes}`,
        { cause: problem },
      );
    });
  }
}

async function isFinished({ observer }: Chaos, { id, acknowledged }: SessionWork): Promise<boolean> {
  const text = JSON.stringify(await observer.readMessages(id));
  return acknowledged.every(({ name }) => text.includes(toAnswer(name)));
}

/** Repeats until an attempt has been acknowledged. */
async function repeat<T>(chaos: Chaos, act: (attempt: number) => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await act(attempt);
    } catch (problem) {
      chaos.counts.refused = (chaos.counts.refused ?? 0) + 1;
      if (attempt > 300)
        throw new Error(`All nodes refuse. Crashes: ${chaos.fleet.crashes.join('\n')}`, { cause: problem });
      await chaos.observer.countOpenRuns();
    }
  }
}

async function createSession(chaos: Chaos): Promise<string> {
  const node = chooseNode(chaos);
  return atMost(node.server?.createSession() ?? Promise.reject(new Error('the node is not running')));
}

/** Starts a run, or queues the message while one is in progress. */
async function sendJob(chaos: Chaos, session: SessionWork, job: Job): Promise<void> {
  const { server } = chooseNode(chaos);
  if (!server) throw new Error('the node is not running');
  const reply = await atMost(
    server.call(session.id, 'prompt', { message: toPrompt(job), streamingBehavior: 'followUp' }),
  );
  if (reply?.success !== true) throw new Error(JSON.stringify(reply));
  session.acknowledged.push(job);
}

function chooseNode({ fleet, random }: Chaos): FleetNode {
  const ready = fleet.nodes.filter(({ server, isDisturbed }) => server && !isDisturbed);
  return ready[random(ready.length)] ?? (fleet.nodes[0] as FleetNode);
}

/** A node that is suspended or cut off does not answer. */
function atMost<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('no answer')), REQUEST_MS);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

async function disturb(chaos: Chaos): Promise<void> {
  const actions = { kill, suspend, cut, killDatabase };
  const names = Object.keys(actions) as (keyof typeof actions)[];
  while (!chaos.isOver) {
    const start = readEffects(chaos.fleet).length;
    const wanted = 2 + chaos.random(6);
    await waitUntil(() => chaos.isOver || readEffects(chaos.fleet).length >= start + wanted, 240_000);
    if (chaos.isOver) return;
    const name = names[chaos.random(names.length)] as keyof typeof actions;
    chaos.counts[name] = (chaos.counts[name] ?? 0) + 1;
    await actions[name](chaos, chaos.fleet.nodes[chaos.random(chaos.fleet.nodes.length)] as FleetNode);
  }
}

async function kill(chaos: Chaos, node: FleetNode): Promise<void> {
  await whileDisturbed(chaos, node, async () => {
    node.server?.program.kill('SIGKILL');
    await node.server?.program.exited;
  });
  await chaos.fleet.start(node);
}

async function suspend(chaos: Chaos, node: FleetNode): Promise<void> {
  await whileDisturbed(chaos, node, async () => node.server?.program.kill('SIGSTOP'));
  node.server?.program.kill('SIGCONT');
  node.isDisturbed = false;
}

async function cut(chaos: Chaos, node: FleetNode): Promise<void> {
  await whileDisturbed(chaos, node, async () => node.proxy.cut());
  node.proxy.restore();
  node.isDisturbed = false;
}

async function killDatabase({ fleet }: Chaos): Promise<void> {
  await fleet.database.kill();
  await fleet.database.restart();
}

/** Until the runs of the node are executed by others. */
async function whileDisturbed({ observer, takeovers }: Chaos, node: FleetNode, act: () => Promise<unknown>) {
  node.isDisturbed = true;
  const pid = node.server?.program.pid ?? 0;
  await act();
  const running = await observer.listRunning(pid);
  takeovers.push(...(await Promise.all(running.map((id) => observer.waitForTakeover(id, pid)))));
}

function readEffects({ effectsFile }: DisturbedFleet): string[] {
  return readFileSync(effectsFile, 'utf8').split('\n').slice(0, -1);
}

async function checkSession({ observer }: Chaos, { id, acknowledged }: SessionWork, effects: readonly string[]) {
  const messages = await observer.readMessages(id);
  const texts = messages.map((message) => JSON.stringify(message));
  for (const job of acknowledged) {
    expect([job.name, countTexts(texts, 'user', `${toPrompt(job)}"`)]).toEqual([job.name, 1]);
    expect([job.name, countTexts(texts, 'assistant', `${toAnswer(job.name)}"`)]).toEqual([job.name, 1]);
  }
  // Every result that was not interrupted belongs to an effect.
  const finished = messages.filter(({ role, isError }) => role === 'toolResult' && !isError);
  const numbers = finished.map(({ toolCallId = '' }) => toolCallId.replace(/^call_/, ''));
  const found = numbers.filter((number) => effects.some((line) => line.endsWith(` ${number}`)));
  expect(found).toEqual(numbers);
}

function countTexts(texts: readonly string[], role: string, text: string): number {
  return texts.filter((line) => line.includes(`"role":"${role}"`) && line.includes(text)).length;
}
