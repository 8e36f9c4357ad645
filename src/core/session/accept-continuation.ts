// Prepares an interrupted run for its continuation: tool calls without a result get one. Loaded on demand.
import type { ContinueRequest } from '../../contracts/index.ts';
import {
  type AgentMessage,
  type AssistantMessage,
  extractText,
  getToolCalls,
  type ToolResultMessage,
} from '../../protocol/index.ts';
import type { AcceptedPrompt, AcceptPromptDependencies } from './accept-prompt.ts';

const INTERRUPTED = 'Interrupted: the program ended before this tool call was finished. It may have had effects.';

/** The results are on disk before the call is acknowledged. Another crash leaves a run that can be continued again. */
export async function acceptContinuation(
  { state, outcomes }: Pick<AcceptPromptDependencies, 'state' | 'outcomes'>,
  request: ContinueRequest,
): Promise<AcceptedPrompt> {
  const { conversation, ports } = state;
  const { messages } = conversation;
  const results = createMissingResults(messages, ports.clock.now());
  const input = findLastPrompt(messages);
  await conversation.commit(results.map((message) => ({ type: 'message', message })));
  request.onAccepted('started');
  outcomes.addToRun(request.onOutcome);
  const deliveries = results.map((message) => ({ message, store: async () => {} }));
  return { deliveries, includesSteering: true, input };
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

/** Hooks prepare the continued run with the prompt of the interrupted one. */
function findLastPrompt(messages: readonly AgentMessage[]): AcceptedPrompt['input'] {
  const prompt = messages.findLast((message) => message.role === 'user');
  if (!prompt) return { message: '' };
  const { content } = prompt;
  const images = Array.isArray(content) ? content.filter((block) => block.type === 'image') : [];
  return { message: extractText(content), images };
}
