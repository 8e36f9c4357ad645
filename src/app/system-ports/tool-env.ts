// The app's environment for tools: everything the user has, without what only the agent itself needs to reach its models.

/** Providers whose key is `<NAME>_API_KEY`. */
const PROVIDERS = [
  'AI_GATEWAY',
  'ANTHROPIC',
  'AZURE',
  'AZURE_OPENAI',
  'BASETEN',
  'CEREBRAS',
  'COHERE',
  'DASHSCOPE',
  'DEEPINFRA',
  'DEEPSEEK',
  'FIREWORKS',
  'GEMINI',
  'GOOGLE',
  'GOOGLE_CLOUD',
  'GOOGLE_GENERATIVE_AI',
  'GROQ',
  'HYPERBOLIC',
  'KIMI',
  'MINIMAX',
  'MINIMAX_CN',
  'MISTRAL',
  'MOONSHOT',
  'NEBIUS',
  'NOVITA',
  'NVIDIA',
  'OPENAI',
  'OPENCODE',
  'OPENROUTER',
  'PERPLEXITY',
  'SAMBANOVA',
  'SILICONFLOW',
  'TOGETHER',
  'TOGETHER_AI',
  'VENICE',
  'XAI',
  'XIAOMI',
  'ZAI',
  'ZHIPU',
] as const;

/** Variables that hold a provider's key. General ones that users' own tools need, such as GITHUB_TOKEN, are not here. */
export const PROVIDER_VARIABLES: readonly string[] = [
  ...PROVIDERS.map((name) => `${name}_API_KEY`),
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_OAUTH_TOKEN',
  'AWS_BEARER_TOKEN_BEDROCK',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'COPILOT_GITHUB_TOKEN',
];

const OWN_SECRET = /^PARLEY_.*(KEY|TOKEN|SECRET|PASSWORD)/i;

/** `more` names further variables, such as those that a user's model list takes its keys from. */
export function isWithheld(name: string, more: readonly string[] = []): boolean {
  return OWN_SECRET.test(name) || PROVIDER_VARIABLES.includes(name.toUpperCase()) || more.includes(name);
}

export function createToolEnv(env: NodeJS.ProcessEnv, more: readonly string[] = []): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !isWithheld(name, more)) kept[name] = value;
  }
  return kept;
}
