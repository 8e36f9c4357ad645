// Stores a prompt and acknowledges it.
import type { RunRequest, UserInput } from '../../contracts/index.ts';
import {
  type AgentMessage,
  type CustomMessage,
  type EntryBody,
  extractText,
  type UserMessage,
} from '../../protocol/index.ts';
import type { Delivery } from '../agent/run-scope.ts';
import type { OpenTurn } from '../agent/run-tool-calls.ts';
import { toEntryBody } from './prepare-run.ts';
import type { PromptOutcomes } from './prompt-outcomes.ts';
import type { QueueFacet } from './queue-facet.ts';
import type { SessionState } from './session-state.ts';
import type { ShellFacet } from './shell-facet.ts';

/** The first messages of a run. */
export interface AcceptedPrompt {
  readonly deliveries: readonly Delivery[];
  /** Queued steering messages follow in the first turn. `all`: or queued messages of the other kind. */
  readonly includesSteering: boolean | 'all';
  /** The run of an earlier process goes on. */
  readonly isContinuation?: boolean | undefined;
  /** The text for hooks that prepare the run. */
  readonly input: UserInput;
  /** Finished before the messages are delivered. */
  readonly openTurn?: OpenTurn | undefined;
  /** Whether the log has this message of the hooks that prepare the run. */
  readonly hasHookMessage?: ((message: AgentMessage) => boolean) | undefined;
}

export interface AcceptPromptDependencies {
  state: SessionState;
  queues: QueueFacet;
  outcomes: PromptOutcomes;
  shell: ShellFacet;
}

/** Overdue messages of the queues go before the prompt. */
export async function acceptPrompt(
  dependencies: AcceptPromptDependencies,
  message: UserMessage | CustomMessage,
  request: RunRequest,
): Promise<AcceptedPrompt> {
  const { queues, outcomes } = dependencies;
  if (!queues.hasOverdue) {
    await commitWithShellOutput(dependencies, [toEntryBody(message)]);
    request.onAccepted('started');
    outcomes.addToRun(request.onOutcome);
    return { deliveries: [{ message, store: async () => {} }], includesSteering: true, input: request };
  }
  await commitWithShellOutput(dependencies, []);
  let deliveries: Delivery[] = [];
  await queues.add('followUp', message, {
    onNotRun: request.onNotRun,
    onOutcome: request.onOutcome,
    // Taken synchronously, before the queues can change: a run needs at least one message.
    onAccepted() {
      deliveries = queues.takeForNewRun();
      request.onAccepted(deliveries.some((delivery) => delivery.message === message) ? 'started' : 'queued');
    },
  });
  return { deliveries, includesSteering: false, input: toUserInput(deliveries) };
}

/** Commits the held output of the host's shell commands, then the entries. */
async function commitWithShellOutput(
  { state, shell }: AcceptPromptDependencies,
  bodies: readonly EntryBody[],
): Promise<void> {
  const held = shell.takeHeld();
  try {
    await state.conversation.commit([...held.bodies, ...bodies]);
  } catch (problem) {
    held.restore();
    throw problem;
  }
}

function toUserInput(deliveries: readonly Delivery[]): UserInput {
  const first: AgentMessage | undefined = deliveries[0]?.message;
  if (first?.role !== 'user' && first?.role !== 'custom') return { message: '' };
  const { content } = first;
  const images = Array.isArray(content) ? content.filter((block) => block.type === 'image') : [];
  return { message: extractText(content), images };
}
