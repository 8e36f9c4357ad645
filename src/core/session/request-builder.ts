// Requests answers from the model, and keeps the prompt prefix of the session.
import { Fault } from '../../base/index.ts';
import type { CompletionRequest, ModelStream } from '../../contracts/index.ts';
import type { AssistantMessage, Model, Usage } from '../../protocol/index.ts';
import { createEmptyUsage } from '../../protocol/index.ts';
import type { PromptPrefix } from '../context/prompt-prefix.ts';
import type { ModelFacet } from './model-facet.ts';
import type { RequestOverrides, RequestSource } from './send-request.ts';
import type { SessionLimits } from './session-limits.ts';
import type { SessionState } from './session-state.ts';
import type { Question, SingleRequests } from './single-requests.ts';
import type { ToolFacet } from './tool-facet.ts';

export class RequestBuilder implements RequestSource {
  readonly state: SessionState;
  readonly models: ModelFacet;
  readonly #getLimits: () => SessionLimits;
  readonly #tools: Pick<ToolFacet, 'planOffered'>;
  // Built once per session, so that every request starts with the same bytes and prompt caches stay valid.
  #promptPrefix: Promise<PromptPrefix> | undefined;
  /** The version of the MCP tools in the prefix; `undefined` while it is being built. */
  #mcpVersion: number | undefined;
  readonly #reportedWarnings = new Set<string>();

  constructor(
    state: SessionState,
    parts: { models: ModelFacet; getLimits: () => SessionLimits; tools: Pick<ToolFacet, 'planOffered'> },
  ) {
    this.state = state;
    this.models = parts.models;
    this.#getLimits = parts.getLimits;
    this.#tools = parts.tools;
  }

  /** Throws if no model is selected or its credentials are missing. */
  async ensureReady(): Promise<void> {
    await this.state.options.models.requireCredentials(this.requireModel());
    // Starts building the prefix while the prompt is written to disk. After an error it is built again when it is used.
    this.getPromptPrefix().catch(() => {});
  }

  /** Output tokens per second of the last answer. */
  tokensPerSecond: number | null = null;

  /** Called when an answer is complete. Its timestamp is the time of the request. */
  onAnswer({ usage, timestamp }: AssistantMessage): void {
    const elapsedMs = this.state.ports.clock.now() - timestamp;
    if (usage.output > 0 && elapsedMs > 0) this.tokensPerSecond = (usage.output * 1000) / elapsedMs;
  }

  /** The prefix that was built last. */
  lastPrefix: PromptPrefix | undefined;

  /** The system prompt and the tools that every request of this session starts with. */
  async getPromptPrefix(): Promise<PromptPrefix> {
    this.#promptPrefix ??= this.#buildPrefix();
    const prefix = this.#promptPrefix;
    try {
      return await prefix;
    } catch (thrown) {
      if (this.#promptPrefix === prefix) this.#promptPrefix = undefined;
      throw thrown;
    }
  }

  async requestAnswer(signal: AbortSignal, overrides: RequestOverrides = {}): Promise<ModelStream> {
    const { sendRequest } = await import('./send-request.ts');
    this.#discardOutdatedPrefix();
    return sendRequest(this, signal, overrides);
  }

  get model(): Model | null {
    return this.models.current;
  }

  /** Asks the model once, outside the conversation and without tools. Used for summaries. */
  async completeOnce(question: Question): Promise<{ text: string; usage: Usage } | { error: string }> {
    return (await this.#loadSingleRequests()).completeOnce(question);
  }

  /** For requests of others than the user, which must not exceed the budget. Throws a Fault if the request fails. */
  async complete(request: CompletionRequest): Promise<AssistantMessage> {
    return (await this.#loadSingleRequests()).complete(request);
  }

  /** Throws a Fault if the request fails. */
  async summarize(text: string, signal: AbortSignal): Promise<string> {
    return (await this.#loadSingleRequests()).summarize(text, signal);
  }

  async #loadSingleRequests(): Promise<SingleRequests> {
    const { SingleRequests } = await import('./single-requests.ts');
    return new SingleRequests(this.state, this, this.#getLimits());
  }

  /** The message for an answer that failed or was aborted before the model sent anything. */
  createEmptyAnswer(): AssistantMessage {
    const { current } = this.models;
    return {
      role: 'assistant',
      content: [],
      api: current?.api ?? '',
      provider: current?.provider ?? '',
      model: current?.id ?? '',
      usage: createEmptyUsage(),
      stopReason: 'stop',
      timestamp: this.state.ports.clock.now(),
    };
  }

  /** Discards the prefix, so that context files and resources are read again. */
  reset(): void {
    this.#promptPrefix = undefined;
    this.state.options.resources?.clearCache();
  }

  requireModel(): Model {
    const { current } = this.models;
    if (current) return current;
    const { missingReason } = this.state.options.models;
    const remedy = 'Choose one with --model, set_model or the defaultModel setting.';
    throw new Fault(
      'no_model',
      missingReason ? `No model can be used. ${missingReason}` : `No model selected. ${remedy}`,
    );
  }

  /** Reports each warning once. Not in subagents: they read the same files as their parent. */
  #reportWarnings(warnings: readonly string[]): void {
    if (this.state.options.parentLink) return;
    for (const message of warnings) {
      if (this.#reportedWarnings.has(message)) continue;
      this.#reportedWarnings.add(message);
      void this.state.broadcast.emit({ type: 'notice', level: 'warning', message, source: 'context' });
    }
  }

  /** Changes of MCP servers are applied between turns, so that a request and its retries are equal. */
  #discardOutdatedPrefix(): void {
    const isBuilt = this.#mcpVersion !== undefined;
    if (isBuilt && this.#mcpVersion !== this.state.options.mcp?.toolsVersion) this.#promptPrefix = undefined;
  }

  async #buildPrefix(): Promise<PromptPrefix> {
    const { options, ports } = this.state;
    this.#mcpVersion = undefined;
    await options.mcp?.prepare();
    this.#mcpVersion = options.mcp?.toolsVersion;
    const { buildPromptPrefix } = await import('./send-request.ts');
    const { files, clock } = ports;
    const prefix = await buildPromptPrefix({ ...options, files, clock, tools: this.#tools.planOffered() });
    this.lastPrefix = prefix;
    this.#reportWarnings(prefix.warnings);
    return prefix;
  }
}
