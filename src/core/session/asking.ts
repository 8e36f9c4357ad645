// First floor, core: puts one request to the model together: prompt, tools, history. Knows no provider.
import { Fault } from '../../base/index.ts';

import type { IdleTime, ModelStream, ToolChoice } from '../../contracts/index.ts';
import type { AssistantMessage, Model, Usage } from '../../protocol/index.ts';
import { clampLevel, noUsage, textOf } from '../../protocol/index.ts';
import { untilAborted } from '../agent/until-aborted.ts';
import type { Opening } from '../context/opening.ts';

import type { Limits } from './limits.ts';
import type { ModelFacet } from './models.ts';
import type { Seat } from './seat.ts';

export class Asking {
  readonly #seat: Seat;
  readonly #models: ModelFacet;
  readonly #limits: () => Limits;
  readonly #tools: Pick<ToolChoice, 'active'>;
  // Made once for a session, so that every request begins with the same bytes and provider caches hit.
  #opening: Promise<Opening> | undefined;
  readonly #reported = new Set<string>();

  constructor(seat: Seat, parts: { models: ModelFacet; limits: () => Limits; tools: Pick<ToolChoice, 'active'> }) {
    this.#seat = seat;
    this.#models = parts.models;
    this.#limits = parts.limits;
    this.#tools = parts.tools;
  }

  /** Refuses before any work is done when the model cannot be asked. */
  async ready(): Promise<void> {
    await this.#seat.options.models.ready(this.#model());
    // Read while the disk takes the prompt. What goes wrong here is said when it is needed.
    this.opening().catch(() => {});
  }

  /** As it was put together last. */
  last: Opening | undefined;

  /** The words before the conversation, as every request of this session begins. */
  async opening(): Promise<Opening> {
    this.#opening ??= this.#open();
    return this.#opening;
  }

  /** `systemPrompt` replaces the session's own. */
  async ask(
    signal: AbortSignal,
    own: { systemPrompt?: string | undefined; idle?: () => IdleTime } = {},
  ): Promise<ModelStream> {
    const { prompt, offers } = await this.opening();
    const { toModelMessages } = await import('../context/opening.ts');
    const { conversation, options, hooks } = this.#seat;
    const { context, beforeRequest } = hooks;
    const said = conversation.messages;
    // A copy, because others may do with it what they like and the log must not notice.
    const given = (context && (await context(structuredClone([...said])))) ?? said;
    return options.models.stream({
      model: this.#model(),
      systemPrompt: own.systemPrompt ?? prompt,
      messages: toModelMessages(given),
      tools: offers,
      thinkingLevel: this.#models.thinkingLevel,
      signal,
      ...(beforeRequest ? { rewrite: async (body) => (await beforeRequest(body)) ?? body } : {}),
      sessionId: conversation.header.id,
      idle: own.idle?.(),
    });
  }

  get model(): Model | null {
    return this.#models.current;
  }

  /** One question outside the conversation, without tools: for summaries. */
  async askOnce(question: {
    systemPrompt: string;
    text: string;
    maxTokens: number | undefined;
    signal: AbortSignal;
  }): Promise<{ text: string; usage: Usage } | { error: string }> {
    const { conversation, options, ports } = this.#seat;
    const model = this.#model();
    const stream = options.models.stream({
      model,
      systemPrompt: question.systemPrompt,
      messages: [{ role: 'user', content: [{ type: 'text', text: question.text }], timestamp: ports.clock.now() }],
      tools: [],
      thinkingLevel: clampLevel('high', model),
      ...(question.maxTokens === undefined ? {} : { maxTokens: Math.min(question.maxTokens, model.maxTokens) }),
      signal: question.signal,
      sessionId: conversation.header.id,
    });
    for await (const event of untilAborted(stream, question.signal, ports.clock)) {
      if (event.type === 'done') {
        await this.#limits().spendUsage(event.message.usage);
        return { text: textOf(event.message.content), usage: event.message.usage };
      }
      if (event.type === 'error') return { error: event.error.errorMessage ?? 'the model failed' };
    }
    return { error: 'the model gave no answer' };
  }

  /** Throws a Fault when there is no good answer. */
  async summarise(text: string, signal: AbortSignal): Promise<string> {
    await this.ready();
    const { SUMMARY_SYSTEM_PROMPT } = await import('../compaction/summary.ts');
    const question = { systemPrompt: SUMMARY_SYSTEM_PROMPT, text, maxTokens: undefined, signal };
    const answer = await this.askOnce(question);
    if ('error' in answer) throw new Fault('refused', `Summarization failed: ${answer.error}`);
    return answer.text.trim();
  }

  /** An answer that no model wrote. */
  blankAnswer(): AssistantMessage {
    const { current } = this.#models;
    return {
      role: 'assistant',
      content: [],
      api: current?.api ?? '',
      provider: current?.provider ?? '',
      model: current?.id ?? '',
      usage: noUsage(),
      stopReason: 'stop',
      timestamp: this.#seat.ports.clock.now(),
    };
  }

  /** The next conversation reads the project's notes anew. */
  reset(): void {
    this.#opening = undefined;
    this.#seat.options.resources?.forget();
  }

  #model(): Model {
    const { current } = this.#models;
    if (current) return current;
    const { absence } = this.#seat.options.models;
    const wayOut = 'Choose one with --model, set_model or the defaultModel setting.';
    throw new Fault('no_model', absence ? `No model can be used. ${absence}` : `No model selected. ${wayOut}`);
  }

  /** Once for each file. A subagent reads the same files as the session that started it. */
  #report(refused: readonly string[]): void {
    if (this.#seat.options.family) return;
    for (const message of refused) {
      if (this.#reported.has(message)) continue;
      this.#reported.add(message);
      void this.#seat.broadcast.emit({ type: 'notice', level: 'warning', message, source: 'context' });
    }
  }

  async #open(): Promise<Opening> {
    const { options, ports } = this.#seat;
    const { openingOf } = await import('../context/opening.ts');
    const { files, clock } = ports;
    const opening = await openingOf({ ...options, files, clock, tools: this.#tools.active() });
    this.last = opening;
    this.#report(opening.refused);
    return opening;
  }
}
