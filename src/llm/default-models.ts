// Default model of each provider, and the order of providers.

/**
 * The first provider in this order that has a key is used. Providers whose variables are often set for other reasons are
 * not in this list; they are used only when the user names them.
 */
export const DEFAULT_MODELS: ReadonlyMap<string, string> = new Map([
  ['anthropic', 'claude-opus-5-5'],
  ['openai', 'gpt-6.1-sol'],
  ['google', 'gemini-3.1-pro-preview'],
  ['openrouter', 'anthropic/claude-opus-5.5'],
  ['xai', 'grok-4.6'],
  ['deepseek', 'deepseek-v4-pro'],
  ['moonshot', 'kimi-k3'],
  ['zai', 'glm-5.3'],
  ['mistral', 'mistral-medium-3-5'],
  ['minimax', 'MiniMax-M3'],
  ['fireworks', 'accounts/fireworks/models/kimi-k3'],
  ['together', 'zai-org/GLM-5'],
  ['groq', 'openai/gpt-oss-120b'],
  ['cerebras', 'gpt-oss-120b'],
]);

/** Come after DEFAULT_MODELS. These providers list their own models; the first listed model is the default. */
export const SELF_LISTING_PROVIDERS: readonly string[] = ['github-copilot'];

/** Defaults of providers that are used only when the user names them. */
const EXPLICIT_ONLY_MODELS: ReadonlyMap<string, string> = new Map([
  ['azure', 'gpt-6.1-sol'],
  ['amazon-bedrock', 'global.anthropic.claude-opus-5-5'],
  ['google-vertex', 'gemini-3.1-pro-preview'],
  ['huggingface', 'zai-org/GLM-5:novita'],
]);

export function findDefaultModel(provider: string): string | undefined {
  return DEFAULT_MODELS.get(provider) ?? EXPLICIT_ONLY_MODELS.get(provider);
}
