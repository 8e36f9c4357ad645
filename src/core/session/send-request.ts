// Sends the request for an answer of a run. Loaded with the first request, together with the code of the prompt prefix.
import type { IdleTime, ModelStream, PlannedRequest } from '../../contracts/index.ts';
import type { Model } from '../../protocol/index.ts';
import type { PromptPrefix } from '../context/prompt-prefix.ts';
import { rejectOnAbort } from '../context/reject-on-abort.ts';
import { toModelMessages } from '../context/to-model-messages.ts';
import type { ModelFacet } from './model-facet.ts';
import type { SessionState } from './session-state.ts';

export { buildPromptPrefix } from '../context/prompt-prefix.ts';

export interface RequestOverrides {
  /** Replaces the system prompt of the session. */
  systemPrompt?: string | undefined;
  idle?: () => IdleTime;
}

export interface RequestSource {
  readonly state: SessionState;
  readonly models: ModelFacet;
  getPromptPrefix(): Promise<PromptPrefix>;
  /** Throws if no model is selected. */
  requireModel(): Model;
}

export async function sendRequest(
  source: RequestSource,
  signal: AbortSignal,
  overrides: RequestOverrides,
): Promise<ModelStream> {
  const { models, state } = source;
  const { beforeRequest, requestHeaders, onResponse } = state.hooks;
  const prefix = await rejectOnAbort(source.getPromptPrefix(), signal);
  const { systemPrompt, tools, messages } = await planRequest(state, prefix, overrides.systemPrompt);
  return state.options.models.stream({
    model: source.requireModel(),
    systemPrompt: overrides.systemPrompt ?? systemPrompt,
    messages: toModelMessages(messages),
    tools,
    thinkingLevel: models.thinkingLevel,
    ...(models.fastMode && models.supportsFastMode ? { fast: true } : {}),
    signal,
    ...(beforeRequest ? { rewriteBody: async (body) => (await beforeRequest(body)) ?? body } : {}),
    ...(requestHeaders ? { rewriteHeaders: async (headers) => (await requestHeaders(headers)) ?? headers } : {}),
    ...(onResponse ? { onResponse } : {}),
    sessionId: state.conversation.header.id,
    idleTime: overrides.idle?.(),
  });
}

/** Hooks get copies of the messages, because they may modify them and the log must not change. */
async function planRequest(
  { conversation, hooks }: SessionState,
  { systemPrompt, tools }: PromptPrefix,
  systemPromptOfRun: string | undefined,
): Promise<PlannedRequest> {
  const sessionMessages = conversation.messages;
  const messages = (await hooks.context?.(structuredClone([...sessionMessages]))) ?? sessionMessages;
  const planned = { systemPrompt: systemPromptOfRun ?? systemPrompt, tools, messages };
  return (await hooks.planRequest?.(structuredClone(planned))) ?? planned;
}
