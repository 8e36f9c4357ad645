// The work of a session while its clients disturb the server: prompts, queued messages, aborts, compactions and branches.
import { isRecord } from '../../../src/base/index.ts';
import { withDeadline } from '../deadline.ts';
import type { WireFrame } from '../frame-collector.ts';
import { waitUntil } from '../wait-until.ts';
import type { Disturbance } from './faulty-clients.ts';
import type { FollowingClient } from './following-client.ts';
import type { AnswerPlan } from './streaming-model.ts';

export interface WorkClients {
  /** Always connected. */
  readonly reference: FollowingClient;
  /** Clients that send commands. */
  readonly senders: readonly FollowingClient[];
  /** Moves to other sessions and back. */
  readonly mover: FollowingClient;
}

/** What the server has acknowledged. */
export interface Acknowledged {
  readonly texts: string[];
  readonly counts: Record<string, number>;
}

/** Failures that depend on what comes first. */
const EXPECTED_FAILURES: Readonly<Record<string, RegExp>> = {
  compact: /Nothing to compact|Already compacted|cancelled/i,
  follow_up: /aborted before it reached the model/,
  steer: /aborted before it reached the model/,
};

export class ScriptedWork {
  readonly acknowledged: Acknowledged = { texts: [], counts: {} };
  readonly #clients: WorkClients;
  readonly #disturbance: Disturbance;
  /** Messages that are sent while a run is in progress. */
  readonly #sending: Promise<unknown>[] = [];
  #callCount = 0;
  #settledCount = 0;
  #waitForSettled: () => void = () => {};

  constructor(clients: WorkClients, disturbance: Disturbance) {
    this.#clients = clients;
    this.#disturbance = disturbance;
    clients.reference.onFrame = (frame) => {
      if (frame.type === 'session_settled') {
        this.#settledCount += 1;
        this.#waitForSettled();
      }
      disturbance.progress.advance();
    };
  }

  /** Resolves when the prompt is acknowledged. */
  async startPrompt(plan: AnswerPlan): Promise<void> {
    await this.#call('prompt', { message: JSON.stringify(plan) }, 0);
  }

  async queueMessage(plan: AnswerPlan): Promise<void> {
    await this.#call('follow_up', { message: JSON.stringify(plan) }, 0);
  }

  /** Runs `act`, and waits for the end of the run that it starts. */
  async runUntilSettled(act: () => Promise<unknown>): Promise<void> {
    const settled = this.#settledCount;
    await act();
    await this.#waitUntilSettled(settled);
  }

  /** One prompt with other commands during its run, and a change of the conversation after it. */
  async runRound(round: number): Promise<void> {
    const { random, progress } = this.#disturbance;
    const plan = this.#createPlan(`p${round}`);
    this.#planCommands(round);
    await this.runUntilSettled(() => this.startPrompt(plan));
    for (const result of await Promise.all(this.#sending.splice(0)))
      if (isRecord(result) && 'thrown' in result) throw result.thrown;
    const choice = random();
    if (choice < 0.2) await this.#call('compact', { keepMessages: 4 }, round);
    else if (choice < 0.4) await this.#moveToEarlierEntry();
    else if (choice < 0.6) await this.#moveClient();
    else if (choice < 0.7) await this.#call('set_session_name', { name: `round ${round}` }, round);
    progress.advance();
  }

  /** Waits until the reference has received all events, and the others as many as the reference. */
  async waitUntilAllReceived(clients: readonly FollowingClient[]): Promise<void> {
    const { server, sessionId } = this.#disturbance;
    const { reference } = this.#clients;
    await waitUntil(async () => {
      const { data } = (await (await server.request('GET', `v1/sessions/${sessionId}`)).json()) as {
        data: { seq: number };
      };
      return reference.lastSeq === data.seq;
    });
    const late = () => clients.filter((client) => client.lastSeq !== reference.lastSeq).map(({ name }) => name);
    await waitUntil(() => late().length === 0).catch(() => {
      throw new Error(`${late().join(', ')} did not receive the event ${reference.lastSeq}`);
    });
  }

  #createPlan(name: string): AnswerPlan {
    const { random } = this.#disturbance;
    const choice = random();
    if (choice < 0.15) return { name, text: 2500 };
    if (choice < 0.35) return { name, thinking: 300, text: 300, calls: 2 };
    if (choice < 0.5) return { name, calls: 1 };
    return { name, thinking: Math.floor(random() * 400), text: 100 + Math.floor(random() * 700) };
  }

  #planCommands(round: number): void {
    const { random, progress } = this.#disturbance;
    const plan = (probability: number, type: string, params: Readonly<Record<string, unknown>>) => {
      if (random() >= probability) return;
      progress.after(Math.ceil(random() * 12), () => {
        const call = this.#call(type, params, round).catch((thrown: unknown) => ({ thrown }));
        this.#sending.push(call);
      });
    };
    plan(0.3, 'steer', { message: JSON.stringify({ name: `s${round}`, text: 80 }) });
    plan(0.3, 'follow_up', { message: JSON.stringify({ name: `f${round}`, text: 120 }) });
    plan(0.2, 'abort', {});
    plan(0.3, 'set_session_name', { name: `during ${round}` });
    plan(0.08, 'compact', { keepMessages: 3 });
  }

