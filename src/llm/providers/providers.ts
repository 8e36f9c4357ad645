// Table of the built-in providers. The catalogue lists their models.
import type { CompatOverrides } from './compat.ts';

export interface Provider {
  readonly id: string;
  readonly name: string;
  /** Default wire format of its models. */
  readonly api: string;
  /** Empty when every customer has a different URL. */
  readonly baseUrl: string;
  /** Variables that contain its key; the first that is set is used. */
  readonly env: readonly string[];
  /** Variable that overrides `baseUrl`. */
  readonly baseUrlEnv?: string;
  /** Path that is added to a URL without a path. */
  readonly rootPath?: string;
  /** A local server: it needs no key and lists its models itself. */
  readonly keyless?: true;
  /** Provider-specific API that lists its models with more details. */
  readonly listFormat?: 'ollama' | 'lmstudio' | 'llamacpp' | 'copilot';
  readonly compat?: CompatOverrides;
  /** Differences of some of its models; the first pattern that matches the model id is used. */
  readonly modelCompat?: readonly (readonly [RegExp, CompatOverrides])[];
}

const CHAT = 'openai-completions';
const RESPONSES = 'openai-responses';

const EXACT_EFFORTS = { minimal: 'minimal', xhigh: 'xhigh' } as const;
const HIGH_EFFORTS = { minimal: 'high', low: 'high', medium: 'high', high: 'high', xhigh: 'high' } as const;
const LOW_HIGH_MAX_EFFORTS = { minimal: 'low', low: 'low', medium: 'high', high: 'high', xhigh: 'max' } as const;

/** Kimi K3 always thinks and uses `reasoning_effort`; the thinking parameter of earlier models is not supported. */
const KIMI_K3_COMPAT: CompatOverrides = {
  thinkingFormat: 'openai',
  supportsReasoningEffort: true,
  reasoningEffortMap: { off: 'low', ...LOW_HIGH_MAX_EFFORTS },
};

const OPENAI_COMPAT: CompatOverrides = {
  supportsDeveloperRole: true,
  maxTokensField: 'max_completion_tokens',
  replaysThinking: false,
  supportsPromptCacheKey: true,
};
const LOCAL_COMPAT: CompatOverrides = { thinkTags: true, requiresAlternatingRoles: true };

