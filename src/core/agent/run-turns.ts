// The agent loop: runs turns until no tool call and no message is left. Must not depend on session, store or transports.
import { type AgentMessage, type AssistantMessage, getToolCalls } from '../../protocol/index.ts';
import type { Delivery, RunScope } from './run-scope.ts';
import { type OpenTurn, runToolCalls } from './run-tool-calls.ts';
import { streamAnswer } from './stream-answer.ts';

/**
 * Runs turns until no message is due and either the model stops or all tools of a turn ask to end the run. Returns the last answer.
 * An open turn is finished first. New messages are pushed onto `newMessages` immediately, so that the caller can still report them when this function throws.
 */
export async function runTurns(
  scope: RunScope,
  firstDeliveries: Delivery[],
  newMessages: AgentMessage[],
  openTurn?: OpenTurn,
): Promise<AssistantMessage> {
  let waiting = openTurn ? firstDeliveries : [];
  for (let deliveries = firstDeliveries, turn = openTurn; ; turn = undefined) {
    const { answer, needsAnotherTurn } = turn
      ? await finishTurn(scope, turn, newMessages)
      : await runTurn(scope, deliveries, newMessages);
    if (isFailed(answer) || scope.limits.haltReason) return answer;
    while (scope.pendingSaves) await scope.pendingSaves;
    deliveries = [...waiting, ...takeNextDeliveries(scope, !needsAnotherTurn && waiting.length === 0)];
    waiting = [];
    if (deliveries.length === 0 && !needsAnotherTurn) return answer;
  }
}

/** The first messages of a run: the prompt, then queued steering messages. */
export function appendSteering(scope: RunScope, deliveries: readonly Delivery[]): Delivery[] {
  return scope.signal.aborted ? [...deliveries] : [...deliveries, ...scope.takeSteering()];
}

/** Steering messages first; follow-ups only if the run would otherwise end. */
export function takeNextDeliveries(scope: RunScope, wouldStop: boolean): Delivery[] {
  // After an abort or a reached limit the queues keep their messages until the next prompt.
  if (scope.signal.aborted || scope.limits.haltReason) return [];
  const steering = scope.takeSteering();
  return steering.length === 0 && wouldStop ? scope.takeFollowUps() : steering;
}

async function runTurn(
  scope: RunScope,
  deliveries: readonly Delivery[],
  newMessages: AgentMessage[],
): Promise<{ answer: AssistantMessage; needsAnotherTurn: boolean }> {
  await scope.emit({ type: 'turn_start' });
  for (const delivery of deliveries) await deliver(scope, delivery, newMessages);
  const answer = await streamAnswer(scope);
  newMessages.push(answer);
  const batch = getToolCalls(answer).length > 0 ? await runToolCalls(scope, answer, newMessages) : undefined;
  await scope.emit({ type: 'turn_end', message: answer, toolResults: batch?.results ?? [] });
  const needsAnotherTurn = batch !== undefined && !batch.terminate;
  await scope.limits.countTurn(answer, needsAnotherTurn);
  return { answer, needsAnotherTurn };
}

/** The earlier process has counted the turn with its answer. */
async function finishTurn(
  scope: RunScope,
  { answer, progress }: OpenTurn,
  newMessages: AgentMessage[],
): Promise<{ answer: AssistantMessage; needsAnotherTurn: boolean }> {
  await scope.emit({ type: 'turn_start' });
  const { results, terminate } = await runToolCalls(scope, answer, newMessages, progress);
  await scope.emit({ type: 'turn_end', message: answer, toolResults: results });
  return { answer, needsAnotherTurn: !terminate };
}

async function deliver(scope: RunScope, delivery: Delivery, newMessages: AgentMessage[]): Promise<void> {
  await scope.emit({ type: 'message_start', message: delivery.message });
  await delivery.store();
  newMessages.push(delivery.message);
  await scope.emit({ type: 'message_end', message: delivery.message });
}

export function isFailed(answer: AssistantMessage): boolean {
  return answer.stopReason === 'error' || answer.stopReason === 'aborted';
}
