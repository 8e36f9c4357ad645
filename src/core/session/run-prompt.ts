// Runs one accepted prompt from its first event to its last: turns, retries, compaction, reminders, queued messages.
// Loaded with the first prompt, because a host that only asks for the state does not need it.
import type { PlannedSettlement } from '../../contracts/index.ts';
import type { AgentMessage, AssistantMessage } from '../../protocol/index.ts';
import type { Delivery, RunScope } from '../agent/run-scope.ts';
import type { OpenTurn } from '../agent/run-tool-calls.ts';
import { appendSteering, isFailed, runTurns, takeNextDeliveries } from '../agent/run-turns.ts';
import type { CompactionFacet } from './compaction-facet.ts';
import { type ResumedStep, resumeStep } from './next-step.ts';
import type { PromptOutcomes, RunResult } from './prompt-outcomes.ts';
import { describeError, planRetry } from './retry-decision.ts';
import type { RetryFacet } from './retry-facet.ts';
import type { RuleFacet } from './rule-facet.ts';
import type { SessionLimits } from './session-limits.ts';
import type { SessionState } from './session-state.ts';
import type { TodoFacet } from './todo-facet.ts';

export interface RunDependencies {
  scope: RunScope;
  state: SessionState;
  retry: RetryFacet;
  compaction: CompactionFacet;
  limits: SessionLimits;
  rules: RuleFacet;
  todos: TodoFacet;
  outcomes: PromptOutcomes;
  /** Aborts the run when its wall-time limit is reached. */
  abort(): void;
  /** `true` before the last agent_end of a run: the host may prompt again. `false` when queued messages continue the run after it. */
  setEnding(isEnding: boolean): void;
  /** Resolves when a prompt waits for the end of the run. */
  whenPromptWaits: Promise<void>;
  /** Runs the hook of the same name. Resolves to true if another request must be sent. */
  beforeSettle(outcome: PlannedSettlement['outcome']): Promise<boolean>;
  /** Records the end of the run in the log, unless its last message shows that it has ended. */
  recordEnd(): Promise<void>;
  /** Messages that arrive later wait for the next prompt. Called synchronously after the check that found the queues empty. */
  markFinished(): void;
  /** Reports the outcomes of the prompts of the run. Called after its last event. */
  reportOutcomes(): void;
}

/** The first messages of a run. */
export interface RunStart {
  deliveries: readonly Delivery[];
  /** Queued steering messages follow in the first turn. */
  includesSteering: boolean | 'all';
  /** The run of an earlier process goes on. */
  isContinuation?: boolean | undefined;
  /** Finished before the messages are delivered. */
  openTurn?: OpenTurn | undefined;
}

/** Repeats runs as long as a retry is due or messages are queued. */
export async function runPrompt(
  dependencies: RunDependencies,
  start: RunStart,
  resolveEnded: () => void,
): Promise<void> {
  const { scope, compaction, limits } = dependencies;
  const { emit, signal } = scope;
  let { openTurn } = start;
  let resumed = await beginRun(dependencies, start);
  let takeDeliveries = () => takeFirstDeliveries(scope, start);
  const unexpectedErrors: unknown[] = [];
  for (;;) {
    const newMessages: AgentMessage[] = [];
    await emit({ type: 'agent_start' });
    const { answer, unexpectedError, step }: RunOutcome =
      resumed ?? (await runUntilQueuesEmpty(scope, takeDeliveries(), newMessages, openTurn));
    if (unexpectedError !== undefined) unexpectedErrors.push(unexpectedError);
    if (!resumed) takeDeliveries = () => appendSteering(scope, []);
    openTurn = resumed = undefined;
    const canContinue = unexpectedError === undefined && !signal.aborted && !scope.limits.haltReason;
    const continueRun = canContinue ? (step ?? chooseContinuation(dependencies, answer)) : undefined;
    if (continueRun) {
      await emit({ type: 'agent_end', messages: newMessages, willRetry: true });
      if (await continueRun(signal)) continue;
    }
    dependencies.setEnding(true);
    const result = describeResult(dependencies, answer);
    const endDelivered = continueRun ? undefined : emit({ type: 'agent_end', messages: newMessages, willRetry: false });
    await finishRun(dependencies, answer, { endDelivered, isRetried: continueRun !== undefined });
    // A message that is being queued now must be stored before the queues are checked for the last time.
    while (scope.pendingSaves) await scope.pendingSaves;
    dependencies.outcomes.endRun(result);
    // Queued messages are delivered after a failed answer too, but not after an abort.
    let nextDeliveries = takeNextDeliveries(scope, true);
    let isContinued = false;
    if (nextDeliveries.length === 0 && scope.hooks.beforeSettle && !signal.aborted) {
      isContinued = await dependencies.beforeSettle(isFailed(answer) ? 'error' : 'completed');
      while (scope.pendingSaves) await scope.pendingSaves;
      nextDeliveries = takeNextDeliveries(scope, true);
    }
    isContinued = (isContinued && !scope.limits.haltReason) || nextDeliveries.length > 0;
    if (isContinued && nextDeliveries.length === 0) dependencies.outcomes.resumeRun();
    dependencies.setEnding(!isContinued);
    if (isContinued) {
      const deliveries = nextDeliveries;
      compaction.onPrompt();
      takeDeliveries = () => deliveries;
      continue;
    }
    limits.endRun();
    dependencies.markFinished();
    const settledDelivered = emit({ type: 'agent_settled', aborted: signal.aborted });
    dependencies.reportOutcomes();
    resolveEnded();
    await Promise.all([endDelivered, settledDelivered]);
    if (unexpectedErrors.length > 0) throw unexpectedErrors[0];
    return;
  }
}

