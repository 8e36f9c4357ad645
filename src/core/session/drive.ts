// First floor, core: one accepted prompt from its first event to its last: turns, and whatever follows by itself. Loaded with
// the first prompt, because a host that only asks for the state needs none of it.
import type { AgentMessage, AssistantMessage } from '../../protocol/index.ts';
import { failed, nextDue, runTurns, withSteering } from '../agent/loop.ts';
import type { Delivery, RunScope } from '../agent/scope.ts';
import type { CompactionFacet } from './compaction.ts';
import type { Limits } from './limits.ts';
import type { RetryFacet } from './retry.ts';
import type { RuleFacet } from './rules.ts';
import type { TodoFacet } from './todos.ts';

export interface Driven {
  scope: RunScope;
  retry: RetryFacet;
  compaction: CompactionFacet;
  limits: Limits;
  rules: RuleFacet;
  todos: TodoFacet;
  /** Ends the run from outside, when its time is up. */
  stop(): void;
  /** `true` before the last agent_end of a run: the host may prompt again. `false` when queued messages continue the run after it. */
  ending(isEnding: boolean): void;
  /** Resolves when a prompt waits for the end of the run. */
  awaited: Promise<void>;
  /** Messages that arrive later wait for the next prompt. Called synchronously after the check that found the queues empty. */
  over(): void;
}

/** What a run begins with. */
export interface RunOpening {
  deliveries: readonly Delivery[];
  /** Steering that waits goes behind them in the first turn. */
  takesSteering: boolean;
}

/** One run after another, for as long as a retry is due or messages are queued. */
export async function drive(driven: Driven, opening: RunOpening, ended: () => void): Promise<void> {
  const { scope, compaction, limits } = driven;
  const { emit, signal } = scope;
  limits.begin(driven.stop);
  compaction.prompted();
  await driven.todos.prompted();
  await compaction.keepRoom(signal);
  let begin = () => (opening.takesSteering ? withSteering(scope, opening.deliveries) : [...opening.deliveries]);
  const broken: unknown[] = [];
  for (;;) {
    const made: AgentMessage[] = [];
    await emit({ type: 'agent_start' });
    const { answer, unforeseen } = await untilDone(scope, begin(), made);
    if (unforeseen !== undefined) broken.push(unforeseen);
    begin = () => withSteering(scope, []);
    const mayGoOn = unforeseen === undefined && !signal.aborted && !limits.halted;
    const next = mayGoOn ? continuation(driven, answer) : undefined;
    if (next) {
      await emit({ type: 'agent_end', messages: made, willRetry: true });
      if (await next(signal)) continue;
    }
    driven.ending(true);
    const handled = next ? undefined : emit({ type: 'agent_end', messages: made, willRetry: false });
    await finish(driven, answer, { handled, isRetried: next !== undefined });
    // Whoever is being told that a prompt is queued must still hear this run's end.
    while (scope.arriving) await scope.arriving;
    // The queues go on after an answer that failed as after a good one, but not after an abort.
    const due = nextDue(scope, true);
    driven.ending(due.length === 0);
    if (due.length > 0) {
      compaction.prompted();
      begin = () => due;
      continue;
    }
    limits.end();
    driven.over();
    const settled = emit({ type: 'agent_settled', aborted: signal.aborted });
    ended();
    await Promise.all([handled, settled]);
    if (broken.length > 0) throw broken[0];
    return;
  }
}

/** What remains after the last agent_end of a run: failures are reported, and a conversation that is nearly too long is compacted. */
async function finish(
  { scope, retry, compaction, limits, awaited }: Driven,
  answer: AssistantMessage,
  { handled, isRetried }: { handled: undefined | Promise<void>; isRetried: boolean },
): Promise<void> {
  if (!isRetried) compaction.giveUp(answer);
  if (failed(answer)) retry.giveUp(answer.errorMessage ?? 'Unknown error');
  // A listener may itself wait for a prompt that waits for the end of this run.
  if (handled) await Promise.race([handled, awaited]);
  if (!failed(answer) && !isRetried && !limits.halted) await compaction.keepRoom(scope.signal);
  limits.restartTurns();
}

/** What follows an answer by itself; it resolves to whether the request is worth sending again. */
function continuation(
  { retry, compaction, rules, todos }: Driven,
  answer: AssistantMessage,
): ((signal: AbortSignal) => Promise<boolean>) | undefined {
  if (rules.isDue) return () => rules.remind();
  if (todos.isDue(answer)) return () => todos.remind();
  if (compaction.canRecover(answer)) return (signal) => compaction.recover(signal);
  return retry.isDue(answer) ? (signal) => retry.wait(answer, signal) : undefined;
}

interface Outcome {
  answer: AssistantMessage;
  unforeseen?: unknown;
}

/** Turns until nothing is due, looked at once more when everything has been told. */
async function untilDone(scope: RunScope, opening: Delivery[], made: AgentMessage[]): Promise<Outcome> {
  for (let due = opening; ; ) {
    const outcome = await attempt(scope, due, made);
    while (scope.arriving) await scope.arriving;
    due = failed(outcome.answer) ? [] : nextDue(scope, true);
    if (due.length === 0) return outcome;
  }
}

/** Turns until the model stops; when the loop itself breaks, an answer that says so. */
async function attempt(scope: RunScope, due: Delivery[], made: AgentMessage[]): Promise<Outcome> {
  try {
    return { answer: await runTurns(scope, due, made) };
  } catch (unforeseen) {
    const answer = await lastWords(scope, unforeseen);
    made.push(answer);
    return { answer, unforeseen };
  }
}

/** So that the run does not end without a word. */
async function lastWords(scope: RunScope, thrown: unknown): Promise<AssistantMessage> {
  const message: AssistantMessage = {
    ...scope.blankAnswer(),
    stopReason: 'error',
    errorMessage: thrown instanceof Error ? thrown.message : String(thrown),
  };
  await scope.emit({ type: 'message_start', message });
  await scope.record(message);
  await scope.emit({ type: 'message_end', message });
  await scope.emit({ type: 'turn_end', message, toolResults: [] });
  return message;
}
