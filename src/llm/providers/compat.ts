// Differences between servers of the Chat Completions API. The keys are those of `compat` in models.json.
import {
  boolean,
  type InferOutput,
  object,
  optional,
  partial,
  picklist,
  record,
  safeParse,
  string,
  unknown,
} from 'valibot';
import { Fault } from '../../base/index.ts';
import { THINKING_LEVELS } from '../../protocol/index.ts';

const levelMapSchema = object(Object.fromEntries(THINKING_LEVELS.map((level) => [level, optional(string())])));

const compatSchema = object({
  /** The system prompt of a reasoning model is sent with the role `developer`. */
  supportsDeveloperRole: boolean(),
  supportsTools: boolean(),
  supportsReasoningEffort: boolean(),
  /** Thinking level → value of the server. Every server accepts `low`, `medium` and `high`. */
  reasoningEffortMap: levelMapSchema,
  /** How thinking is requested, in addition to or instead of `reasoning_effort`. */
  thinkingFormat: picklist(['openai', 'openrouter', 'deepseek', 'zai', 'together', 'qwen', 'qwen-chat-template']),
  /** Thinking can be disabled for every reasoning model of the provider. Otherwise only for models that list `off`. */
  canDisableThinking: boolean(),
  /** `stream_options.include_usage`. */
  supportsUsageInStreaming: boolean(),
  /** If false, an answer may end without a finish reason. */
  supportsFinishReason: boolean(),
  maxTokensField: picklist(['max_tokens', 'max_completion_tokens']),
  /** Thinking is sent back in the field in which it was received. */
  replaysThinking: boolean(),
  /** Thinking is sent back as ordinary text. */
  requiresThinkingAsText: boolean(),
  /** While thinking is enabled, every earlier answer must have `reasoning_content`, including those of other models. */
  requiresReasoningContentOnAssistantMessages: boolean(),
  /** An answer that starts with `<think>` starts with thinking. */
  thinkTags: boolean(),
  /** Such thinking is sent back between its tags. */
  requiresThinkTags: boolean(),
  /** Call ids consist of nine letters and digits. */
  requiresMistralToolIds: boolean(),
  requiresToolResultName: boolean(),
  /** A user message must not directly follow a tool result. */
  requiresAssistantAfterToolResult: boolean(),
  /** Two consecutive messages with the same role are rejected. */
  requiresAlternatingRoles: boolean(),
  supportsPromptCacheKey: boolean(),
  /** Header that routes the requests of a session to the same machine, to use its cache. */
  sessionHeader: string(),
  /** Header for the initiator of the request: `user`, or `agent` after a tool result. */
  initiatorHeader: string(),
  /** Header for requests with images. */
  imageHeader: string(),
  cacheControlFormat: picklist(['anthropic', 'none']),
  /** Streams tool arguments while they are generated, instead of sending them at the end. */
  zaiToolStream: boolean(),
  openRouterRouting: record(string(), unknown()),
  vercelGatewayRouting: record(string(), unknown()),
});

const overridesSchema = partial(compatSchema);

export type CompatOverrides = InferOutput<typeof overridesSchema>;
type OptionalField =
  | 'sessionHeader'
  | 'initiatorHeader'
  | 'imageHeader'
  | 'cacheControlFormat'
  | 'openRouterRouting'
  | 'vercelGatewayRouting';
export type Compat = Omit<InferOutput<typeof compatSchema>, OptionalField> & Pick<CompatOverrides, OptionalField>;

/** Assumed for unknown servers. */
const DEFAULT_COMPAT: Compat = {
  supportsDeveloperRole: false,
  supportsTools: true,
  supportsReasoningEffort: true,
  reasoningEffortMap: { minimal: 'low', xhigh: 'high' },
  thinkingFormat: 'openai',
  canDisableThinking: false,
  supportsUsageInStreaming: true,
  supportsFinishReason: true,
  maxTokensField: 'max_tokens',
  replaysThinking: true,
  requiresThinkingAsText: false,
  requiresReasoningContentOnAssistantMessages: false,
  thinkTags: false,
  requiresThinkTags: false,
  requiresMistralToolIds: false,
  requiresToolResultName: false,
  requiresAssistantAfterToolResult: false,
  // Chat templates of many models (Mistral, Llama) reject consecutive turns of the same role, and a server can run any model.
  requiresAlternatingRoles: true,
  supportsPromptCacheKey: false,
  zaiToolStream: false,
};

/** Per key: user settings override provider settings, which override the defaults. */
export function mergeCompat(providerCompat: CompatOverrides = {}, userCompat: CompatOverrides = {}): Compat {
  const maps = [DEFAULT_COMPAT, providerCompat, userCompat].map(({ reasoningEffortMap }) => reasoningEffortMap);
  return { ...DEFAULT_COMPAT, ...providerCompat, ...userCompat, reasoningEffortMap: Object.assign({}, ...maps) };
}

/** Unknown keys are accepted, because other programs read the same file. */
export function parseCompat(compat: Readonly<Record<string, unknown>>): CompatOverrides {
  const result = safeParse(overridesSchema, compat);
  if (result.success) return result.output;
  const [issue] = result.issues;
  const path = issue.path?.map(({ key }) => String(key)).join('.') ?? '';
  throw new Fault('config', `The setting compat.${path} in models.json is invalid: ${issue.message}`);
}