  /** Sends a command over HTTP or by one of the clients, and waits for the reply. */
  async #call(type: string, params: Readonly<Record<string, unknown>>, round: number): Promise<unknown> {
    const { random, server, sessionId } = this.#disturbance;
    const sender = this.#clients.senders[Math.floor(random() * (this.#clients.senders.length + 1))];
    this.#callCount += 1;
    const id = `c${this.#callCount}`;
    const reply = sender
      ? await this.#callBy(sender, { id, type, ...params })
      : await server.call(sessionId, type, params);
    const { success, error } = reply as { success: boolean; error?: unknown };
    if (!success && !EXPECTED_FAILURES[type]?.test(JSON.stringify(error)))
      throw new Error(`${type} of round ${round} has failed: ${JSON.stringify(error)}`);
    if (success && typeof params.message === 'string') this.acknowledged.texts.push(params.message);
    const { counts } = this.acknowledged;
    counts[type] = (counts[type] ?? 0) + (success ? 1 : 0);
    return (reply as { data?: unknown }).data;
  }

  async #callBy(sender: FollowingClient, frame: { id: string; type: string }): Promise<WireFrame> {
    sender.send(frame);
    await waitUntil(() => sender.replies.has(frame.id));
    return sender.replies.get(frame.id) as WireFrame;
  }

  async #moveToEarlierEntry(): Promise<void> {
    const { random, server, sessionId } = this.#disturbance;
    const { data } = await server.call(sessionId, 'get_branch_messages');
    const { messages } = data as { messages: { entryId: string }[] };
    const chosen = messages[Math.floor(random() * messages.length)];
    if (chosen) await this.#call('move_to', { entryId: chosen.entryId }, 0);
  }

  /** The client opens a new session or a branch, works there, and comes back. */
  async #moveClient(): Promise<void> {
    const { random, server, sessionId } = this.#disturbance;
    const { mover } = this.#clients;
    const { data } = await server.call(sessionId, 'get_branch_messages');
    const [first] = (data as { messages: { entryId: string }[] }).messages;
    this.#callCount += 1;
    const id = `m${this.#callCount}`;
    const open = first && random() < 0.5 ? { type: 'branch', entryId: first.entryId } : { type: 'new_session' };
    for (const [step, frame] of [
      open,
      { type: 'prompt', message: JSON.stringify({ name: id, text: 50 }) },
      { type: 'switch_session', sessionPath: sessionId },
    ].entries()) {
      const reply = await this.#callBy(mover, { id: `${id}.${step}`, ...frame });
      if (!reply.success) throw new Error(`${frame.type} has failed: ${JSON.stringify(reply)}`);
    }
    const { counts } = this.acknowledged;
    counts[open.type] = (counts[open.type] ?? 0) + 1;
  }

  async #waitUntilSettled(settledBefore: number): Promise<void> {
    if (this.#settledCount > settledBefore) return;
    const settled = new Promise<void>((resolve) => {
      this.#waitForSettled = resolve;
    });
    await withDeadline(settled, 'the end of a run');
  }
}
