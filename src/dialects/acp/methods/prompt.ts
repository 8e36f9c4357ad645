// session/prompt, session/cancel and steering.
import { optional, string } from 'valibot';
import { Fault, isRecord } from '../../../base/index.ts';
import { EarlyResult } from '../errors.ts';
import { type AcpMethod, createReply, type MethodContext, sessionMethod } from '../method.ts';
import { promptContent, toUserInput } from '../prompt-content.ts';

const promptParams = { sessionId: string(), prompt: promptContent };

export const promptMethods: Record<string, AcpMethod> = {
  'session/prompt': sessionMethod({
    command: 'prompt',
    params: promptParams,
    isPrompt: true,
    isAnsweredByOutcome: true,
    async toParams({ prompt }, context) {
      const input = toUserInput(prompt, context.call.session.cwd);
      await offerTrust(context);
      return { ...input, streamingBehavior: 'followUp' };
    },
  }),
  /** As other agents define it: the message reaches the model between the tool calls of the current turn. */
  '_session/steering': sessionMethod({
    command: 'prompt',
    params: { ...promptParams, idleBehavior: optional(string()) },
    toParams({ prompt, idleBehavior }, { call: { session } }) {
      const input = toUserInput(prompt, session.cwd);
      if (idleBehavior === 'promptRequired' && !session.runs.isRunning)
        throw new EarlyResult({ outcome: 'promptRequired', reason: 'noRunningTurn' });
      return { ...input, streamingBehavior: 'steer' };
    },
    toAcceptedResult: (disposition) => ({ outcome: disposition === 'queued' ? 'injected' : 'startedNewTurn' }),
  }),
  '_parley/get_state': sessionMethod({
    command: 'get_state',
    params: { sessionId: string() },
    toReply: (state: unknown) => createReply(state),
  }),
  '_parley/compact': sessionMethod({
    command: 'compact',
    params: { sessionId: string(), customInstructions: optional(string()) },
    isLong: true,
    toParams: ({ customInstructions }) => ({ customInstructions }),
    toReply: (summary: unknown) => createReply(summary),
  }),
};

const COMPACT_COMMAND = /^\/compact(\s|$)/;

/** `/compact` in a prompt is a command of Parley, which editors offer with the other slash commands. */
export const compactPrompt: AcpMethod = sessionMethod({
  command: 'compact',
  params: promptParams,
  isPrompt: true,
  isLong: true,
  toParams({ prompt }, { call: { session } }) {
    if (session.runs.isRunning) throw new Fault('busy', 'Compact when the current turn has ended');
    const { message } = toUserInput(prompt, session.cwd);
    return { customInstructions: message.replace(COMPACT_COMMAND, '').trim() || undefined };
  },
  toReply: () => createReply({ stopReason: 'end_turn' }),
});

export function isCompactPrompt(method: string, params: unknown): boolean {
  const [first] = method === 'session/prompt' && isRecord(params) && Array.isArray(params.prompt) ? params.prompt : [];
  return isRecord(first) && typeof first.text === 'string' && COMPACT_COMMAND.test(first.text);
}

/** The user can leave the question open and cancel the prompt. The question then stays open and its answer still counts. */
async function offerTrust({ call, signal }: MethodContext): Promise<void> {
  const cancelled = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  await Promise.race([call.pool.offerTrust(call.session), cancelled]);
  if (signal.aborted) throw new Fault('aborted', 'The prompt was cancelled before it reached the model');
}
