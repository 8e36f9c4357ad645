// First floor, llm: in what the hosts that speak Chat Completions differ. Data; the names are those of models.json.
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

const levelMap = object(Object.fromEntries(THINKING_LEVELS.map((level) => [level, optional(string())])));

const compat = object({
  /** The system prompt of a reasoning model goes under `developer`. */
  supportsDeveloperRole: boolean(),
  supportsTools: boolean(),
  supportsReasoningEffort: boolean(),
  /** What the host calls our levels. Every server knows `low`, `medium` and `high`. */
  reasoningEffortMap: levelMap,
  /** How thinking is asked for: beside or instead of `reasoning_effort`. */
  thinkingFormat: picklist(['openai', 'openrouter', 'deepseek', 'zai', 'together', 'qwen', 'qwen-chat-template']),
  /** Every reasoning model of the host can be told not to think. Others are told so only where the model lists `off`. */
  canDisableThinking: boolean(),
  /** `stream_options.include_usage`. */
  supportsUsageInStreaming: boolean(),
  /** Without it, an answer may end without a reason. */
  supportsFinishReason: boolean(),
  maxTokensField: picklist(['max_tokens', 'max_completion_tokens']),
  /** Thinking is sent back in the field in which it came. */
  replaysThinking: boolean(),
  /** Thinking is sent back as ordinary text. */
  requiresThinkingAsText: boolean(),
  /** While it thinks, every earlier answer must have its `reasoning_content`, also those of other models. */
  requiresReasoningContentOnAssistantMessages: boolean(),
  /** An answer that begins with `<think>` began with thinking. */
  thinkTags: boolean(),
  /** Such thinking goes back between its tags. */
  requiresThinkTags: boolean(),
  /** Call ids are nine letters and digits. */
  requiresMistralToolIds: boolean(),
  requiresToolResultName: boolean(),
  /** No user message may follow a tool's result directly. */
  requiresAssistantAfterToolResult: boolean(),
  /** Two messages of one role in a row are refused. */
  requiresAlternatingRoles: boolean(),
  supportsPromptCacheKey: boolean(),
  /** Header that brings the requests of a session to the same machine, whose cache is warm. */
  sessionHeader: string(),
  /** Header that says who asks: `user`, or `agent` when it is a tool that answers. */
  initiatorHeader: string(),
  /** Header that says that there are images. */
  imageHeader: string(),
  cacheControlFormat: picklist(['anthropic', 'none']),
  /** Asks for arguments as they are written, instead of all at the end. */
  zaiToolStream: boolean(),
  openRouterRouting: record(string(), unknown()),
  vercelGatewayRouting: record(string(), unknown()),
});

const overrides = partial(compat);

export type CompatOverrides = InferOutput<typeof overrides>;
type Optional =
  | 'sessionHeader'
  | 'initiatorHeader'
  | 'imageHeader'
  | 'cacheControlFormat'
  | 'openRouterRouting'
  | 'vercelGatewayRouting';
export type Compat = Omit<InferOutput<typeof compat>, Optional> & Pick<CompatOverrides, Optional>;

/** What a server that nobody knows is taken for. */
const COMMON_COMPAT: Compat = {
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
  // The chat templates of many models (Mistral, Llama) refuse two turns of one role, and a server runs any model.
  requiresAlternatingRoles: true,
  supportsPromptCacheKey: false,
  zaiToolStream: false,
};

/** What is known of the host counts more than what is common, and what the user says counts most: key by key. */
export function withCompat(host: CompatOverrides = {}, own: CompatOverrides = {}): Compat {
  const maps = [COMMON_COMPAT, host, own].map(({ reasoningEffortMap }) => reasoningEffortMap);
  return { ...COMMON_COMPAT, ...host, ...own, reasoningEffortMap: Object.assign({}, ...maps) };
}

/** Unknown names are let pass, because other programs read the same file. */
export function readCompat(given: Readonly<Record<string, unknown>>): CompatOverrides {
  const read = safeParse(overrides, given);
  if (read.success) return read.output;
  const [issue] = read.issues;
  const path = issue.path?.map(({ key }) => String(key)).join('.') ?? '';
  throw new Fault('config', `The setting compat.${path} in models.json is wrong: ${issue.message}`);
}
