// Requests of MCP servers to the session's model. They count towards its budget, and the user approves them when tools need approval.
import { escapeInvisible } from '../../base/escape-invisible.ts';
import { Fault } from '../../base/index.ts';
import type { ApprovalControl, McpContext, McpSamplingRequest } from '../../contracts/index.ts';
import { createEmptyUsage, extractText, type ModelMessage } from '../../protocol/index.ts';
import type { McpAgentContext } from './mcp-agent-context.ts';

/** In characters. A longer request is refused when the user would have to review it. */
const MAX_REVIEWED_LENGTH = 100_000;

export function createSampling(context: McpAgentContext): NonNullable<McpContext['sample']> {
  return async (request) => {
    const session = context.session();
    if (!session) throw new Fault('refused', 'There is no session whose model could be used');
    await requireApproval(context, session.approval, request);
    const { systemPrompt = '', maxTokens, signal } = request;
    const { now } = context.options.ports.clock;
    const messages = request.messages.map((message) => toModelMessage(message, now()));
    const answer = await session.context.complete({ systemPrompt, messages, maxTokens, signal });
    const stopReason = answer.stopReason === 'length' ? 'maxTokens' : 'endTurn';
    return { text: extractText(answer.content), model: answer.model, stopReason };
  };
}

function toModelMessage(
  { role, text, images }: McpSamplingRequest['messages'][number],
  timestamp: number,
): ModelMessage {
  const textBlock = { type: 'text' as const, text };
  if (role === 'user') return { role, content: [textBlock, ...images], timestamp };
  return {
    ...{ role, content: [textBlock], timestamp, stopReason: 'stop', usage: createEmptyUsage() },
    ...{ api: '', provider: '', model: '' },
  };
}

async function requireApproval(
  { options, host }: McpAgentContext,
  { policy }: Readonly<ApprovalControl>,
  request: McpSamplingRequest,
): Promise<void> {
  const { approvalTimeout } = options.settings;
  if (policy === 'never') return;
  const texts = request.messages.map(
    ({ role, text, images }) => `${role}: ${text}${images.length > 0 ? ' [images]' : ''}`,
  );
  const message = escapeInvisible([request.systemPrompt, ...texts].filter(Boolean).join('\n'));
  if (message.length > MAX_REVIEWED_LENGTH)
    throw new Fault('refused', 'The request is too long to be shown for approval');
  const limit = approvalTimeout > 0 ? { timeout: approvalTimeout } : {};
  const title = `Let the MCP server ${escapeInvisible(request.server)} use the model?`;
  const answer = await host()?.ask(
    { method: 'confirm', title, message, ...limit },
    { ...limit, signal: request.signal },
  );
  if (!answer || !('confirmed' in answer) || !answer.confirmed)
    throw new Fault('refused', 'The user does not allow this request to the model');
}
