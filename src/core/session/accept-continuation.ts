// Prepares an interrupted run for its continuation: its last turn is finished. Loaded on demand.
import { Fault } from '../../base/index.ts';
import type { ContinueRequest } from '../../contracts/index.ts';
import {
  type AgentMessage,
  type AssistantMessage,
  type CustomMessage,
  extractText,
  getToolCalls,
  type SessionEntry,
  type ToolResultMessage,
} from '../../protocol/index.ts';
import { RUN_END_ENTRY } from '../../protocol/run-progress.ts';
import { entryToMessages } from '../tree/context-path.ts';
import type { AcceptedPrompt, AcceptPromptDependencies } from './accept-prompt.ts';
import { findOpenTurn, INTERRUPTED } from './find-open-turn.ts';
import { findNextStep } from './next-step.ts';
import type { SessionState } from './session-state.ts';

export const NOTHING_TO_CONTINUE = 'Nothing to continue: the last run has ended. Send a prompt.';

/**
 * A log that can be taken over says which tool calls were started: the others are run. In other logs all calls without a result
 * get one. It is on disk before the call is acknowledged. Another crash leaves a run that can be continued again.
 */
export async function acceptContinuation(
  { state, outcomes, queues }: Pick<AcceptPromptDependencies, 'state' | 'outcomes' | 'queues'>,
  request: ContinueRequest,
): Promise<AcceptedPrompt> {
  const { conversation, ports } = state;
  const { messages, path, log, header } = conversation;
  const next = findNextStep(path)?.step;
  const deliversQueue = next === 'queue' || (next === 'todo' && queues.count > 0);
  if (next === 'queue' && queues.count === 0) return refuseEmptyQueue(state);
  const openTurn = log.canBeTakenOver && !next ? findOpenTurn(path, header.id) : undefined;
  const results = log.canBeTakenOver ? [] : createMissingResults(messages, ports.clock.now());
  const input = findLastPrompt(messages);
  await conversation.commit(results.map((message) => ({ type: 'message', message })));
  request.onAccepted?.('started');
  if (request.source === 'takeover') await announceTakeover(state);
  outcomes.addToRun(request.onOutcome);
  const deliveries = results.map((message) => ({ message, store: async () => {} }));
  // Steering follows the tool calls.
  return {
    ...{ deliveries, includesSteering: deliversQueue ? 'all' : !openTurn, input, openTurn },
    isContinuation: log.canBeTakenOver && !deliversQueue,
    ...(log.canBeTakenOver ? { hasHookMessage: createHookMessageFilter(path) } : {}),
  };
}

/** The host has removed the messages for which the run had to go on. */
async function refuseEmptyQueue({ conversation }: SessionState): Promise<never> {
  await conversation.commit([{ type: 'custom', customType: RUN_END_ENTRY }]);
  throw new Fault('refused', NOTHING_TO_CONTINUE);
}

async function announceTakeover({ conversation, ports, broadcast }: SessionState): Promise<void> {
  const lastMs = Date.parse(conversation.path.at(-1)?.timestamp ?? '');
  // The clocks of two machines can differ.
  const seconds = Math.max(0, Math.round((ports.clock.now() - lastMs) / 1000)) || 0;
  const message = `The process of this run has ended. Another process continues it, ${seconds} s after its last entry.`;
  await broadcast.emit({ type: 'notice', level: 'info', message, source: 'takeover' });
}

function createMissingResults(messages: readonly AgentMessage[], timestamp: number): ToolResultMessage[] {
  const at = messages.findLastIndex(({ role }) => role === 'assistant');
  const answer = messages[at] as AssistantMessage | undefined;
  // The tool calls of a failed or aborted answer are never sent to the model again.
  if (!answer || answer.stopReason === 'error' || answer.stopReason === 'aborted') return [];
  const finished = messages.slice(at).flatMap((message) => (message.role === 'toolResult' ? message.toolCallId : []));
  return getToolCalls(answer)
    .filter(({ id }) => !finished.includes(id))
    .map(({ id, name }) => ({
      role: 'toolResult',
      toolCallId: id,
      toolName: name,
      content: [{ type: 'text', text: INTERRUPTED }],
      isError: true,
      timestamp,
    }));
}

/** The interrupted run has stored the messages of its hooks before its first answer. A crash may have left some of them. */
function createHookMessageFilter(path: readonly SessionEntry[]): (message: AgentMessage) => boolean {
  const at = path.findLastIndex(
    (entry) => entry.type === 'message' && entry.message.role === 'user' && entry.queueId === undefined,
  );
  const later = path.slice(at + 1).flatMap(entryToMessages);
  if (later.some(({ role }) => role === 'assistant')) return () => true;
  const stored = later.flatMap((message) => (message.role === 'custom' ? describeCustomMessage(message) : []));
  return (message) => message.role === 'custom' && stored.includes(describeCustomMessage(message));
}

function describeCustomMessage({ customType, content }: CustomMessage): string {
  return JSON.stringify([customType, content]);
}

/** Hooks prepare the continued run with the prompt of the interrupted one. */
function findLastPrompt(messages: readonly AgentMessage[]): AcceptedPrompt['input'] {
  const prompt = messages.findLast((message) => message.role === 'user');
  if (!prompt) return { message: '' };
  const { content } = prompt;
  const images = Array.isArray(content) ? content.filter((block) => block.type === 'image') : [];
  return { message: extractText(content), images };
}
