// What a run does next, after an answer that looks like its end. Recorded with the answer, so that a process that takes the run over
// can do it. Loaded with the first prompt.
import { array, type InferOutput, literal, number, object, safeParse, string, variant } from 'valibot';
import {
  type AgentMessage,
  type AssistantMessage,
  type EntryBody,
  getToolCalls,
  type ProviderFailure,
  type SessionEntry,
} from '../../protocol/index.ts';
import { isRunOpenAfter, NEXT_STEP_ENTRY } from '../../protocol/run-progress.ts';
import { isOverflow } from '../policy/compaction-policy.ts';
import type { CompactionFacet } from './compaction-facet.ts';
import type { QueueFacet } from './queue-facet.ts';
import { planRetry } from './retry-decision.ts';
import type { RetryFacet } from './retry-facet.ts';
import type { RuleFacet } from './rule-facet.ts';
import type { SessionState } from './session-state.ts';
import type { TodoFacet } from './todo-facet.ts';

const nextStep = variant('step', [
  /** Send the request again at this time. */
  object({ step: literal('retry'), attempt: number(), atMs: number() }),
  /** Compact, and send the request again. */
  object({ step: literal('overflow'), attempt: number() }),
  /** Add the reminder of these rules. */
  object({ step: literal('rule'), rules: array(string()) }),
  object({ step: literal('todo'), attempt: number() }),
  /** Deliver the queued messages. */
  object({ step: literal('queue') }),
]);

export type NextStep = InferOutput<typeof nextStep>;

export interface NextStepDependencies {
  state: SessionState;
  retry: RetryFacet;
  compaction: CompactionFacet;
  rules: RuleFacet;
  todos: TodoFacet;
  queues: QueueFacet;
}

/** The entry after an answer that is about to be stored. Empty if the answer itself shows that the run goes on, or if it ends. */
export function planNextStep(
  dependencies: NextStepDependencies,
  message: AgentMessage,
  providerFailure: ProviderFailure | undefined,
): EntryBody[] {
  const data = message.role === 'assistant' ? chooseNextStep(dependencies, message, providerFailure) : undefined;
  return data ? [{ type: 'custom', customType: NEXT_STEP_ENTRY, data }] : [];
}

/** In the order in which a run chooses. */
function chooseNextStep(
  { state, retry, compaction, rules, todos, queues }: NextStepDependencies,
  answer: AssistantMessage,
  providerFailure: ProviderFailure | undefined,
): NextStep | undefined {
  const { violatedRules } = rules;
  if (violatedRules.length > 0) return { step: 'rule', rules: violatedRules.map(({ name }) => name) };
  const isFailed = answer.stopReason === 'error' || answer.stopReason === 'aborted';
  if (!isFailed && getToolCalls(answer).length > 0) return undefined;
  if (compaction.canCompactAgain && isOverflow(answer, providerFailure))
    return { step: 'overflow', attempt: compaction.overflowCount + 1 };
  const delayMs = planRetry(retry, answer, providerFailure);
  if (delayMs !== undefined)
    return { step: 'retry', attempt: retry.attempt + 1, atMs: state.ports.clock.now() + delayMs };
  if (queues.count > 0) return { step: 'queue' };
  return todos.shouldRemind(answer) ? { step: 'todo', attempt: todos.reminderCount + 1 } : undefined;
}

/** The step with which the run on this path goes on. */
export function findNextStep(path: readonly SessionEntry[]): NextStep | undefined {
  const entry = path.findLast((candidate) => isRunOpenAfter(candidate) !== undefined);
  return entry && readNextStep(entry);
}

function readNextStep(entry: SessionEntry): NextStep | undefined {
  if (entry.type !== 'custom' || entry.customType !== NEXT_STEP_ENTRY) return undefined;
  const parsed = safeParse(nextStep, entry.data);
  return parsed.success ? parsed.output : undefined;
}

/** Does what the earlier process could not. Resolves to true if the request must be sent again. */
export type ResumedStep = (signal: AbortSignal) => Promise<boolean>;

/** `undefined` if the run goes on with a request. */
export function resumeStep(
  { state, retry, compaction, rules, todos }: Omit<NextStepDependencies, 'queues'>,
  answer: AssistantMessage,
): ResumedStep | undefined {
  const { path } = state.conversation;
  todos.reminderCount = countReminders(path);
  const next = findNextStep(path);
  switch (next?.step) {
    case 'retry':
      retry.attempt = next.attempt - 1;
      return (signal) => {
        // The clocks of two machines can differ.
        const delayMs = Math.max(0, Math.min(next.atMs - state.ports.clock.now(), retry.settings.maxDelayMs));
        return retry.waitForRetry(answer, signal, delayMs);
      };
    case 'overflow': {
      const isCompacted = path.findLastIndex(({ type }) => type === 'compaction') > path.findLastIndex(readNextStep);
      compaction.overflowCount = isCompacted ? next.attempt : next.attempt - 1;
      return async (signal) => isCompacted || compaction.recoverFromOverflow(signal);
    }
    case 'rule':
      return () => rules.remind(next.rules);
    case 'todo':
      todos.reminderCount = next.attempt - 1;
      return async () => todos.shouldRemind(answer) && todos.remind();
    default:
      return undefined;
  }
}

/** Since the last prompt. */
function countReminders(path: readonly SessionEntry[]): number {
  const at = path.findLastIndex((entry) => entry.type === 'message' && entry.message.role === 'user');
  return path.slice(at + 1).filter((entry) => entry.type === 'custom_message' && entry.customType === 'todo-reminder')
    .length;
}
