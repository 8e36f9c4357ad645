// Single requests to the model, outside the conversation and without tools. Their usage counts towards the budget. Loaded with the first.
import { Fault } from '../../base/index.ts';
import type { CompletionRequest } from '../../contracts/index.ts';
import {
  type AssistantMessage,
  clampThinkingLevel,
  extractText,
  type Model,
  type ThinkingLevel,
  type Usage,
} from '../../protocol/index.ts';
import { takeUntilAborted } from '../agent/take-until-aborted.ts';
import { SUMMARY_SYSTEM_PROMPT } from '../compaction/summary-prompts.ts';
import type { SessionLimits } from './session-limits.ts';
import type { SessionState } from './session-state.ts';

export interface Question {
  readonly systemPrompt: string;
  readonly text: string;
  readonly maxTokens: number | undefined;
  readonly signal: AbortSignal;
}

/** Both throw if no model is selected or its credentials are missing. */
interface ModelCheck {
  ensureReady(): Promise<void>;
  requireModel(): Model;
}

export class SingleRequests {
  readonly #state: SessionState;
  readonly #modelCheck: ModelCheck;
  readonly #limits: SessionLimits;

  constructor(state: SessionState, modelCheck: ModelCheck, limits: SessionLimits) {
    this.#state = state;
    this.#modelCheck = modelCheck;
    this.#limits = limits;
  }

  async completeOnce({ text, ...request }: Question): Promise<{ text: string; usage: Usage } | { error: string }> {
    const timestamp = this.#state.ports.clock.now();
    const question = { role: 'user' as const, content: [{ type: 'text' as const, text }], timestamp };
    const answer = await this.#send({ ...request, messages: [question] }, 'high');
    return 'error' in answer ? answer : { text: extractText(answer.content), usage: answer.usage };
  }

  async complete(request: CompletionRequest): Promise<AssistantMessage> {
    this.#limits.assertWithinBudget();
    await this.#modelCheck.ensureReady();
    const answer = await this.#send(request, 'off');
    if ('error' in answer) throw new Fault('refused', answer.error);
    return answer;
  }

  async summarize(text: string, signal: AbortSignal): Promise<string> {
    await this.#modelCheck.ensureReady();
    const question = { systemPrompt: SUMMARY_SYSTEM_PROMPT, text, maxTokens: undefined, signal };
    const answer = await this.completeOnce(question);
    if ('error' in answer) throw new Fault('refused', `Summarization failed: ${answer.error}`);
    return answer.text.trim();
  }

  async #send(
    request: Omit<CompletionRequest, 'maxTokens'> & { readonly maxTokens: number | undefined },
    thinkingLevel: ThinkingLevel,
  ): Promise<AssistantMessage | { error: string }> {
    const { conversation, options, ports } = this.#state;
    const { systemPrompt, messages, maxTokens, signal } = request;
    const model = this.#modelCheck.requireModel();
    const stream = options.models.stream({
      ...{ model, systemPrompt, messages: [...messages], tools: [], signal },
      thinkingLevel: clampThinkingLevel(thinkingLevel, model),
      ...(maxTokens === undefined ? {} : { maxTokens: Math.min(maxTokens, model.maxTokens) }),
      sessionId: conversation.header.id,
    });
    for await (const event of takeUntilAborted(stream, signal, ports.clock)) {
      if (event.type === 'done') {
        await this.#limits.chargeUsage(event.message.usage);
        return event.message;
      }
      if (event.type === 'error') return { error: event.error.errorMessage ?? 'the model request failed' };
    }
    return { error: 'the model gave no answer' };
  }
}
