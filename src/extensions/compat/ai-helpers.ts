// Small functions of pi-ai: thinking levels, ids, JSON, diagnostics, retries and messages for tests.
import { getErrorMessage, isRecord } from '../../base/index.ts';
import type { Ports } from '../../contracts/index.ts';
import { createEmptyMessage } from '../../core/extension/index.ts';
import { isTransient } from '../../core/policy/retry-policy.ts';
import { parsePartialJson } from '../../llm/tool-arguments.ts';
import {
  type AssistantMessage,
  clampThinkingLevel,
  getThinkingLevels,
  type Model,
  type ThinkingLevel,
} from '../../protocol/index.ts';
import { version } from '../../support/version.ts';

const OVERFLOW_PATTERNS = [/context[_ ]length/i, /context window/i, /prompt is too long/i, /too many tokens/i];
const MAX_RETRY_DELAY_MS = 60_000;

interface RetryPolicy {
  enabled?: boolean;
  maxRetries?: number;
  baseDelayMs: number;
  maxAgentDelayMs?: number;
}

interface RetryCallbacks {
  onRetryScheduled?(attempt: number, maxAttempts: number, delayMs: number, errorMessage: string): unknown;
  onRetryAttemptStart?(): unknown;
  onRetryFinished?(success: boolean, attempt: number, finalError?: string): unknown;
}

export function createAiHelpers({ clock, ids }: Pick<Ports, 'clock' | 'ids'>): Record<string, unknown> {
  const cleanups = new Set<(sessionId?: string) => unknown>();
  return {
    PI_AI_VERSION: version(),
    PI_ATTRIBUTION: {},
    uuidv7: (timestampMs = clock.now()) => toTimeOrderedId(ids.uuid(), timestampMs),
    clampThinkingLevel: (model: Model, level: ThinkingLevel) => clampThinkingLevel(level, model),
    getSupportedThinkingLevels: (model: Model) => [...getThinkingLevels(model)],
    hasApi: (model: Model, api: string) => model.api === api,
    getModelType: () => 'chat',
    isModelType: (_model: unknown, type: string) => type === 'chat',
    ...createJsonFunctions(),
    ...createDiagnosticFunctions(clock),
    ...createRetryFunctions(clock),
    ...createFauxMessages(clock, ids),
    registerSessionResourceCleanup(cleanup: (sessionId?: string) => unknown) {
      cleanups.add(cleanup);
      return () => void cleanups.delete(cleanup);
    },
    cleanupSessionResources: (sessionId?: string) => {
      for (const cleanup of cleanups) cleanup(sessionId);
    },
  };
}

/** Replaces the first 48 bits of a random id by the time. */
function toTimeOrderedId(randomId: string, timestampMs: number): string {
  const time = Math.max(0, Math.floor(timestampMs)).toString(16).padStart(12, '0').slice(-12);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomId.slice(15)}`;
}

function createJsonFunctions() {
  const parseJsonWithRepair = (text: string): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      return parsePartialJson(text);
    }
  };
  return {
    parseJsonWithRepair,
    repairJson: (text: string) => JSON.stringify(parseJsonWithRepair(text)),
    /** Does not repair: an incomplete call must not be executed. */
    parseToolCallArguments(text: string | undefined) {
      try {
        const parsed: unknown = text?.trim() ? JSON.parse(text) : {};
        return isRecord(parsed) ? { arguments: parsed } : { arguments: {}, argumentsError: 'not an object' };
      } catch (thrown) {
        return { arguments: {}, argumentsError: getErrorMessage(thrown) };
      }
    },
  };
}

function createDiagnosticFunctions(clock: Pick<Ports['clock'], 'now'>) {
  const extractDiagnosticError = (thrown: unknown) => ({
    ...(thrown instanceof Error ? { name: thrown.name } : {}),
    message: getErrorMessage(thrown),
    ...(isRecord(thrown) && thrown.code !== undefined ? { code: thrown.code } : {}),
  });
  return {
    formatThrownValue: (thrown: unknown) => getErrorMessage(thrown),
    extractDiagnosticError,
    createAssistantMessageDiagnostic: (type: string, thrown: unknown, details?: unknown) => ({
      type,
      timestamp: clock.now(),
      error: extractDiagnosticError(thrown),
      ...(details === undefined ? {} : { details }),
    }),
    appendAssistantMessageDiagnostic(message: { diagnostics?: unknown[] }, diagnostic: unknown) {
      message.diagnostics = [...(message.diagnostics ?? []), diagnostic];
    },
  };
}

function createRetryFunctions(clock: Ports['clock']) {
  const retryDelayMs = ({ baseDelayMs, maxAgentDelayMs = MAX_RETRY_DELAY_MS }: RetryPolicy, attempt: number) =>
    Math.min(baseDelayMs * 2 ** (attempt - 1), maxAgentDelayMs);
  const isRetryableAssistantError = (message: AssistantMessage) => isTransient(message, undefined);
  return {
    DEFAULT_MAX_AGENT_RETRY_DELAY_MS: MAX_RETRY_DELAY_MS,
    getOverflowPatterns: () => [...OVERFLOW_PATTERNS],
    isRecoverableLength: ({ stopReason, usage }: AssistantMessage, desiredMaxOutput: number) =>
      stopReason === 'length' && usage.output < desiredMaxOutput,
    retryDelayMs,
    isRetryableAssistantError,
    async retryAssistantCall(
      produce: () => Promise<AssistantMessage>,
      policy: RetryPolicy | undefined,
      signal: AbortSignal = new AbortController().signal,
      callbacks: RetryCallbacks = {},
    ): Promise<AssistantMessage> {
      const maxRetries = policy?.enabled === false ? 0 : (policy?.maxRetries ?? 0);
      let message = await produce();
      let attempt = 0;
      while (policy && attempt < maxRetries && isRetryableAssistantError(message) && !signal.aborted) {
        attempt++;
        const delayMs = retryDelayMs(policy, attempt);
        await callbacks.onRetryScheduled?.(attempt, maxRetries, delayMs, message.errorMessage ?? '');
        await clock.sleep(delayMs, signal);
        if (signal.aborted) message = { ...message, stopReason: 'aborted' };
        else {
          await callbacks.onRetryAttemptStart?.();
          message = await produce();
        }
      }
      const isFailed = message.stopReason === 'error' || message.stopReason === 'aborted';
      if (attempt > 0) await callbacks.onRetryFinished?.(!isFailed, attempt, message.errorMessage);
      return message;
    },
  };
}

/** Messages that tests of extensions return from their own models. */
function createFauxMessages(clock: Pick<Ports['clock'], 'now'>, ids: Ports['ids']) {
  const model = { api: 'faux', provider: 'faux', id: 'faux' } as Model;
  const fauxText = (text: string) => ({ type: 'text' as const, text });
  return {
    fauxText,
    fauxThinking: (thinking: string) => ({ type: 'thinking', thinking }),
    fauxToolCall: (name: string, args: unknown, { id = ids.entryId() }: { id?: string } = {}) => ({
      type: 'toolCall',
      id,
      name,
      arguments: args,
    }),
    fauxAssistantMessage(content: unknown, options: Record<string, unknown> = {}) {
      const blocks = typeof content === 'string' ? [fauxText(content)] : Array.isArray(content) ? content : [content];
      return { ...createEmptyMessage(model, clock.now()), content: blocks, ...options };
    },
  };
}
