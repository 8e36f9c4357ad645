// session/prompt, session/cancel and steering.
import { optional, string } from 'valibot';
import { Fault } from '../../../base/index.ts';
import { EarlyResult } from '../errors.ts';
import { type AcpMethod, createReply, type MethodContext, sessionMethod } from '../method.ts';
import { promptContent, toUserInput } from '../prompt-content.ts';

const promptParams = { sessionId: string(), prompt: promptContent };

export const promptMethods: Record<string, AcpMethod> = {
  'session/prompt': sessionMethod({
    command: 'prompt',
    params: promptParams,
    isPrompt: true,
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

/** The user can leave the question open and cancel the prompt. The question then stays open and its answer still counts. */
async function offerTrust({ call, signal }: MethodContext): Promise<void> {
  const cancelled = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  await Promise.race([call.pool.offerTrust(call.session), cancelled]);
  if (signal.aborted) throw new Fault('aborted', 'The prompt was cancelled before it reached the model');
}
