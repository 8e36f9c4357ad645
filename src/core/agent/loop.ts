// First floor, core: turns, one after another, until there is nothing left to do. Knows no session, store or wire.
import { type AgentMessage, type AssistantMessage, callsOf } from '../../protocol/index.ts';
import type { Delivery, RunScope } from './scope.ts';
import { runToolCalls } from './tool-calls.ts';
import { streamAnswer } from './turn.ts';

/**
 * Runs turns until the model stops, or all tools of a turn ask to end the run, and no message is due. What it makes is pushed onto `made` as it happens, so that
 * the caller can still report it when something unforeseen breaks the loop. Returns the last answer.
 */
export async function runTurns(scope: RunScope, opening: Delivery[], made: AgentMessage[]): Promise<AssistantMessage> {
  for (let due = opening; ; ) {
    const { answer, asksAgain } = await runTurn(scope, due, made);
    if (failed(answer) || scope.limits.halted) return answer;
    while (scope.arriving) await scope.arriving;
    due = nextDue(scope, !asksAgain);
    if (due.length === 0 && !asksAgain) return answer;
  }
}

/** What a run begins with: the prompt, and the steering that waited for it. */
export function withSteering(scope: RunScope, opening: readonly Delivery[]): Delivery[] {
  return scope.signal.aborted ? [...opening] : [...opening, ...scope.takeSteering()];
}

/** Steering comes first; follow-ups only when the run would otherwise be over. */
export function nextDue(scope: RunScope, wouldStop: boolean): Delivery[] {
  // After an abort, and when a limit is reached, nothing more is taken from the queues: they wait for the next prompt.
  if (scope.signal.aborted || scope.limits.halted) return [];
  const steering = scope.takeSteering();
  return steering.length === 0 && wouldStop ? scope.takeFollowUps() : steering;
}

async function runTurn(
  scope: RunScope,
  due: readonly Delivery[],
  made: AgentMessage[],
): Promise<{ answer: AssistantMessage; asksAgain: boolean }> {
  await scope.emit({ type: 'turn_start' });
  for (const delivery of due) await deliver(scope, delivery, made);
  const answer = await streamAnswer(scope);
  made.push(answer);
  const batch = callsOf(answer).length > 0 ? await runToolCalls(scope, answer, made) : undefined;
  await scope.emit({ type: 'turn_end', message: answer, toolResults: batch?.results ?? [] });
  const asksAgain = batch !== undefined && !batch.terminate;
  await scope.limits.turnOver(answer, asksAgain);
  return { answer, asksAgain };
}

async function deliver(scope: RunScope, delivery: Delivery, made: AgentMessage[]): Promise<void> {
  await scope.emit({ type: 'message_start', message: delivery.message });
  await delivery.store();
  made.push(delivery.message);
  await scope.emit({ type: 'message_end', message: delivery.message });
}

export function failed(answer: AssistantMessage): boolean {
  return answer.stopReason === 'error' || answer.stopReason === 'aborted';
}