/** How the run ended for its prompts. A limit counts as an error only if it stopped unfinished work. */
function describeResult({ scope, retry }: RunDependencies, answer: AssistantMessage): RunResult {
  const { stopReason } = answer;
  if (stopReason === 'error' && !scope.signal.aborted)
    return { agentInvoked: true, status: 'error', error: describeError(retry, answer) };
  const isUnfinished = scope.signal.aborted || stopReason === 'aborted' || stopReason === 'toolUse';
  const { haltReason } = scope.limits;
  if (haltReason && isUnfinished)
    return { agentInvoked: true, status: 'error', error: { message: haltReason, retryable: false } };
  const isAborted = scope.signal.aborted || stopReason === 'aborted';
  return { agentInvoked: true, status: isAborted ? 'aborted' : 'completed' };
}

/** The work after the last agent_end of a run: reports failures, and compacts a conversation that is nearly too long. */
async function finishRun(
  { scope, retry, compaction, limits, whenPromptWaits, recordEnd }: RunDependencies,
  answer: AssistantMessage,
  { endDelivered, isRetried }: { endDelivered: undefined | Promise<void>; isRetried: boolean },
): Promise<void> {
  if (!isRetried) compaction.reportRecoveryFailure(answer);
  if (isFailed(answer)) retry.reportFailure(answer.errorMessage ?? 'Unknown error');
  // Prevents a deadlock: a listener of agent_end may itself wait for a prompt that waits for the end of this run.
  if (endDelivered) await Promise.race([endDelivered, whenPromptWaits]);
  if (!isFailed(answer) && !isRetried && !scope.limits.haltReason) await compaction.compactIfNeeded(scope.signal);
  await recordEnd();
  limits.resetTurns();
}

/** Chooses the automatic step after an answer. The step resolves to true if the request should be sent again. */
function chooseContinuation(
  { retry, compaction, rules, todos }: RunDependencies,
  answer: AssistantMessage,
): ((signal: AbortSignal) => Promise<boolean>) | undefined {
  if (rules.shouldRemind) return () => rules.remind();
  if (todos.shouldRemind(answer)) return () => todos.remind();
  if (compaction.canRecover(answer)) return (signal) => compaction.recoverFromOverflow(signal);
  const delayMs = planRetry(retry, answer, retry.providerFailure);
  return delayMs === undefined ? undefined : (signal) => retry.waitForRetry(answer, signal, delayMs);
}

interface RunOutcome {
  answer: AssistantMessage;
  unexpectedError?: unknown;
  /** What the run does after the answer, if an earlier process has chosen it. */
  step?: ResumedStep | undefined;
}

/** Resolves with the last answer of an earlier process if the run goes on with the step after it. */
async function beginRun(
  dependencies: RunDependencies,
  { openTurn, isContinuation }: RunStart,
): Promise<RunOutcome | undefined> {
  const { scope, state, compaction, limits, todos } = dependencies;
  limits.startRun(dependencies.abort);
  compaction.onPrompt();
  await todos.onPrompt();
  const last = state.conversation.messages.findLast((message) => message.role === 'assistant');
  const answer = last ?? scope.createEmptyAnswer();
  const step = isContinuation ? resumeStep(dependencies, answer) : undefined;
  if (step) return { answer, step };
  if (!openTurn) await compaction.compactIfNeeded(scope.signal);
  return undefined;
}

function takeFirstDeliveries(scope: RunScope, { deliveries, includesSteering }: RunStart): Delivery[] {
  if (includesSteering === 'all') return [...deliveries, ...takeNextDeliveries(scope, true)];
  return includesSteering ? appendSteering(scope, deliveries) : [...deliveries];
}

/** Runs turns until no message is due. The queues are checked once more after pending messages are stored. */
async function runUntilQueuesEmpty(
  scope: RunScope,
  firstDeliveries: Delivery[],
  newMessages: AgentMessage[],
  openTurn: OpenTurn | undefined,
): Promise<RunOutcome> {
  for (let deliveries = firstDeliveries, turn = openTurn; ; turn = undefined) {
    const outcome = await tryTurns(scope, deliveries, newMessages, turn);
    while (scope.pendingSaves) await scope.pendingSaves;
    deliveries = isFailed(outcome.answer) ? [] : takeNextDeliveries(scope, true);
    if (deliveries.length === 0) return outcome;
  }
}

/** Runs turns until the model stops. If the loop throws, returns an error answer. */
async function tryTurns(
  scope: RunScope,
  deliveries: Delivery[],
  newMessages: AgentMessage[],
  openTurn: OpenTurn | undefined,
): Promise<RunOutcome> {
  try {
    return { answer: await runTurns(scope, deliveries, newMessages, openTurn) };
  } catch (unexpectedError) {
    const answer = await recordErrorAnswer(scope, unexpectedError);
    newMessages.push(answer);
    return { answer, unexpectedError };
  }
}

/** Emits the events of an error answer, so that the host sees why the run ended. */
async function recordErrorAnswer(scope: RunScope, thrown: unknown): Promise<AssistantMessage> {
  const message: AssistantMessage = {
    ...scope.createEmptyAnswer(),
    stopReason: 'error',
    errorMessage: thrown instanceof Error ? thrown.message : String(thrown),
  };
  await scope.emit({ type: 'message_start', message });
  await scope.record(message);
  await scope.emit({ type: 'message_end', message });
  await scope.emit({ type: 'turn_end', message, toolResults: [] });
  return message;
}