// biome-ignore format: a table is read by its columns
export const PROVIDERS: readonly Provider[] = [
  { id: 'anthropic', name: 'Anthropic', api: 'anthropic-messages', baseUrl: 'https://api.anthropic.com', env: ['ANTHROPIC_OAUTH_TOKEN', 'ANTHROPIC_API_KEY'], baseUrlEnv: 'ANTHROPIC_BASE_URL' },
  { id: 'openai', name: 'OpenAI', api: RESPONSES, baseUrl: 'https://api.openai.com/v1', env: ['OPENAI_API_KEY'], baseUrlEnv: 'OPENAI_BASE_URL', compat: OPENAI_COMPAT },
  { id: 'google', name: 'Google Gemini', api: 'google-generative-ai', baseUrl: 'https://generativelanguage.googleapis.com/v1beta', env: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'], baseUrlEnv: 'GOOGLE_GEMINI_BASE_URL', rootPath: '/v1beta' },
  { id: 'openrouter', name: 'OpenRouter', api: CHAT, baseUrl: 'https://openrouter.ai/api/v1', env: ['OPENROUTER_API_KEY'], baseUrlEnv: 'OPENROUTER_BASE_URL', compat: { thinkingFormat: 'openrouter', reasoningEffortMap: EXACT_EFFORTS } },
  { id: 'groq', name: 'Groq', api: CHAT, baseUrl: 'https://api.groq.com/openai/v1', env: ['GROQ_API_KEY'], baseUrlEnv: 'GROQ_BASE_URL', compat: { maxTokensField: 'max_completion_tokens', replaysThinking: false } },
  { id: 'deepseek', name: 'DeepSeek', api: CHAT, baseUrl: 'https://api.deepseek.com', env: ['DEEPSEEK_API_KEY'], baseUrlEnv: 'DEEPSEEK_BASE_URL', compat: { thinkingFormat: 'deepseek', canDisableThinking: true, reasoningEffortMap: LOW_HIGH_MAX_EFFORTS, requiresReasoningContentOnAssistantMessages: true } },
  { id: 'xai', name: 'xAI', api: CHAT, baseUrl: 'https://api.x.ai/v1', env: ['XAI_API_KEY'], baseUrlEnv: 'XAI_BASE_URL', compat: { supportsReasoningEffort: false, replaysThinking: false, sessionHeader: 'x-grok-conv-id' } },
  { id: 'mistral', name: 'Mistral', api: CHAT, baseUrl: 'https://api.mistral.ai/v1', env: ['MISTRAL_API_KEY'], baseUrlEnv: 'MISTRAL_BASE_URL', compat: { supportsUsageInStreaming: false, reasoningEffortMap: HIGH_EFFORTS, requiresMistralToolIds: true, requiresToolResultName: true, requiresAssistantAfterToolResult: true } },
  { id: 'together', name: 'Together AI', api: CHAT, baseUrl: 'https://api.together.xyz/v1', env: ['TOGETHER_API_KEY'], baseUrlEnv: 'TOGETHER_BASE_URL', compat: { thinkingFormat: 'together' } },
  { id: 'fireworks', name: 'Fireworks AI', api: CHAT, baseUrl: 'https://api.fireworks.ai/inference/v1', env: ['FIREWORKS_API_KEY'], baseUrlEnv: 'FIREWORKS_BASE_URL', compat: { sessionHeader: 'x-session-affinity' } },
  { id: 'cerebras', name: 'Cerebras', api: CHAT, baseUrl: 'https://api.cerebras.ai/v1', env: ['CEREBRAS_API_KEY'], baseUrlEnv: 'CEREBRAS_BASE_URL', compat: { maxTokensField: 'max_completion_tokens' } },
  { id: 'huggingface', name: 'Hugging Face', api: CHAT, baseUrl: 'https://router.huggingface.co/v1', env: ['HF_TOKEN', 'HUGGINGFACE_API_KEY'], baseUrlEnv: 'HUGGINGFACE_BASE_URL' },
  { id: 'nvidia', name: 'NVIDIA NIM', api: CHAT, baseUrl: 'https://integrate.api.nvidia.com/v1', env: ['NVIDIA_API_KEY'], baseUrlEnv: 'NVIDIA_BASE_URL' },
  { id: 'moonshot', name: 'Moonshot AI', api: CHAT, baseUrl: 'https://api.moonshot.ai/v1', env: ['MOONSHOT_API_KEY'], baseUrlEnv: 'MOONSHOT_BASE_URL', compat: { thinkingFormat: 'deepseek', supportsReasoningEffort: false, maxTokensField: 'max_completion_tokens', requiresReasoningContentOnAssistantMessages: true, supportsPromptCacheKey: true }, modelCompat: [[/^kimi-k3/, KIMI_K3_COMPAT]] },
  { id: 'zai', name: 'Z.ai', api: CHAT, baseUrl: 'https://api.z.ai/api/paas/v4', env: ['ZAI_API_KEY'], baseUrlEnv: 'ZAI_BASE_URL', compat: { thinkingFormat: 'zai', supportsReasoningEffort: false, zaiToolStream: true } },
  { id: 'minimax', name: 'MiniMax', api: CHAT, baseUrl: 'https://api.minimax.io/v1', env: ['MINIMAX_API_KEY'], baseUrlEnv: 'MINIMAX_BASE_URL', compat: { supportsReasoningEffort: false, maxTokensField: 'max_completion_tokens', thinkTags: true, requiresThinkTags: true } },
  { id: 'perplexity', name: 'Perplexity', api: CHAT, baseUrl: 'https://api.perplexity.ai', env: ['PERPLEXITY_API_KEY', 'PPLX_API_KEY'], baseUrlEnv: 'PERPLEXITY_BASE_URL', compat: { supportsTools: false, supportsReasoningEffort: false, replaysThinking: false, thinkTags: true, requiresAlternatingRoles: true } },
  { id: 'sambanova', name: 'SambaNova', api: CHAT, baseUrl: 'https://api.sambanova.ai/v1', env: ['SAMBANOVA_API_KEY'], baseUrlEnv: 'SAMBANOVA_BASE_URL', compat: { replaysThinking: false, thinkTags: true } },
  { id: 'github-models', name: 'GitHub Models', api: CHAT, baseUrl: 'https://models.github.ai/inference', env: ['GITHUB_MODELS_TOKEN', 'GITHUB_TOKEN'], baseUrlEnv: 'GITHUB_MODELS_BASE_URL', compat: { maxTokensField: 'max_completion_tokens', replaysThinking: false } },
  { id: 'github-copilot', name: 'GitHub Copilot', api: CHAT, baseUrl: 'https://api.githubcopilot.com', env: ['GITHUB_COPILOT_API_TOKEN'], listFormat: 'copilot', compat: { replaysThinking: false, initiatorHeader: 'x-initiator', imageHeader: 'copilot-vision-request' } },
  { id: 'vercel-gateway', name: 'Vercel AI Gateway', api: CHAT, baseUrl: 'https://ai-gateway.vercel.sh/v1', env: ['AI_GATEWAY_API_KEY'], baseUrlEnv: 'AI_GATEWAY_BASE_URL', compat: { thinkingFormat: 'openrouter', reasoningEffortMap: EXACT_EFFORTS } },
  { id: 'azure', name: 'Azure OpenAI', api: 'azure-openai-responses', baseUrl: '', env: ['AZURE_OPENAI_API_KEY'], baseUrlEnv: 'AZURE_OPENAI_BASE_URL', rootPath: '/openai/v1', compat: OPENAI_COMPAT },
  { id: 'amazon-bedrock', name: 'Amazon Bedrock', api: 'bedrock-converse-stream', baseUrl: 'https://bedrock-runtime.us-east-1.amazonaws.com', env: ['AWS_BEARER_TOKEN_BEDROCK', 'AWS_PROFILE', 'AWS_ACCESS_KEY_ID', 'AWS_WEB_IDENTITY_TOKEN_FILE', 'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI', 'AWS_CONTAINER_CREDENTIALS_FULL_URI'], baseUrlEnv: 'AWS_ENDPOINT_URL_BEDROCK_RUNTIME' },
  { id: 'google-vertex', name: 'Google Vertex AI', api: 'google-vertex', baseUrl: 'https://aiplatform.googleapis.com', env: ['GOOGLE_CLOUD_API_KEY', 'GOOGLE_APPLICATION_CREDENTIALS'], baseUrlEnv: 'GOOGLE_VERTEX_BASE_URL' },
  { id: 'ollama', name: 'Ollama', api: CHAT, baseUrl: 'http://localhost:11434/v1', env: ['OLLAMA_API_KEY'], baseUrlEnv: 'OLLAMA_HOST', rootPath: '/v1', keyless: true, listFormat: 'ollama', compat: { thinkTags: true, canDisableThinking: true } },
  { id: 'lmstudio', name: 'LM Studio', api: CHAT, baseUrl: 'http://localhost:1234/v1', env: ['LM_API_TOKEN'], baseUrlEnv: 'LMSTUDIO_BASE_URL', rootPath: '/v1', keyless: true, listFormat: 'lmstudio', compat: LOCAL_COMPAT },
  { id: 'llamacpp', name: 'llama.cpp', api: CHAT, baseUrl: 'http://localhost:8080/v1', env: ['LLAMA_API_KEY'], baseUrlEnv: 'LLAMACPP_BASE_URL', rootPath: '/v1', keyless: true, listFormat: 'llamacpp', compat: LOCAL_COMPAT },
  { id: 'vllm', name: 'vLLM', api: CHAT, baseUrl: 'http://localhost:8000/v1', env: ['VLLM_API_KEY'], baseUrlEnv: 'VLLM_BASE_URL', rootPath: '/v1', keyless: true, compat: LOCAL_COMPAT },
];

export function findProvider(id: string): Provider | undefined {
  return PROVIDERS.find((provider) => provider.id === id);
}
