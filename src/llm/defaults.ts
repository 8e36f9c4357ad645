// First floor, llm: which model a provider begins with, and which provider comes first when several could. Data.

/**
 * In the order in which a key decides. Those whose variables are set for many other reasons are not here: they are used
 * when somebody names them.
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

/** After those: who says itself which models it has. The first of them is begun with. */
export const ASKED_PROVIDERS: readonly string[] = ['github-copilot'];

/** For the others, when they are named without a model. */
const FURTHER: ReadonlyMap<string, string> = new Map([
  ['azure', 'gpt-6.1-sol'],
  ['amazon-bedrock', 'global.anthropic.claude-opus-5-5'],
  ['google-vertex', 'gemini-3.1-pro-preview'],
  ['huggingface', 'zai-org/GLM-5:novita'],
]);

export function defaultModelOf(provider: string): string | undefined {
  return DEFAULT_MODELS.get(provider) ?? FURTHER.get(provider);
}
